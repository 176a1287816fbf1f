//! How good predictions are, where labels are known; and how far apart two domains are, where they are not.

pub mod remarks;
mod score;
mod shift;

pub use score::{ClassScore, Score, Scorer};
pub use shift::{Shift, proxy_a_distance};
