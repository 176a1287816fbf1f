//! CPU kernels for the operations that take nearly all the time of a training step.
//!
//! Each is reached through Burn's extension mechanism as one node of the autodiff graph with an analytic backward
//! pass. Beside each stands the plain Burn expression of the same function (`plain`): it runs on other devices, and
//! tests compare the two. Instructions (AVX-512, AVX2, NEON) are chosen at run time.
//!
//! Work is split by shape alone, and never inside a sum, so results do not depend on the number of threads.

mod batch_norm;
mod block;
mod conv;
mod dense;
mod flex;
mod gemm;
mod moments;
mod node;
mod recycle;
mod softmax;
mod update;

pub(crate) use batch_norm::{EPSILON as NORM_EPSILON, Statistics, batch_norm};
pub(crate) use block::conv_block;
pub(crate) use dense::dense;
pub(crate) use moments::moments;
pub(crate) use node::scalar;
pub(crate) use softmax::{Softmax, log_sum_exp_columns};
pub(crate) use update::{AdamStep, SgdStep, adam, average, sgd};

use burn::tensor::Tensor;

/// Whether the kernels can be used on a tensor's device.
pub(crate) fn reach<const D: usize>(x: &Tensor<D>) -> bool {
    crate::device::is_cpu(&x.device())
}

/// Runs a loop compiled for the best instructions that this machine has.
#[inline(always)]
pub(crate) fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    struct Work<F>(F);
    impl<R, F: FnOnce() -> R> pulp::NullaryFnOnce for Work<F> {
        type Output = R;
        #[inline(always)]
        fn call(self) -> R {
            (self.0)()
        }
    }
    pulp::Arch::new().dispatch(Work(work))
}
