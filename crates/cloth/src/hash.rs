//! A hash that is the same on every platform and in every version: FNV-1a, word by word.

/// Tells contents apart. It guards against mistakes, not against attacks.
pub(crate) struct Fnv(u64);

impl Fnv {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3);
    }

    /// A text, and where it ends: "ab", "c" is not "a", "bc".
    pub(crate) fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.word(u64::from(byte)));
        self.word(u64::MAX);
    }

    /// Bytes, eight at a time. The last ones of a part that is no multiple of eight are filled up with zeros.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(last));
        }
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0
    }

    /// Sixteen digits, as they stand in files.
    pub(crate) fn digits(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(feed: impl Fn(&mut Fnv)) -> u64 {
        let mut hash = Fnv::new();
        feed(&mut hash);
        hash.finish()
    }

    #[test]
    fn is_the_published_fnv_1a_of_single_bytes() {
        // The test vector of "a" in the FNV reference.
        assert_eq!(of(|hash| hash.word(u64::from(b'a'))), 0xaf63_dc4c_8601_ec8c);
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
    fn every_byte_counts() {
        let bytes: Vec<u8> = (0..21).collect();
        let whole = of(|hash| hash.bytes(&bytes));
        for i in 0..bytes.len() {
            let mut other = bytes.clone();
            other[i] ^= 1;
            assert_ne!(of(|hash| hash.bytes(&other)), whole, "byte {i}");
        }
    }
}
