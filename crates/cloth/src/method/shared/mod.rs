//! What several methods have in common.

mod added_loss;
#[cfg(test)]
pub(crate) mod check;
mod pass;

pub(crate) use added_loss::AddedLoss;
pub(crate) use pass::{Pass, Total, halves};
