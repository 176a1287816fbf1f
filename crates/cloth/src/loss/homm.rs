//! HoMM: moment matching without classes, by sampling.

use burn::tensor::{Int, Tensor, TensorData};
use rand::{Rng, RngExt};

/// Higher-order moment matching by sampling (Chen et al., AAAI 2020), the paper's baseline for [`l_hmm`](super::l_hmm).
///
/// ```text
/// homm = 1/n Σ_k ( mean_s Π_j z_{i_kj} − mean_t Π_j z_{i_kj} )²,   i_k ∈ {1..p}^q drawn at random, k = 1..n
/// ```
///
/// # Shapes
/// - `z_s`: `[b_s, p]`, `z_t`: `[b_t, p]`
/// - returns `[1]`
///
/// # Deviations
/// The authors' code can never draw the last neuron; here each of the p can be drawn.
pub fn homm(z_s: Tensor<2>, z_t: Tensor<2>, q: u32, n: usize, rng: &mut impl Rng) -> Tensor<1> {
    let [_, width] = z_s.dims();
    let device = z_s.device();
    let mut difference: Option<(Tensor<2>, Tensor<2>)> = None;
    for _ in 0..q {
        let drawn: Vec<i32> = (0..n).map(|_| rng.random_range(0..width as i32)).collect();
        let index = Tensor::<1, Int>::from_data(TensorData::new(drawn, [n]), &device);
        let (s, t) = (z_s.clone().select(1, index.clone()), z_t.clone().select(1, index));
        difference = Some(match difference {
            None => (s, t),
            Some((products_s, products_t)) => (products_s * s, products_t * t),
        });
    }
    match difference {
        None => Tensor::zeros([1], &device),
        Some((s, t)) => (s.mean_dim(0) - t.mean_dim(0)).square().mean(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{gradient, noise, scalar, tensor};
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn one_neuron_by_hand() {
        // q = 3 of a single neuron: (2³ − mean(1, 27))² = 36, whatever is drawn.
        let loss = homm(tensor([[2.0]]), tensor([[1.0], [3.0]]), 3, 10, &mut stream(0, Purpose::Moments, 0));
        assert!((scalar(loss) - 36.0).abs() < 1e-4);
    }

    #[test]
    fn equal_sides_give_zero() {
        let z = noise(6, 5, 25);
        assert_eq!(scalar(homm(z.clone(), z, 3, 100, &mut stream(0, Purpose::Moments, 0))), 0.0);
    }

    #[test]
    fn the_last_neuron_is_drawn() {
        // Only the last neuron differs, so any draw that misses it gives zero.
        let (z_s, z_t) = (tensor([[1.0, 1.0, 2.0]]), tensor([[1.0, 1.0, 0.0]]));
        assert!(scalar(homm(z_s, z_t, 1, 200, &mut stream(0, Purpose::Moments, 0))) > 0.0);
    }

    #[test]
    fn a_large_sample_of_pairs_approaches_the_full_tensor() {
        // Mean over all p² entries of (E_s zz' − E_t zz')², which the Gram form gives as l_hmm·s^q with one class.
        use super::super::{MomentScale, TargetWeights, l_hmm};
        let (z_s, z_t) = (noise(5, 4, 26), noise(6, 4, 27));
        let zeros = Tensor::zeros([6, 1], &z_s.device());
        let exact = scalar(l_hmm(
            z_s.clone(),
            z_t.clone(),
            zeros,
            &[0; 5],
            2,
            TargetWeights::Normalised,
            MomentScale::One,
        )) / 16.0;
        let sampled = scalar(homm(z_s, z_t, 2, 40_000, &mut stream(0, Purpose::Moments, 0)));
        assert!((sampled - exact).abs() < 0.05 * exact, "{sampled} {exact}");
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        let z_t = noise(4, 3, 28);
        gradient(noise(4, 3, 29), |z| homm(z, z_t.clone(), 3, 50, &mut stream(0, Purpose::Moments, 0)));
    }
}
