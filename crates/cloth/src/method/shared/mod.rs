//! What several methods have in common.

mod pass;

pub(crate) use pass::{Total, halves};
