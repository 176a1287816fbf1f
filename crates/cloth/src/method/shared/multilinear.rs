//! The multilinear map of latents and class probabilities (Long et al., 2018).

use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Largest width of the outer product; a wider one is replaced by random maps.
const LARGEST_PRODUCT: usize = 4096;

/// The multilinear map of latents and class probabilities: the input of a conditional discriminator.
pub enum Multilinear {
    /// z ⊗ p, of this width.
    Outer(usize),
    /// (R_z z) ⊙ (R_p p) / √d, with R_z and R_p.
    Random(Box<[Tensor<2>; 2]>),
}

impl Multilinear {
    /// For latents and classes of these widths. `random` is the width of the random maps, which replace an outer
    /// product of more than 4096 entries.
    pub fn new([width, n_classes]: [usize; 2], random: usize, rng: &mut ChaCha8Rng, device: &Device) -> Self {
        if width * n_classes <= LARGEST_PRODUCT {
            return Self::Outer(width * n_classes);
        }
        Self::Random(Box::new([width, n_classes].map(|inputs| {
            // Variance 1, so that inner products of two rows have the same expectation as with the outer product.
            let bound = 3f32.sqrt();
            let values: Vec<f32> = (0..inputs * random).map(|_| rng.random_range(-bound..bound)).collect();
            Tensor::from_data(TensorData::new(values, [inputs, random]), device)
        })))
    }

    /// Width of D's input.
    pub fn width(&self) -> usize {
        match self {
            Self::Outer(width) => *width,
            Self::Random(maps) => maps[0].dims()[1],
        }
    }

    /// The input of D.
    ///
    /// # Shapes
    /// - `z`: `[b, p]`, `p`: `[b, M]`
    /// - returns `[b, width]`
    pub fn of(&self, z: Tensor<2>, p: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Outer(width) => {
                let [rows, _] = z.dims();
                (z.unsqueeze_dim::<3>(2) * p.unsqueeze_dim::<3>(1)).reshape([rows, *width])
            }
            Self::Random(maps) => {
                let [r_z, r_p] = *maps.clone();
                (z.matmul(r_z) * p.matmul(r_p)).div_scalar((self.width() as f32).sqrt())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};
    use crate::testing::{noise, tensor};
    use burn::tensor::activation::softmax;

    fn map(width: usize, n_classes: usize, random: usize) -> Multilinear {
        let mut rng = stream(0, Purpose::WEIGHTS, 2);
        Multilinear::new([width, n_classes], random, &mut rng, &crate::device::training())
    }

    fn values(x: Tensor<2>) -> Vec<f32> {
        x.into_data().try_into_vec().unwrap()
    }

    #[test]
    fn small_products_are_exact() {
        let seen_by_d = map(2, 3, 5);
        let seen = seen_by_d.of(tensor([[2.0, -1.0]]), tensor([[0.5, 0.25, 0.25]]));
        assert_eq!(values(seen), [1.0, 0.5, 0.5, -0.5, -0.25, -0.25]);
    }

    #[test]
    fn large_products_keep_the_angles_between_rows() {
        // ⟨z ⊗ p, z' ⊗ p'⟩ = ⟨z, z'⟩ ⟨p, p'⟩, here by 4000 random numbers in place of 64 · 70.
        let seen_by_d = map(64, 70, 4000);
        assert_eq!(seen_by_d.width(), 4000);
        let (z, p) = (noise(2, 64, 1), softmax(noise(2, 70, 2) * 4.0, 1));
        let seen = seen_by_d.of(z.clone(), p.clone());
        let inner = |x: Tensor<2>| values(x.clone().matmul(x.transpose()));
        let (sketched, of_z, of_p) = (inner(seen), inner(z), inner(p));
        for i in 0..4 {
            let exact = of_z[i] * of_p[i];
            assert!((sketched[i] - exact).abs() < 0.2 * of_z[0] * of_p[0], "{} {exact}", sketched[i]);
        }
    }
}
