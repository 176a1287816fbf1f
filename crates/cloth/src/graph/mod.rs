//! Nearest-neighbour graphs of rows, and label propagation along them. The module is independent of domains.

mod knn;
mod propagate;

pub use knn::{Graph, nearest_neighbours};
pub use propagate::propagate;
