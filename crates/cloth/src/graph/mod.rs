//! Nearest-neighbour graphs of rows, and labels that flow along them: a leaf that knows nothing of domains.

mod knn;
mod propagate;

pub use knn::{Graph, nearest_neighbours};
pub use propagate::propagate;
