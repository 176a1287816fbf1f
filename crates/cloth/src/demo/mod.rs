//! The demo's data: labelled digits that the program draws, and unlabelled handwritten digits.
//!
//! ```text
//!          source: drawn, labelled                           target: handwritten, unlabelled
//!
//!   ░░██▒▒         ··████▓▓░░   ··▓▓██▓▓▒▒░░            ░░██▓▓··     ░░▓▓██████··     ··▒▒██▓▓
//! ··██▒▒██▒▒       ▒▒██▒▒▓▓▒▒   ▒▒▒▒··▒▒██░░            ████████··   ▓▓████▒▒░░     ··████████
//! ▒▒▓▓  ··██··     ████▒▒··           ░░▓▓            ··██▓▓  ██▒▒   ▒▒██▓▓··       ░░▓▓  ▓▓▓▓
//! ▓▓▒▒    ▓▓▒▒     ████████       ░░▒▒████··          ··██░░  ▓▓░░   ▒▒██████         ··░░██▓▓··
//! ▓▓▒▒    ▒▒▒▒           ██░░   ··██▓▓██                ██··  ██░░   ··░░░░██         ████████▓▓
//! ▒▒▓▓    ▓▓▒▒   ····  ··██··       ░░▓▓              ··██░░░░██··       ░░██··     ··▒▒▓▓██▒▒··
//! ··██····██··   ▒▒██▒▒██▓▓         ░░▓▓                ██▓▓██▓▓     ··░░████           ▓▓██
//!   ░░████░░       ▒▒██▓▓··         ▒▒▒▒                ▒▒██▓▓··     ░░████··           ▓▓▒▒
//!
//!      0              5              7                      ?              ?              ?
//! ```
//!
//! (Rows 20, 15 and 17 of [`drawn`] with seed 0; rows 36, 15 and 17 of [`handwritten`].)
//!
//! The two differ in slant, width, stroke weight and style, as simulated data differ from real data. A classifier
//! trained on the left is less accurate on the right; domain adaptation closes part of that gap. Nothing is downloaded
//! and no file is read.
//!
//! | | rows | made by |
//! |---|---|---|
//! | source | as many as you ask for | [`drawn`]: strokes (`glyph.rs`) in a random hand (`draw.rs`), random numbers from `rng.rs` |
//! | target | 1,797 | [`handwritten`]: 13 people, embedded as `optdigits.bin`, which holds pixels and nothing else |
//!
//! The target's labels are in another file behind another module, [`answers`], so that every use shows in an import.
//! The strokes were designed by eye from unlabelled images, without target labels.
//!
//! # Attribution
//!
//! The handwritten digits are E. Alpaydin and C. Kaynak, *Optical Recognition of Handwritten Digits*, UCI Machine
//! Learning Repository, 1998, <https://doi.org/10.24432/C50P49>, licensed under
//! [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/): the test part, as shipped with scikit-learn, its CSV file
//! rewritten as bytes.

pub mod answers;
mod draw;
mod glyph;
mod rng;

use glyph::STYLES;
use rng::SplitMix64;

/// Features per row, in both domains: 8 × 8 counts of ink, 0 to 16, row by row from the top left.
pub const N_PIXELS: usize = 64;
/// Classes: the digits 0 to 9.
pub const N_CLASSES: usize = STYLES.len();
/// Rows of [`handwritten`].
pub const N_HANDWRITTEN: usize = 1797;

/// The embedded target, one byte per pixel.
static PIXELS: &[u8; N_HANDWRITTEN * N_PIXELS] = include_bytes!("optdigits.bin");

/// The source: `n_per_class` drawings of every digit and their labels, classes in rotation (0, 1, … 9, 0, 1, …).
///
/// Row i depends on `seed` and i alone, so a larger set begins with the smaller one, and the pixels are the same on
/// every platform.
///
/// ```
/// let (x, y) = cloth::demo::drawn(200, 0);
/// assert_eq!((x.len(), y.len()), (2_000 * 64, 2_000));
/// assert_eq!(y[..12], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]);
/// ```
pub fn drawn(n_per_class: usize, seed: u64) -> (Vec<f32>, Vec<u32>) {
    let n = n_per_class * N_CLASSES;
    let mut pixels = Vec::with_capacity(n * N_PIXELS);
    let mut labels = Vec::with_capacity(n);
    for i in 0..n {
        let digit = i % N_CLASSES;
        let mut rng = SplitMix64::for_sample(seed, i as u64);
        let style = STYLES[digit][rng.below(STYLES[digit].len())];
        pixels.extend(draw::blocks(&draw::bitmap(style, &mut rng)).map(f32::from));
        labels.push(digit as u32);
    }
    (pixels, labels)
}

/// The target: the pixels of 1,797 digits that people wrote, 64 per row.
///
/// ```
/// assert_eq!(cloth::demo::handwritten().len(), 1_797 * 64);
/// ```
pub fn handwritten() -> Vec<f32> {
    PIXELS.iter().map(|&ink| ink.into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a, 64 bits.
    fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
        bytes.fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    fn is_ink_count(value: &f32) -> bool {
        (0.0..=16.0).contains(value) && value.fract() == 0.0
    }

    /// Published results quote the demo, so its drawings must not change by accident.
    #[test]
    fn drawing_is_the_same_everywhere_and_forever() {
        let (x, _) = drawn(20, 0);
        assert_eq!(hash(x.iter().map(|&v| v as u8)), 14_397_307_251_356_467_415);
    }

    #[test]
    fn seeds_differ_and_larger_sets_begin_with_smaller_ones() {
        let (few, many, other) = (drawn(2, 0).0, drawn(4, 0).0, drawn(2, 1).0);
        assert_eq!(few, many[..few.len()]);
        let rows = few.chunks(N_PIXELS).zip(other.chunks(N_PIXELS));
        assert!(rows.into_iter().all(|(a, b)| a != b));
        assert_eq!(drawn(0, 0), (vec![], vec![]));
    }

    #[test]
    fn drawn_digits_are_balanced_counts_of_ink() {
        let (x, y) = drawn(30, 3);
        assert_eq!((x.len(), y.len()), (300 * N_PIXELS, 300));
        assert!(x.iter().all(is_ink_count));
        for digit in 0..10 {
            assert_eq!(y.iter().filter(|&&label| label == digit).count(), 30);
        }
    }

    #[test]
    fn no_two_drawings_are_alike() {
        let (x, _) = drawn(50, 0);
        let mut rows: Vec<u64> = x.chunks(N_PIXELS).map(|row| hash(row.iter().map(|&v| v as u8))).collect();
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), 500);
    }

    #[test]
    fn embedded_digits_are_the_ones_scikit_learn_ships() {
        let x = handwritten();
        assert_eq!(x.len(), 1_797 * 64);
        assert!(x.iter().all(is_ink_count));
        // load_digits().data.sum() and .mean(), and the first row of load_digits().images[0].
        let total: f64 = x.iter().map(|&v| f64::from(v)).sum();
        assert_eq!(total, 561_718.0);
        assert!((total / x.len() as f64 - 4.884_164_579_855_314).abs() < 1e-12);
        assert_eq!(x[..8], [0.0, 0.0, 5.0, 13.0, 9.0, 1.0, 0.0, 0.0]);
    }
}
