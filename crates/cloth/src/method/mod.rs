//! Methods: each one file, described by a [`Recipe`] and run as a [`Method`].
//!
//! A recipe has everything that the rest of the library knows about a method: its parameters, losses, phases and
//! revision. [`Methods`] is the list that configuration, training, benches and reports use. [`Methods::builtin`] has
//! the methods of this library, and [`Methods::with`] adds another one; see `examples/own_method.rs`.
//!
//! The built-in methods are CLOTH, its baseline, and the methods that it is compared with. Each follows its paper, or
//! its authors' published code where the two differ or the paper is silent. Defaults come from there, not from target
//! accuracy, but for what the heads of `mcc` and `shot` say; the head of each file has its references. G, batches,
//! optimiser, averaging and the number of iterations are the same for all methods, except for a recipe's
//! `shared_defaults` and `shared_needs`.

pub mod adda;
pub mod cdan;
pub mod cloth;
pub mod cmd;
pub mod dan;
pub mod dann;
pub mod deep_coral;
pub mod deepjdot;
pub mod homm;
mod list;
mod losses;
pub mod mcc;
mod recipe;
pub mod shared;
pub mod shot;
pub mod source_only;
pub mod spl;
mod step;
#[cfg(test)]
mod tests;

pub use list::Methods;
pub use losses::Losses;
pub use recipe::{Addition, LossInfo, Phase, Recipe};
pub use step::{Method, Setup, Step};
