//! Optimal transport on plain numbers: a leaf that knows nothing of networks or tensors.

mod assignment;
mod sinkhorn;

pub use assignment::assignment;
pub use sinkhorn::{Plan, sinkhorn, sinkhorn_relaxed};
