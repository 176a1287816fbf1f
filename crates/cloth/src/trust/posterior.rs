//! Estimates with a few labels: an accuracy counted on some rows, and what it makes of an estimate made without labels.

use crate::train::Estimate;

/// Accuracies that are compared.
const STEPS: usize = 2000;
/// Nine tenths of a normal distribution lie within this many standard deviations.
const NINE_TENTHS: f64 = 1.644_853_6;
/// Shares are kept this far from 0 and 1 before their log odds are taken.
const EDGE: f64 = 1e-6;

impl Estimate {
    /// The accuracy on all rows, if `right` of `rows` rows chosen at random are predicted right: the share itself, and
    /// Wilson's interval at nine tenths.
    ///
    /// ```
    /// use cloth::train::Estimate;
    /// let [low, high] = Estimate::counted(40, 50).interval;
    /// assert!((0.69..0.70).contains(&low) && (0.87..0.88).contains(&high));
    /// ```
    pub fn counted(right: usize, rows: usize) -> Self {
        if rows == 0 {
            return Self { accuracy: 0.5, interval: [0.0, 1.0] };
        }
        let (n, p, z2) = (rows as f64, right as f64 / rows as f64, NINE_TENTHS * NINE_TENTHS);
        let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = NINE_TENTHS / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        Self { accuracy: p, interval: [(middle - half).max(0.0), (middle + half).min(1.0)] }
    }

    /// This estimate, corrected by `right` of `rows` rows chosen at random: Bayes' rule, with log odds of the accuracy
    /// that were normal before.
    pub fn corrected(&self, right: usize, rows: usize) -> Self {
        let odds = |p: f64| (p.clamp(EDGE, 1.0 - EDGE) / (1.0 - p.clamp(EDGE, 1.0 - EDGE))).ln();
        let [low, high] = self.interval.map(odds);
        let deviation = ((high - low) / (2.0 * NINE_TENTHS)).max(1e-3);
        let (right, wrong) = (right as f64, (rows - right) as f64);
        let accuracies: Vec<f64> = (0..STEPS).map(|i| (i as f64 + 0.5) / STEPS as f64).collect();
        let logs: Vec<f64> = accuracies
            .iter()
            .map(|&p| {
                let before =
                    -((odds(p) - odds(self.accuracy)) / deviation).powi(2) / 2.0 - (p * (1.0 - p)).ln();
                before + right * p.ln() + wrong * (1.0 - p).ln()
            })
            .collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
        let all: f64 = weights.iter().sum();
        let at = |share: f64| {
            let mut below = 0.0;
            let i = weights.iter().position(|weight| {
                below += weight;
                below >= share * all
            });
            accuracies[i.unwrap_or(STEPS - 1)]
        };
        Self { accuracy: at(0.5), interval: [at(0.05), at(0.95)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Estimate = Estimate { accuracy: 0.8, interval: [0.6, 0.913_043_478] };

    #[test]
    fn without_labels_nothing_changes() {
        let same = WIDE.corrected(0, 0);
        assert!((same.accuracy - 0.8).abs() < 1e-3, "{same:?}");
        assert!((same.interval[0] - 0.6).abs() < 2e-3 && (same.interval[1] - 0.913).abs() < 2e-3, "{same:?}");
        assert_eq!(Estimate::counted(0, 0).interval, [0.0, 1.0]);
    }

    #[test]
    fn a_few_labels_move_the_estimate_and_many_decide_it() {
        let few = WIDE.corrected(10, 20);
        assert!(few.accuracy > 0.5 && few.accuracy < 0.75, "{few:?}");
        let many = WIDE.corrected(1000, 2000);
        assert!((many.accuracy - 0.5).abs() < 0.01, "{many:?}");
        let width = |estimate: &Estimate| estimate.interval[1] - estimate.interval[0];
        assert!(width(&many) < width(&few) && width(&few) < width(&WIDE));
        assert!((width(&many) - width(&Estimate::counted(1000, 2000))).abs() < 0.002);
    }

    #[test]
    fn all_right_is_not_surely_all() {
        let [low, high] = Estimate::counted(30, 30).interval;
        assert!(low < 0.95 && low > 0.9 && high > 0.999);
        assert!(Estimate { accuracy: 1.0, interval: [1.0, 1.0] }.corrected(1, 2).accuracy.is_finite());
    }
}
