//! How far to trust a run, without a label of the target: is it better than plain training, and how accurate is it?
//!
//! ```text
//! adapted model ─┐
//! plain model   ─┼─▶ evidence ─▶ signals ─▶ estimates ─▶ mixture, verdict
//! witnesses     ─┘
//! ```

mod ask;
mod calibrate;
mod estimate;
mod evidence;
mod judge;
mod overlap;
mod plain;
mod posterior;
mod signals;
mod witness;

pub use ask::Worth;
pub use calibrate::{confidence, temperature, temperature_for};
pub use estimate::Estimates;
pub use evidence::{Evidence, Testimony};
pub use judge::{can_judge, judge};
pub use overlap::Overlap;
pub use plain::{plain_config, plain_training};
pub use signals::{Signals, agreement, log_odds};
pub use witness::{Latents, Sample, Witnesses};

#[cfg(test)]
mod tests;
