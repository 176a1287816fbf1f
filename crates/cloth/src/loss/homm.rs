//! HoMM: moment matching without classes, of entries drawn at random or of all of them.

use burn::tensor::{Int, Tensor, TensorData};
use rand::{Rng, RngExt};

use super::{MomentOptions, MomentScale, TargetWeights, l_hmm};

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
/// The authors' code never draws the last neuron; here each of the p can be drawn. Their code also subtracts the mean
/// first, which the paper's equation does not: `method.cloth.moments = "homm"` follows the code, by [`centred`].
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

/// Subtracts the mean of each column.
///
/// # Shapes
/// - `z`: `[b, p]`
/// - returns `[b, p]`
pub fn centred(z: Tensor<2>) -> Tensor<2> {
    z.clone() - z.mean_dim(0)
}

/// Higher-order moment matching of the whole tensor (Chen et al., AAAI 2020), of values less their mean.
///
/// ```text
/// homm = 1/p^q ‖ mean_s x_s^{⊗q} − mean_t x_t^{⊗q} ‖²,   x = z − mean z
/// ```
///
/// All p^q entries are matched, but none is computed: this is [`l_hmm`] with one class and the scale s = 1/p. The
/// authors' code computes all of them for q = 3, and samples them for higher orders. As in that code, the mean is
/// subtracted; the paper's equation does not subtract it.
///
/// # Shapes
/// - `z_s`: `[b_s, p]`, `z_t`: `[b_t, p]`
/// - returns `[1]`
pub fn homm_of_all(z_s: Tensor<2>, z_t: Tensor<2>, q: u32) -> Tensor<1> {
    let ([b_s, _], [b_t, _]) = (z_s.dims(), z_t.dims());
    let one_class = Tensor::zeros([b_t, 1], &z_t.device());
    let options = MomentOptions { q, weights: TargetWeights::Normalised, scale: MomentScale::InverseWidth };
    l_hmm(centred(z_s), centred(z_t), one_class, &vec![0; b_s], options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};
    use crate::testing::{gradient, noise, scalar, tensor};

    #[test]
    fn one_neuron_by_hand() {
        // q = 3 of a single neuron: (2³ − mean(1, 27))² = 36, whatever is drawn.
        let loss = homm(tensor([[2.0]]), tensor([[1.0], [3.0]]), 3, 10, &mut stream(0, Purpose::MOMENTS, 0));
        assert!((scalar(loss) - 36.0).abs() < 1e-4);
    }

    #[test]
    fn equal_sides_give_zero() {
        let z = noise(6, 5, 25);
        assert_eq!(scalar(homm(z.clone(), z, 3, 100, &mut stream(0, Purpose::MOMENTS, 0))), 0.0);
    }

    #[test]
    fn the_last_neuron_is_drawn() {
        // Only the last neuron differs, so any draw that misses it gives zero.
        let (z_s, z_t) = (tensor([[1.0, 1.0, 2.0]]), tensor([[1.0, 1.0, 0.0]]));
        assert!(scalar(homm(z_s, z_t, 1, 200, &mut stream(0, Purpose::MOMENTS, 0))) > 0.0);
    }

    #[test]
    fn a_large_sample_of_pairs_approaches_the_full_tensor() {
        // Mean over all p² entries of (E_s zz' − E_t zz')², which the Gram form gives as l_hmm·s^q with one class.
        let (z_s, z_t) = (noise(5, 4, 26), noise(6, 4, 27));
        let zeros = Tensor::zeros([6, 1], &z_s.device());
        let options = MomentOptions::default().with_q(2).with_scale(MomentScale::One);
        let exact = scalar(l_hmm(z_s.clone(), z_t.clone(), zeros, &[0; 5], options)) / 16.0;
        let sampled = scalar(homm(z_s, z_t, 2, 40_000, &mut stream(0, Purpose::MOMENTS, 0)));
        assert!((sampled - exact).abs() < 0.05 * exact, "{sampled} {exact}");
    }

    #[test]
    fn all_entries_by_hand() {
        // Less their means: (−1, 1), (1, −1) and (−1, −1), (1, 1). Second moments differ off the diagonal only, by −2
        // twice of four entries; third moments are zero on both sides.
        let (z_s, z_t) = (tensor([[4.0, 1.0], [6.0, -1.0]]), tensor([[0.0, 0.0], [2.0, 2.0]]));
        assert!((scalar(homm_of_all(z_s.clone(), z_t.clone(), 2)) - 2.0).abs() < 1e-6);
        assert!(scalar(homm_of_all(z_s, z_t, 3)).abs() < 1e-6);
    }

    #[test]
    fn all_entries_are_those_of_the_tensor() {
        let (z_s, z_t, p) = (noise(5, 3, 30), noise(6, 3, 31) * 2.0, 3);
        let moments = |z: &Tensor<2>| -> Vec<f32> {
            let [rows, _] = z.dims();
            let z: Vec<f32> = (z.clone() - z.clone().mean_dim(0)).into_data().try_into_vec().unwrap();
            let entry = |k: usize, row: &[f32]| row[k / (p * p)] * row[k / p % p] * row[k % p];
            (0..p * p * p).map(|k| z.chunks(p).map(|row| entry(k, row)).sum::<f32>() / rows as f32).collect()
        };
        let squares = moments(&z_s).into_iter().zip(moments(&z_t)).map(|(a, b)| (a - b) * (a - b));
        let whole = squares.sum::<f32>() / 27.0;
        let loss = scalar(homm_of_all(z_s, z_t, 3));
        assert!((loss - whole).abs() < 1e-4 * whole, "{loss} {whole}");
    }

    #[test]
    fn a_shift_of_either_side_is_not_seen_by_all_entries() {
        let (z_s, z_t) = (noise(5, 4, 32), noise(6, 4, 33));
        let loss = scalar(homm_of_all(z_s.clone(), z_t.clone(), 3));
        assert!((scalar(homm_of_all(z_s + 2.0, z_t - 1.0, 3)) - loss).abs() < 1e-3 * loss);
    }

    #[test]
    fn gradient_of_all_entries_agrees_with_finite_differences() {
        let z_t = noise(5, 3, 34);
        gradient(noise(4, 3, 35) * 2.0, |z| homm_of_all(z, z_t.clone(), 3));
        gradient(noise(4, 3, 35) * 2.0, |z| homm_of_all(z_t.clone(), z, 3));
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        let z_t = noise(4, 3, 28);
        gradient(noise(4, 3, 29), |z| homm(z, z_t.clone(), 3, 50, &mut stream(0, Purpose::MOMENTS, 0)));
    }
}
