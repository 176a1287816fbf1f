//! Optimal transport on plain numbers: a leaf that knows nothing of networks or tensors.

mod sinkhorn;

pub use sinkhorn::{Plan, sinkhorn, sinkhorn_relaxed};
