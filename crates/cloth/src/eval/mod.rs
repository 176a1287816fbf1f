//! Evaluation: scores where labels are known, and the distance between two domains where they are not.

mod evaluation;
#[cfg(feature = "files")]
mod held_out;
#[cfg(feature = "images")]
mod picture;
pub mod remarks;
mod score;
mod shift;
mod spread;

pub use evaluation::{Evaluation, Evaluator, Mistake};
#[cfg(feature = "files")]
pub use held_out::{evaluate, score};
pub use score::{CalibrationBin, ClassScore, Score, Scorer};
pub use shift::{Shift, proxy_a_distance};
pub use spread::Spread;
