//! SHA-256 of everything that a run depends on: data, settings, revisions.

use sha2::{Digest, Sha256};

/// Hexadecimal digits of a hash in file names.
const SHORT: usize = 16;

/// An incremental SHA-256. Each part is hashed with its length, so that different parts cannot give the same bytes.
#[derive(Clone, Default)]
pub(crate) struct Hash(Sha256);

impl Hash {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a number.
    pub(crate) fn word(&mut self, word: u64) {
        self.0.update(word.to_le_bytes());
    }

    /// Adds a text: "ab", "c" is not "a", "bc".
    pub(crate) fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        self.0.update(text.as_bytes());
    }

    /// Adds bytes without their length, which must follow from other parts.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds numbers, by their bits.
    pub(crate) fn floats(&mut self, values: &[f32]) {
        self.word(values.len() as u64);
        let mut bytes = Vec::with_capacity(4 * 4096);
        for part in values.chunks(4096) {
            bytes.clear();
            part.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
            self.0.update(&bytes);
        }
    }

    /// 64 hexadecimal digits.
    pub(crate) fn digits(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The first digits, for file names.
    #[cfg_attr(not(feature = "bench"), allow(dead_code))]
    pub(crate) fn short(self) -> String {
        let mut digits = self.digits();
        digits.truncate(SHORT);
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(feed: impl Fn(&mut Hash)) -> String {
        let mut hash = Hash::new();
        feed(&mut hash);
        hash.digits()
    }

    #[test]
    fn is_sha_256() {
        // The example of FIPS 180-4.
        let abc = of(|hash| hash.bytes(b"abc"));
        assert_eq!(abc, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn borders_between_texts_count() {
        let both = |a: &'static str, b: &'static str| {
            of(move |hash| {
                hash.text(a);
                hash.text(b);
            })
        };
        assert_ne!(both("ab", "c"), both("a", "bc"));
    }

    #[test]
    fn an_even_number_of_flipped_signs_makes_another_hash() {
        // FNV by words of eight bytes gave these two the same hash.
        let (one, other) = ([1.0f32, 2.0, 3.0, 4.0], [1.0f32, -2.0, 3.0, -4.0]);
        assert_ne!(of(|hash| hash.floats(&one)), of(|hash| hash.floats(&other)));
    }
}
