//! Class-aware higher-order moment matching.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::log_sum_exp;
use crate::kernel::{self, Softmax};

/// The weight w_mj of target row j in class m.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetWeights {
    /// τ_mj / b_t, the paper's. The loss is not zero at perfect alignment, because the target side then has the total
    /// weight π_m ≈ 1/M.
    Paper,
    /// τ_mj / Σ_j τ_mj: each class of the target has the total weight 1, as on the source side.
    Normalised,
}

/// The factor s in the kernel (s⟨z, z'⟩)^q.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MomentScale {
    /// s = 1, the paper's.
    One,
    /// s = 1/p, which keeps powers finite for any width p.
    InverseWidth,
    /// s = 1 / mean ‖z‖² over the batch: the loss does not change if all latent values are multiplied by one factor.
    ///
    /// With the other two it falls with the size of z. Where nothing else holds that size, as with normalised logits, G
    /// shrinks z until little is left of the loss, whatever its weight.
    MeanSquare,
}

impl MomentScale {
    fn of(self, width: usize) -> f32 {
        match self {
            Self::One => 1.0,
            Self::InverseWidth => 1.0 / width as f32,
            // The rows are divided beforehand.
            Self::MeanSquare => 1.0,
        }
    }
}

/// Options of [`l_hmm`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MomentOptions {
    /// The order of the moments.
    pub q: u32,
    /// How target rows are weighted.
    pub weights: TargetWeights,
    /// How inner products are scaled.
    pub scale: MomentScale,
}

impl Default for MomentOptions {
    /// CLOTH's default, not the paper's.
    fn default() -> Self {
        Self { q: 3, weights: TargetWeights::Normalised, scale: MomentScale::InverseWidth }
    }
}

impl MomentOptions {
    /// Replaces the order.
    pub fn with_q(self, q: u32) -> Self {
        Self { q, ..self }
    }

    /// Replaces the weights of target rows.
    pub fn with_weights(self, weights: TargetWeights) -> Self {
        Self { weights, ..self }
    }

    /// Replaces the scale.
    pub fn with_scale(self, scale: MomentScale) -> Self {
        Self { scale, ..self }
    }
}

/// Class-aware higher-order moment matching, `L^HMM`, Eq. (20), by Gram matrices as in Eq. (21).
///
/// ```text
/// l_hmm = 1/M Σ_m ‖ E_{S_m} φ_q(z) − Σ_j w_mj φ_q(z_j) ‖²,   ⟨φ_q(z), φ_q(z')⟩ = (s⟨z, z'⟩)^q
/// ```
///
/// over the classes m that are in the source batch; S_m are its rows of class m, j its target rows.
///
/// # Shapes
/// - `z_s`: `[b_s, p]`, `z_t`: `[b_t, p]`, `t_t`: `[b_t, M]`, `labels`: `b_s` class indices
/// - returns `[1]`, at least 0, and 0 up to rounding if both sides have the same rows and weights
///
/// # Deviations
/// [`TargetWeights::Normalised`] and [`MomentScale::InverseWidth`] are not in the paper; see there for the reasons.
/// Classes that are not in the source batch are left out: for these, the target would be compared with no rows.
pub fn l_hmm(
    z_s: Tensor<2>,
    z_t: Tensor<2>,
    t_t: Tensor<2>,
    labels: &[u32],
    options: MomentOptions,
) -> Tensor<1> {
    l_hmm_of_both(Tensor::cat(vec![z_s, z_t], 0), t_t, labels, options)
}

/// [`l_hmm`] of source and target rows in one tensor, as they come from G.
pub(crate) fn l_hmm_of_both(
    z: Tensor<2>,
    t_t: Tensor<2>,
    labels: &[u32],
    options: MomentOptions,
) -> Tensor<1> {
    let [rows, width] = z.dims();
    let z = match options.scale {
        MomentScale::MeanSquare => {
            let mean_square = z.clone().square().sum().div_scalar(rows as f32).add_scalar(1e-12);
            z / mean_square.sqrt().unsqueeze()
        }
        MomentScale::One | MomentScale::InverseWidth => z,
    };
    if !kernel::reach(&z) {
        let (z_s, z_t) =
            (z.clone().narrow(0, 0, labels.len()), z.narrow(0, labels.len(), rows - labels.len()));
        return plain(z_s, z_t, t_t, labels, options);
    }
    let MomentOptions { q, weights, scale } = options;
    let [_, n_classes] = t_t.dims();
    let (s, labels, normalised) = (scale.of(width), labels.to_vec(), weights == TargetWeights::Normalised);
    kernel::scalar([z, t_t], move |[z, t_t]| {
        let Softmax { log, p, .. } = Softmax::of(t_t, n_classes);
        let (value, by_z, mut by_t_t) = kernel::moments(z, &log, &labels, n_classes, (q, s), normalised);
        // From log τ to logits: the part that all classes of a row have in common cancels.
        for (g, p) in by_t_t.chunks_exact_mut(n_classes).zip(p.chunks_exact(n_classes)) {
            let common: f32 = g.iter().sum();
            g.iter_mut().zip(p).for_each(|(g, p)| *g -= p * common);
        }
        (value, [by_z, by_t_t])
    })
}

fn plain(
    z_s: Tensor<2>,
    z_t: Tensor<2>,
    t_t: Tensor<2>,
    labels: &[u32],
    options: MomentOptions,
) -> Tensor<1> {
    let MomentOptions { q, weights, scale } = options;
    let [_, width] = z_s.dims();
    let [b_t, n_classes] = t_t.dims();
    let (w_s, present) = source_weights(labels, n_classes);
    let [w_s, present] =
        [(w_s, labels.len()), (present, 1)].map(|(values, rows)| TensorData::new(values, [rows, n_classes]));
    let device = z_s.device();
    let w_s = Tensor::<2>::from_data(w_s, &device);
    let present = Tensor::<2>::from_data(present, &device);

    let log_tau = log_softmax(t_t, 1);
    let w_t = match weights {
        TargetWeights::Paper => log_tau.exp().div_scalar(b_t as f32),
        // In the log domain even a class without mass has weights that add up to one.
        TargetWeights::Normalised => (log_tau.clone() - log_sum_exp(log_tau, 0)).exp(),
    } * present;

    let s = scale.of(width);
    let kernel =
        |a: &Tensor<2>, b: &Tensor<2>| power(a.clone().matmul(b.clone().transpose()).mul_scalar(s), q);
    let k_st = kernel(&z_s, &z_t);
    // Corresponding terms are combined before the sum, so that equal sides cancel exactly.
    let on_source = kernel(&z_s, &z_s).matmul(w_s.clone()) - k_st.clone().matmul(w_t.clone());
    let on_target = kernel(&z_t, &z_t).matmul(w_t.clone()) - k_st.transpose().matmul(w_s.clone());
    let total = (w_s * on_source).sum() + (w_t * on_target).sum();
    let loss = total.div_scalar(n_classes as f32);
    // Rounding may leave a slightly negative value. Not `clamp`, which would also turn NaN into zero.
    let below = loss.clone().lower_elem(0.0);
    loss.mask_fill(below, 0.0)
}

/// Weights of the source rows: 1 / class size in the row's own class, else 0. And 1 for each class in the batch, else
/// 0.
fn source_weights(labels: &[u32], n_classes: usize) -> (Vec<f32>, Vec<f32>) {
    let mut counts = vec![0f32; n_classes];
    for &y in labels {
        counts[y as usize] += 1.0;
    }
    let mut weights = vec![0f32; labels.len() * n_classes];
    for (row, &y) in weights.chunks_exact_mut(n_classes).zip(labels) {
        row[y as usize] = 1.0 / counts[y as usize];
    }
    let present: Vec<f32> = counts.iter().map(|&n| if n > 0.0 { 1.0 } else { 0.0 }).collect();
    (weights, present)
}

/// x^q by repeated squaring: exact signs for negative x, and no call to `powf`.
fn power(x: Tensor<2>, q: u32) -> Tensor<2> {
    match q {
        0 => x.ones_like(),
        1 => x,
        _ if q.is_multiple_of(2) => {
            let half = power(x, q / 2);
            half.clone() * half
        }
        _ => x.clone() * power(x, q - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{agree, device, gradient, noise, scalar, tensor};

    fn unscaled(q: u32) -> MomentOptions {
        MomentOptions { q, weights: TargetWeights::Normalised, scale: MomentScale::One }
    }

    fn paper(q: u32) -> MomentOptions {
        unscaled(q).with_weights(TargetWeights::Paper)
    }

    fn one_hot(labels: &[u32], n_classes: usize) -> Tensor<2> {
        let mut logits = vec![0f32; labels.len() * n_classes];
        for (row, &y) in logits.chunks_exact_mut(n_classes).zip(labels) {
            row[y as usize] = 200.0;
        }
        Tensor::from_data(TensorData::new(logits, [labels.len(), n_classes]), &device())
    }

    #[test]
    fn two_points_of_one_class_by_hand() {
        // φ_2(1, 2) = (1, 2, 2, 4), φ_2(0, 1) = (0, 0, 0, 1): squared distance 1 + 4 + 4 + 9.
        let loss = l_hmm(tensor([[1.0, 2.0]]), tensor([[0.0, 1.0]]), tensor([[0.0]]), &[0], unscaled(2));
        assert!((scalar(loss) - 18.0).abs() < 1e-5);
    }

    #[test]
    fn with_the_mean_square_as_scale_the_size_of_the_latent_values_does_not_matter() {
        let options = unscaled(1).with_scale(MomentScale::MeanSquare);
        // 1 and 3 of one class: the mean square is 5, and (1 − 3)² / 5 = 0.8.
        let by_hand = |k: f32| {
            let one = Tensor::<2>::zeros([1, 1], &device());
            l_hmm(tensor([[k]]), tensor([[3.0 * k]]), one, &[0], options)
        };
        assert!([1.0, 100.0].map(|k| scalar(by_hand(k))).iter().all(|l| (l - 0.8).abs() < 1e-5));
        let labels = [0, 1, 2, 0];
        let t_t = noise(3, 3, 2);
        let loss = |z: Tensor<2>| {
            let (z_s, z_t) = (z.clone().narrow(0, 0, 4), z.narrow(0, 4, 3));
            l_hmm(z_s, z_t, t_t.clone(), &labels, options.with_q(3))
        };
        let z = noise(7, 4, 1);
        let (small, large) = (scalar(loss(z.clone())), scalar(loss(z.clone() * 10.0)));
        assert!((small - large).abs() < 1e-4 * small, "{small} {large}");
        gradient(z, loss);
    }

    #[test]
    fn equal_sides_give_zero_for_every_order() {
        let z = noise(8, 5, 19) * 3.0;
        let labels = [0, 1, 2, 0, 1, 2, 0, 0];
        for q in 1..=7 {
            let options = MomentOptions::default().with_q(q);
            let loss = l_hmm(z.clone(), z.clone(), one_hot(&labels, 3), &labels, options);
            // What cancels is as large as the longest row's |z|² / p, to the power of q.
            let largest: f32 = z.clone().square().mean_dim(1).max().into_scalar();
            assert!(scalar(loss) < 1e-6 * largest.max(1.0).powi(q as i32), "q = {q}");
        }
    }

    #[test]
    fn never_negative_near_alignment() {
        let labels = [0, 1, 0, 1, 1, 0];
        for seed in 0..20 {
            let z = noise(6, 4, seed);
            let close = z.clone() + noise(6, 4, seed + 50) * 1e-4;
            let options = MomentOptions::default();
            let loss = scalar(l_hmm(z, close, one_hot(&labels, 2), &labels, options));
            assert!((0.0..1e-4).contains(&loss), "{loss}");
        }
    }

    #[test]
    fn what_overflows_is_not_passed_off_as_zero() {
        let (z_s, z_t) = (noise(3, 4, 20) * 1e20, noise(3, 4, 21) * 1e20);
        let loss = l_hmm(z_s, z_t, one_hot(&[1, 0, 1], 2), &[0, 1, 0], paper(3));
        assert!(!scalar(loss).is_finite());
    }

    #[test]
    fn a_missing_class_costs_nothing() {
        // Target rows are as much of class 1, which the source lacks, as of class 0: half of what class 0 alone costs.
        let of_classes = |n: usize| {
            let (z_s, z_t) = (noise(3, 4, 20), noise(3, 4, 21));
            let even = Tensor::zeros([3, n], &z_t.device());
            scalar(l_hmm(z_s, z_t, even, &[0, 0, 0], unscaled(3)))
        };
        let (one, two) = (of_classes(1), of_classes(2));
        assert!(one > 0.1 && (two - one / 2.0).abs() < 1e-5 * one, "{one} {two}");
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let (z_s, z_t, t_t) = (noise(4, 3, 22), noise(5, 3, 23), noise(5, 2, 24));
        let labels = [0, 1, 1, 0];
        let loss = |a, b, c| l_hmm(a, b, c, &labels, unscaled(3));
        gradient(z_s.clone(), |x| loss(x, z_t.clone(), t_t.clone()));
        gradient(z_t.clone(), |x| loss(z_s.clone(), x, t_t.clone()));
        gradient(t_t, |x| loss(z_s.clone(), z_t.clone(), x));
    }

    #[test]
    fn the_kernel_is_the_plain_expression() {
        // More rows than the kernel makes at once, on both sides; class 3 is not in the source batch.
        let labels: Vec<u32> = (0..70).map(|i| [0, 1, 2, 4][i % 4]).collect();
        for q in 1..=5 {
            for options in [MomentOptions::default().with_q(q), paper(q)] {
                agree(
                    [noise(70, 6, 33), noise(130, 6, 34), noise(130, 5, 35) * 3.0],
                    |[a, b, t]| l_hmm(a, b, t, &labels, options),
                    |[a, b, t]| plain(a, b, t, &labels, options),
                );
            }
        }
    }
}
