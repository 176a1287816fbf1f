//! Dropout whose masks are a function of the seed and the iteration.

use burn::tensor::{Tensor, TensorData};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rng::{Purpose, stream};

/// Draws the dropout masks of one forward pass; [`Dropout::off`] leaves every value as it is.
pub struct Dropout(Option<ChaCha8Rng>);

impl Dropout {
    /// Masks for one training pass.
    pub fn on(seed: u64, purpose: Purpose, iteration: usize) -> Self {
        Self(Some(stream(seed, purpose, iteration as u64)))
    }

    /// No masks: evaluation.
    pub fn off() -> Self {
        Self(None)
    }

    /// Zeroes each value with probability `rate` and scales the rest by `1 / (1 − rate)`.
    pub fn apply(&mut self, x: Tensor<2>, rate: f64) -> Tensor<2> {
        let Some(rng) = self.0.as_mut().filter(|_| rate > 0.0) else { return x };
        let [rows, columns] = x.dims();
        // Each value needs 16 random bits: precise enough for any rate, and four values per draw.
        let threshold = (rate * 65536.0) as u16;
        let kept = (1.0 / (1.0 - rate)) as f32;
        let mut mask = vec![0f32; rows * columns];
        for values in mask.chunks_mut(4) {
            let bits = rng.next_u64();
            for (i, value) in values.iter_mut().enumerate() {
                // Without a branch, because a random one cannot be predicted.
                *value = if (bits >> (16 * i)) as u16 >= threshold { kept } else { 0.0 };
            }
        }
        let mask = Tensor::from_data(TensorData::new(mask, [rows, columns]), &x.device());
        x * mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ones() -> Tensor<2> {
        Tensor::ones([200, 50], &crate::device::cpu())
    }

    #[test]
    fn drops_the_share_asked_for_and_keeps_the_mean() {
        let x = Dropout::on(1, Purpose::DROPOUT_OF_G, 1).apply(ones(), 0.3);
        let values: Vec<f32> = x.into_data().try_into_vec().unwrap();
        let dropped = values.iter().filter(|&&v| v == 0.0).count() as f32 / values.len() as f32;
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        assert!((dropped - 0.3).abs() < 0.02, "{dropped}");
        assert!((mean - 1.0).abs() < 0.03, "{mean}");
    }

    #[test]
    fn repeats_for_the_same_iteration_only() {
        let mask =
            |iteration| Dropout::on(1, Purpose::DROPOUT_OF_G, iteration).apply(ones(), 0.5).into_data();
        assert_eq!(mask(3), mask(3));
        assert_ne!(mask(3), mask(4));
    }

    #[test]
    fn off_changes_nothing() {
        assert_eq!(Dropout::off().apply(ones(), 0.5).into_data(), ones().into_data());
    }
}
