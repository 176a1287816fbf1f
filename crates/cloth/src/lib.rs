//! Unsupervised domain adaptation you can actually use.
//!
//! You have labelled rows from one place (the [`Source`]) and must predict on rows from another (the [`Target`]), for
//! which there are no labels. `cloth` trains a classifier on both.
//!
//! ```text
//! rows ─▶ networks ─▶ losses ─▶ method ─▶ training ─▶ model and run directory ─▶ predictions, scores, benches, reports
//!       (z, logits)  (scalars)  (one update)
//! ```
//!
//! The modules are layers: each uses those below it only. `ARCHITECTURE.md` has the picture, and a test keeps it true.
//!
//! ```no_run
//! use cloth::{Methods, ReadOptions, Source, Target, Training};
//!
//! let source = Source::load("source.npz", &ReadOptions::default())?;
//! let target = Target::load("target.npz", &ReadOptions::default(), source.layout())?;
//! let config = Methods::builtin().config("cloth")?;
//! let outcome = Training::prepare(config, source, target)?.run(|_| cloth::Flow::Continue)?;
//! outcome.model.save("model.safetensors")?;
//! # Ok::<(), cloth::Error>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used))]

// Lets `parameters!` refer to this crate by the same name inside and outside.
extern crate self as cloth;

pub mod atomic;
#[cfg(feature = "bench")]
pub mod bench;
mod buffers;
pub mod config;
pub mod data;
#[cfg(feature = "demo")]
pub mod demo;
pub mod device;
mod error;
pub mod eval;
pub mod graph;
mod hash;
mod kernel;
pub mod linalg;
pub mod loss;
pub mod method;
pub mod model;
pub mod nets;
pub mod optim;
pub mod ot;
#[cfg(feature = "files")]
pub mod predictions;
#[cfg(feature = "report")]
pub mod report;
pub mod rng;
#[cfg(test)]
mod testing;
pub mod threads;
pub mod train;
pub mod trust;
pub mod whiten;
pub mod words;

pub use config::Config;
#[cfg(feature = "files")]
pub use data::{HeldOut, ReadOptions, Unlabelled};
pub use data::{Source, Target};
pub use error::{Error, Problem, ProblemKind, ProblemParts, Result};
pub use method::Methods;
pub use model::{Head, Model};
pub use train::{Event, Flow, Outcome, Training, TrainingOptions};

/// For the macros of this crate; not part of its public interface.
#[doc(hidden)]
pub mod __private {
    pub use serde;
}

/// Compiles the README's Rust code as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
