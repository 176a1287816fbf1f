//! The distribution of confidence over rows.

/// Number of equal ranges of confidence from 0 to 1.
pub const BINS: usize = 20;

/// A histogram of confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Rows in each of [`BINS`] equal ranges from 0 to 1.
    pub counts: [usize; BINS],
    /// Mean confidence of all rows, 0 to 1.
    pub mean: f64,
}

impl Histogram {
    /// The histogram of these confidences; none if there are no rows.
    pub(super) fn of(confidence: &[f32]) -> Option<Self> {
        if confidence.is_empty() {
            return None;
        }
        let mut counts = [0; BINS];
        confidence.iter().for_each(|&c| counts[((c * BINS as f32) as usize).min(BINS - 1)] += 1);
        let sum: f64 = confidence.iter().map(|&c| f64::from(c)).sum();
        Some(Self { counts, mean: sum / confidence.len() as f64 })
    }

    /// Number of rows in all ranges.
    pub fn rows(&self) -> usize {
        self.counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainty_falls_into_the_last_bar() {
        let histogram = Histogram::of(&[0.0, 0.5, 1.0, 0.999]).unwrap();
        assert_eq!((histogram.counts[0], histogram.counts[10], histogram.counts[19]), (1, 1, 2));
        assert_eq!(histogram.rows(), 4);
        assert_eq!(Histogram::of(&[]), None);
    }
}
