//! The losses of CLOTH and of the methods it is compared with, one file each, as functions of tensors. They do not
//! depend on networks or files.
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
pub use hmm::{MomentOptions, MomentScale, TargetWeights, l_hmm};
pub use homm::{centred, homm, homm_of_all};
pub use joint::{JointOptions, joint_cost};
pub use mmd::mmd;
pub use plan::l_str;
pub(crate) use transport::cost;
pub use transport::{Reduction, TransportOptions, l_t, plan_cost};

use burn::tensor::{Device, Int, Tensor, TensorData};

/// Class indices as a column, for `gather`: `[b, 1]`.
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
    // Rounding may leave slightly negative values. Not `clamp`, which would also turn NaN into zero.
    let below = distances.clone().lower_elem(0.0);
    distances.mask_fill(below, 0.0)
}
