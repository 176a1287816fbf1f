//! The losses of CLOTH and of the methods it is compared with, one file each, as functions of tensors: they know
//! nothing of networks or files.
//!
//! Arguments carry the CLOTH paper's symbols. `c_s`, `t_s`, `t_t`, `d_s`, `d_t` are *logits* of the heads C, T, D on
//! source (`_s`) and target (`_t`) rows; CLOTH's D has one logit more than there are classes, the last for "target".
//! `y_s` are class indices, one for each source row. CLOTH's losses of logits work in the log domain, so that logits of
//! any size give finite values and gradients.

mod certainty;
mod classification;
mod cmd;
mod confusion;
mod coral;
mod discriminator;
mod domain;
mod entropy;
mod generator;
mod hmm;
mod homm;
mod joint;
mod mmd;
mod plan;
mod transport;

pub use certainty::certainty;
pub use classification::l_c;
pub use cmd::cmd;
pub use confusion::mcc;
pub use coral::coral;
pub use discriminator::{Discriminator, l_d};
pub use domain::l_dom;
pub use entropy::l_ent;
pub use generator::{GtForm, l_gs, l_gt};
pub(crate) use hmm::l_hmm_of_both;
pub use hmm::{MomentScale, TargetWeights, l_hmm};
pub use homm::{centred, homm, homm_of_all};
pub use joint::joint_cost;
pub use mmd::mmd;
pub use plan::l_str;
pub(crate) use transport::cost;
pub use transport::{Reduction, l_t, plan_cost};

use burn::tensor::{Device, Int, Tensor, TensorData};

/// Class indices as a column, as `gather` wants them.
fn column(labels: &[u32], device: &Device) -> Tensor<2, Int> {
    let labels: Vec<i32> = labels.iter().map(|&y| y as i32).collect();
    let rows = labels.len();
    Tensor::from_data(TensorData::new(labels, [rows, 1]), device)
}

/// log Σ exp along `dim`, shifted by the maximum so that it cannot overflow. Keeps `dim` with length 1.
pub(crate) fn log_sum_exp(x: Tensor<2>, dim: usize) -> Tensor<2> {
    let max = x.clone().detach().max_dim(dim);
    (x - max.clone()).exp().sum_dim(dim).log() + max
}

/// ‖a_i − b_j‖² of each pair of rows: `[n, p]` and `[m, p]` to `[n, m]`.
fn squared_distances(a: Tensor<2>, b: Tensor<2>) -> Tensor<2> {
    let squares = |x: &Tensor<2>| x.clone().square().sum_dim(1);
    let distances = squares(&a) + squares(&b).transpose() - a.matmul(b.transpose()).mul_scalar(2.0);
    // Rounding may leave a little less than zero. Not `clamp`, which would pass off NaN as zero too.
    let below = distances.clone().lower_elem(0.0);
    distances.mask_fill(below, 0.0)
}

#[cfg(test)]
pub(crate) mod check {
    //! What every loss is checked with.
    use burn::tensor::{Device, Tensor, TensorData};

    pub(crate) fn device() -> Device {
        crate::device::training()
    }

    pub(crate) fn tensor<const R: usize, const C: usize>(rows: [[f32; C]; R]) -> Tensor<2> {
        Tensor::from_data(TensorData::from(rows), &device())
    }

    pub(crate) fn scalar(x: Tensor<1>) -> f32 {
        x.into_scalar()
    }

    /// A fixed pseudo-random matrix in [-1, 1].
    pub(crate) fn noise(rows: usize, columns: usize, seed: u64) -> Tensor<2> {
        use rand::RngExt;
        let mut rng = crate::rng::stream(seed, crate::rng::Purpose::Weights, 0);
        let values: Vec<f32> = (0..rows * columns).map(|_| rng.random_range(-1.0..1.0)).collect();
        Tensor::from_data(TensorData::new(values, [rows, columns]), &device())
    }

    /// Compares value and gradients of a loss's kernel with those of its plain expression.
    pub(crate) fn agree<const N: usize>(
        inputs: [Tensor<2>; N],
        kernel: impl Fn([Tensor<2>; N]) -> Tensor<1>,
        plain: impl Fn([Tensor<2>; N]) -> Tensor<1>,
    ) {
        let run = |loss: &dyn Fn([Tensor<2>; N]) -> Tensor<1>| {
            let inputs = inputs.clone().map(|x| x.detach().require_grad());
            let value = loss(inputs.clone()).mul_scalar(3.0);
            let gradients = value.backward();
            let zeros = |x: &Tensor<2>| x.clone().inner().zeros_like();
            (scalar(value), inputs.map(|x| x.grad(&gradients).unwrap_or_else(|| zeros(&x))))
        };
        let (ours, oracle) = (run(&kernel), run(&plain));
        assert!((ours.0 - oracle.0).abs() <= 2e-5 * oracle.0.abs().max(1.0), "{} {}", ours.0, oracle.0);
        for (ours, oracle) in ours.1.into_iter().zip(oracle.1) {
            let largest: f32 = oracle.clone().abs().max().into_scalar();
            let worst: f32 = (ours - oracle).abs().max().into_scalar();
            assert!(worst <= 2e-5 * largest + 1e-6, "{worst} where the largest is {largest}");
        }
    }

    /// Compares the gradient of `loss` at `x` with central differences, entry by entry.
    pub(crate) fn gradient(x: Tensor<2>, loss: impl Fn(Tensor<2>) -> Tensor<1>) {
        let x = x.detach().require_grad();
        let analytic = x.grad(&loss(x.clone()).backward()).expect("x has a gradient");
        let analytic: Vec<f32> = analytic.into_data().try_into_vec().expect("f32");
        let [rows, columns] = x.dims();
        let start: Vec<f32> = x.clone().inner().into_data().try_into_vec().expect("f32");
        let at = |values: Vec<f32>| {
            scalar(loss(Tensor::from_data(TensorData::new(values, [rows, columns]), &device())))
        };
        let step = 1e-2;
        let largest = analytic.iter().fold(0f32, |a, g| a.max(g.abs()));
        assert!(largest > 0.0, "a gradient that is zero everywhere checks nothing");
        for i in 0..start.len() {
            let (mut up, mut down) = (start.clone(), start.clone());
            up[i] += step;
            down[i] -= step;
            let numeric = (at(up) - at(down)) / (2.0 * step);
            let error = (numeric - analytic[i]).abs();
            assert!(error < 2e-2 * largest + 2e-4, "entry {i}: numeric {numeric}, analytic {}", analytic[i]);
        }
    }
}
