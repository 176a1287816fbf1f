//! Methods: each one file, described by a [`Recipe`] and run as a [`Method`].
//!
//! A recipe says everything that the rest of the library knows of a method: its parameters, its losses, its phases, its
//! revision. [`Methods`] is the list that configuration, training, benches and reports are given;
//! [`Methods::builtin`] has those of this library, and [`Methods::with`] adds one from outside, as
//! `examples/own_method.rs` shows.
//!
//! Besides CLOTH and its baseline the built-in methods are those it is compared with. Each follows its paper, or its
//! authors' published code where the two differ or the paper is silent, and takes its defaults from there, never from
//! target accuracy; the head of its file says what was followed. G, batches, optimiser, averaging and the number of
//! iterations are the same for all, but for what a recipe's `shared_defaults` ask for.

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
