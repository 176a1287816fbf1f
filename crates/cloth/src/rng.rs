//! Stateless random numbers: every draw is a function of the seed, its purpose and the iteration.
//!
//! A checkpoint therefore needs no generator state, and no result depends on the number of threads.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};

/// The purpose of a stream of random numbers. It is part of the stream's key, so two purposes never share numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Purpose(u64);

impl Purpose {
    /// Initial weights.
    pub const WEIGHTS: Self = Self(1);
    /// The source's validation split.
    pub const SPLIT: Self = Self(2);
    /// Minibatches of the discriminator's step.
    pub const BATCHES_OF_D: Self = Self(3);
    /// Minibatches of the step of C, T and G.
    pub const BATCHES_OF_G: Self = Self(4);
    /// Dropout masks in the discriminator's step.
    pub const DROPOUT_OF_D: Self = Self(5);
    /// Dropout masks in the step of C, T and G.
    pub const DROPOUT_OF_G: Self = Self(6);
    /// Entries of the moment tensor that HoMM samples.
    pub const MOMENTS: Self = Self(7);
    /// The split and the classifier of the proxy A-distance.
    pub const SHIFT: Self = Self(8);
    /// Target rows of CLOTH's structure plan.
    pub const STRUCTURE: Self = Self(9);
    /// Start vectors of the search for SPL's leading subspace.
    pub const SUBSPACE: Self = Self(10);
    /// Rows shown on a report's maps.
    pub const REPORT: Self = Self(20);

    /// A new purpose, such as `"my_method/noise"`. Equal names are equal purposes, on every platform and in every
    /// version. A name never equals one of the purposes above.
    pub fn named(name: &str) -> Self {
        let digest = Sha256::digest(name.as_bytes());
        let word = digest.iter().take(8).fold(0, |word, &byte| word << 8 | u64::from(byte));
        // The upper half of the keys is for names, the lower half for the constants.
        Self(word | 1 << 63)
    }
}

/// The stream of one purpose at one iteration of one run.
pub fn stream(seed: u64, purpose: Purpose, iteration: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&purpose.0.to_le_bytes());
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
        let base = first(1, Purpose::WEIGHTS, 1);
        assert_eq!(base, first(1, Purpose::WEIGHTS, 1));
        assert_ne!(base, first(2, Purpose::WEIGHTS, 1));
        assert_ne!(base, first(1, Purpose::SPLIT, 1));
        assert_ne!(base, first(1, Purpose::WEIGHTS, 2));
    }

    #[test]
    fn names_make_streams_of_their_own() {
        let first = |purpose| stream(1, purpose, 1).next_u64();
        assert_eq!(first(Purpose::named("a/noise")), first(Purpose::named("a/noise")));
        assert_ne!(first(Purpose::named("a/noise")), first(Purpose::named("b/noise")));
        // The first eight bytes of SHA-256("abc"), whose highest bit is set already: the stream of a name must not
        // change.
        assert_eq!(Purpose::named("abc").0, 0xba78_16bf_8f01_cfea);
    }
}
