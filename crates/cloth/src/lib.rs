//! Unsupervised domain adaptation you can actually use.
//!
//! You have labelled rows from one place (the [`Source`]) and must predict on rows from another (the [`Target`]), for
//! which there are no labels. `cloth` trains a classifier on both.
//!
//! ```text
//! files ─▶ data ─▶ nets ─▶ loss ─▶ optim ─▶ method ─▶ model ─▶ train ─▶ run directory ─▶ eval / predictions ─▶ bench / report
//!           (rows)  (z, logits) (scalars)     (one update)      (Algorithm 1)
//! ```
//!
//! A module imports only from what stands left of it; [`ot`], [`graph`], [`whiten`], [`eigen`], [`words`], `error` and
//! `rng` are leaves.
//!
//! ```no_run
//! use cloth::{Config, ReadOptions, Source, Target, Training};
//!
//! let source = Source::load("source.npz", &ReadOptions::default())?;
//! let target = Target::load("target.npz", &ReadOptions::default(), source.layout())?;
//! let outcome = Training::prepare(Config::of_method("cloth")?, source, target)?.run(|_| cloth::Flow::Continue)?;
//! outcome.model.save("model.safetensors")?;
//! # Ok::<(), cloth::Error>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod atomic;
pub mod bench;
pub mod config;
pub mod data;
pub mod demo;
mod device;
pub mod eigen;
mod error;
pub mod eval;
pub mod graph;
mod hash;
mod kernel;
pub mod loss;
pub mod method;
pub mod model;
pub mod nets;
pub mod optim;
pub mod ot;
pub mod predictions;
pub mod report;
pub mod rng;
pub mod threads;
pub mod train;
pub mod whiten;
pub mod words;

pub use config::Config;
pub use data::{HeldOut, ReadOptions, Source, Target, Unlabelled};
pub use error::{Error, Problem, Result};
pub use model::{Head, Model};
pub use train::{Event, Flow, Outcome, Training};
