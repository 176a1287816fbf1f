//! How good predictions are, where labels are known; and how far apart two domains are, where they are not.

mod evaluation;
mod picture;
pub mod remarks;
mod score;
mod shift;
mod spread;

pub use evaluation::{Evaluation, Evaluator, Mistake};
pub use score::{CalibrationBin, ClassScore, Score, Scorer, score};
pub use shift::{Shift, proxy_a_distance};
pub use spread::Spread;
