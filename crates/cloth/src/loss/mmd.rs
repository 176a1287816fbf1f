//! Maximum mean discrepancy with several Gaussian kernels: the loss of DAN.

use burn::tensor::{Tensor, TensorData};

use super::squared_distances;

/// Squared multi-kernel maximum mean discrepancy, Long et al., *Learning Transferable Features with Deep Adaptation
/// Networks*, ICML 2015.
///
/// ```text
/// mmd = mean_{s,s'} k(z_s, z_s') + mean_{t,t'} k(z_t, z_t') − 2 mean_{s,t} k(z_s, z_t)
/// k(z, z') = Σ_{i=1..n} exp(− ‖z − z'‖² / (σ · 2^{i − 1 − ⌊n/2⌋})),   σ = mean ‖z − z'‖² over all pairs of the batch
/// ```
///
/// # Shapes
/// - `z_s`: `[b_s, p]`, `z_t`: `[b_t, p]`
/// - `kernels`: n
/// - returns `[1]`, at least 0 up to rounding
///
/// # Deviations
/// The paper learns the kernels' weights; here, as in the authors' published code, all are 1, and σ is the mean of the
/// batch, without a gradient. The paper estimates the means from one pair for each row, for speed; here, as in a later
/// version of that code, all pairs of the batch are used. Unlike there, pairs of a row with itself are included, which
/// keeps the loss at least 0.
pub fn mmd(z_s: Tensor<2>, z_t: Tensor<2>, kernels: usize) -> Tensor<1> {
    let ([b_s, _], [b_t, _]) = (z_s.dims(), z_t.dims());
    let n = b_s + b_t;
    let device = z_s.device();
    let z = Tensor::cat(vec![z_s, z_t], 0);
    let distances = squared_distances(z.clone(), z);
    let pairs = (n * n - n).max(1) as f32;
    let sigma = distances.clone().detach().sum().div_scalar(pairs).add_scalar(f32::MIN_POSITIVE);
    let scaled = distances / sigma.reshape([1, 1]);

    let narrowest = -((kernels / 2) as i32);
    let kernel = (0..kernels as i32)
        .map(|i| scaled.clone().mul_scalar(-(2f32.powi(-(narrowest + i)))).exp())
        .reduce(|a, b| a + b)
        .unwrap_or_else(|| scaled.zeros_like());
    // All three means at once: the weight of a pair is the product of its rows' signed weights, 1/b_s and −1/b_t.
    let mut weights = vec![1.0 / b_s as f32; b_s];
    weights.extend(vec![-1.0 / b_t as f32; b_t]);
    let weights = Tensor::<2>::from_data(TensorData::new(weights, [n, 1]), &device);
    (kernel.matmul(weights.clone()) * weights).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gradient, noise, scalar, tensor};

    #[test]
    fn one_row_each_by_hand() {
        // σ = (9 + 9) / 2 = 9, so ‖z_s − z_t‖² / σ = 1. Three kernels of widths ½, 1, 2: 2 (3 − e⁻² − e⁻¹ − e^−½).
        let loss = scalar(mmd(tensor([[0.0]]), tensor([[3.0]]), 3));
        let by_hand = 2.0 * (3.0 - (-2f32).exp() - (-1f32).exp() - (-0.5f32).exp());
        assert!((loss - by_hand).abs() < 1e-5, "{loss} {by_hand}");
    }

    #[test]
    fn equal_sides_give_zero_and_others_more() {
        let z = noise(8, 5, 30);
        assert!(scalar(mmd(z.clone(), z.clone(), 5)).abs() < 1e-5);
        assert!(scalar(mmd(z.clone(), z + 1.0, 5)) > 0.1);
    }

    #[test]
    fn scale_does_not_matter() {
        let (z_s, z_t) = (noise(6, 4, 31), noise(7, 4, 32) + 0.5);
        let small = scalar(mmd(z_s.clone(), z_t.clone(), 5));
        let large = scalar(mmd(z_s * 100.0, z_t * 100.0, 5));
        assert!((small - large).abs() < 1e-4);
    }

    #[test]
    fn rows_that_are_all_zero_give_zero() {
        assert_eq!(scalar(mmd(tensor([[0.0; 3]; 4]), tensor([[0.0; 3]; 4]), 5)), 0.0);
    }

    #[test]
    fn gradient_agrees_with_finite_differences_where_the_width_is_given() {
        // σ has no gradient, so finite differences fit only where it is held.
        let (z_s, z_t) = (noise(4, 3, 33), noise(4, 3, 34) + 0.5);
        let held = |z: Tensor<2>| {
            let all = Tensor::cat(vec![z_s.clone(), z_t.clone()], 0);
            let sigma = squared_distances(all.clone(), all).sum().div_scalar(56.0);
            let k = |a: &Tensor<2>, b: &Tensor<2>| {
                (squared_distances(a.clone(), b.clone()) / sigma.clone().reshape([1, 1])).neg().exp().mean()
            };
            k(&z, &z) + k(&z_t, &z_t) - k(&z, &z_t).mul_scalar(2.0)
        };
        gradient(z_s.clone(), held);
        let of = |loss: &dyn Fn(Tensor<2>) -> Tensor<1>| {
            let z = z_s.clone().detach().require_grad();
            let values = z.grad(&loss(z.clone()).backward()).unwrap().into_data();
            values.try_into_vec::<f32>().unwrap()
        };
        let (ours, theirs) = (of(&|z| mmd(z, z_t.clone(), 1)), of(&held));
        assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-5), "{ours:?} {theirs:?}");
    }
}
