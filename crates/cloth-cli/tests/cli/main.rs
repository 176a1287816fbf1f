//! End-to-end tests of the command, with files as input and output.
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
mod trust;
mod unusual;
