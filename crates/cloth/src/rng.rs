//! Randomness without state: every draw is a function of the seed, its purpose and the iteration.
//!
//! A resumed run needs no saved generator, and no result depends on how work is spread over threads.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// What a stream of random numbers is for. The number is part of the stream's key: never reuse one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Initial weights.
    Weights = 1,
    /// The source's validation split.
    Split = 2,
    /// Minibatches of the discriminator's step.
    BatchesOfD = 3,
    /// Minibatches of the step of C, T and G.
    BatchesOfG = 4,
    /// Dropout masks in the discriminator's step.
    DropoutOfD = 5,
    /// Dropout masks in the step of C, T and G.
    DropoutOfG = 6,
    /// Entries of the moment tensor that HoMM samples.
    Moments = 7,
    /// The split and the classifier of the proxy A-distance.
    Shift = 8,
    /// Target rows that the structure graph is made of.
    Structure = 9,
    /// Where the search for SPL's leading subspace starts.
    Subspace = 10,
    /// Rows that a report's maps show.
    Report = 20,
}

/// The stream of one purpose at one iteration of one run.
pub fn stream(seed: u64, purpose: Purpose, iteration: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&(purpose as u64).to_le_bytes());
    key[16..24].copy_from_slice(&iteration.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn streams_repeat_and_differ_in_each_part_of_their_key() {
        let first = |seed, purpose, iteration| stream(seed, purpose, iteration).next_u64();
        let base = first(1, Purpose::Weights, 1);
        assert_eq!(base, first(1, Purpose::Weights, 1));
        assert_ne!(base, first(2, Purpose::Weights, 1));
        assert_ne!(base, first(1, Purpose::Split, 1));
        assert_ne!(base, first(1, Purpose::Weights, 2));
    }
}
