//! How good predictions are, where labels are known; and how far apart two domains are, where they are not.

mod score;
mod shift;
mod spread;

pub use score::{ClassScore, Score, Scorer, score};
pub use shift::{Shift, proxy_a_distance};
pub use spread::Spread;
