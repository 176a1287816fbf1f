//! Building blocks shared by several methods, in this library and in other crates.

mod added_loss;
mod adversarial;
#[cfg(test)]
pub(crate) mod check;
mod gradient_shares;
mod growing;
mod learn_source;
mod multilinear;
mod pass;
mod two_phases;

pub use added_loss::AddedLoss;
pub use adversarial::{Adversarial, Condition, l_dom_info};
pub use gradient_shares::gradient_shares;
pub use growing::growing;
pub use learn_source::{l_c_info, learn_source};
pub use multilinear::Multilinear;
pub use pass::{Pass, Total, halves};
pub use two_phases::{TwoPhases, first_after, phases};
