//! The command, end to end: real files in, real files out.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod commands;
mod determinism;
mod interruption;
mod support;
mod tensorboard;
