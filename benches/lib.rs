//! Benchmarks of `cloth`: see `kernels.rs` and `step.rs`.
