//! How a forward pass runs: in training or in evaluation, and which rows are the source's.

use burn::tensor::{Tensor, TensorData};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rng::{Purpose, stream};

/// One of the two domains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Where labels are known.
    Source,
    /// Where predictions are wanted.
    Target,
}

/// The mode of one forward pass.
///
/// In training, dropout masks are a function of the seed and the iteration, and normalisation layers use the statistics
/// of the batch, domain by domain. In evaluation nothing is dropped, and they use the running statistics of one domain,
/// so that the output for a row does not depend on the other rows.
#[derive(Debug, Clone)]
pub struct Mode(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Training { masks: Box<ChaCha8Rng>, b_s: usize, weights: Option<Vec<f32>> },
    Evaluation(Domain),
}

impl Mode {
    /// A training pass. The first `b_s` rows are source rows, the others target rows.
    pub fn training(seed: u64, purpose: Purpose, iteration: usize, b_s: usize) -> Self {
        Self(Kind::Training { masks: Box::new(stream(seed, purpose, iteration as u64)), b_s, weights: None })
    }

    /// Evaluation of rows of this domain.
    pub fn evaluation(domain: Domain) -> Self {
        Self(Kind::Evaluation(domain))
    }

    /// The same pass, with the same sequence of masks, for rows of which the first `b_s` are source rows.
    pub fn with_source_rows(self, b_s: usize) -> Self {
        match self.0 {
            Kind::Training { masks, .. } => Self(Kind::Training { masks, b_s, weights: None }),
            evaluation => Self(evaluation),
        }
    }

    /// The same pass, with a weight for each source row. The weighted source rows have the target's class proportions,
    /// so that normalisation by domain does not take other proportions for a shift.
    pub fn with_source_weights(self, weights: Option<Vec<f32>>) -> Self {
        match self.0 {
            Kind::Training { masks, b_s, .. } => Self(Kind::Training { masks, b_s, weights }),
            evaluation => Self(evaluation),
        }
    }

    /// Weights of the source rows, if they have any.
    pub(super) fn source_weights(&self) -> Option<&[f32]> {
        match &self.0 {
            Kind::Training { weights, .. } => weights.as_deref(),
            Kind::Evaluation(_) => None,
        }
    }

    /// Number of source rows, in training; the domain of all rows, in evaluation.
    pub(super) fn rows(&self) -> Result<usize, Domain> {
        match self.0 {
            Kind::Training { b_s, .. } => Ok(b_s),
            Kind::Evaluation(domain) => Err(domain),
        }
    }

    /// In training, zeroes each value with probability `rate` and scales the rest by `1 / (1 − rate)`. Each call draws
    /// new masks.
    pub fn dropout(&mut self, x: Tensor<2>, rate: f64) -> Tensor<2> {
        let Kind::Training { masks, .. } = &mut self.0 else { return x };
        if rate <= 0.0 {
            return x;
        }
        let [rows, columns] = x.dims();
        // Each value needs 16 random bits: precise enough for any rate, and four values per draw.
        let threshold = (rate * 65536.0) as u16;
        let kept = (1.0 / (1.0 - rate)) as f32;
        let mut mask = vec![0f32; rows * columns];
        for values in mask.chunks_mut(4) {
            let bits = masks.next_u64();
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

    fn training(iteration: usize) -> Mode {
        Mode::training(1, Purpose::DROPOUT_OF_G, iteration, 100)
    }

    #[test]
    fn drops_the_share_asked_for_and_keeps_the_mean() {
        let values: Vec<f32> = training(1).dropout(ones(), 0.3).into_data().try_into_vec().unwrap();
        let dropped = values.iter().filter(|&&v| v == 0.0).count() as f32 / values.len() as f32;
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        assert!((dropped - 0.3).abs() < 0.02, "{dropped}");
        assert!((mean - 1.0).abs() < 0.03, "{mean}");
    }

    #[test]
    fn masks_repeat_for_the_same_iteration_only() {
        let mask = |iteration| training(iteration).dropout(ones(), 0.5).into_data();
        assert_eq!(mask(3), mask(3));
        assert_ne!(mask(3), mask(4));
    }

    #[test]
    fn evaluation_drops_nothing() {
        let mut mode = Mode::evaluation(Domain::Target);
        assert_eq!(mode.dropout(ones(), 0.5).into_data(), ones().into_data());
    }
}
