//! What several methods have in common.

mod added_loss;
mod adversarial;
#[cfg(test)]
pub(crate) mod check;
mod growing;
mod pass;
mod two_phases;

pub(crate) use added_loss::AddedLoss;
pub(crate) use adversarial::{Adversarial, Condition};
use growing::growing;
pub(crate) use pass::{Pass, Total, halves};
pub(crate) use two_phases::TwoPhases;
