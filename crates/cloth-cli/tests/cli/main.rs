//! The command, end to end: real files in, real files out.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod bad_model;
mod bench;
mod browser;
mod commands;
mod determinism;
mod documents;
mod html;
mod interruption;
mod report;
mod support;
mod tensorboard;
mod unusual;
