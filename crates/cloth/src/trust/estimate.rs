//! Estimates of the accuracy on the target: weighted sums of signals.
//!
//! The weights were fitted by ridge regression on 430 runs of 47 suites whose target labels were known, an ORACLE:
//! `benchmarks/calibrate/` makes the runs and prints these lines. On suites that were left out of the fit, the mean errors
//! are 4.3 points (adapted), 4.8 (plain) and 4.8 (both).

use super::signals::Signals;
use crate::train::Estimate;

/// A model of the log odds of an accuracy: a constant, weights of signals, and a typical error.
struct Line {
    constant: f64,
    weights: &'static [(&'static str, f64)],
    /// a and b: nine of ten errors of the log odds are below a + b · proxy A-distance, on suites that the weights were
    /// not fitted on.
    error: [f64; 2],
}

const ADAPTED: Line = Line {
    constant: -0.062,
    weights: &[
        ("adapted.fit_neighbour", 0.894),
        ("dispute.neighbour_adapted", 0.095),
        ("source.mean", 0.147),
    ],
    error: [0.50, 0.20],
};
const PLAIN: Line = Line {
    constant: -0.142,
    weights: &[("plain.fit_neighbour", 0.742), ("plain.neighbour_adapted", 0.311)],
    error: [0.50, 0.50],
};
const EVEN: Line = Line {
    constant: -0.224,
    weights: &[
        ("plain.fit_neighbour", 0.376),
        ("adapted.fit_neighbour", 0.439),
        ("classes", 0.100),
        ("plain.neighbour_adapted", 0.269),
        ("plain.proportions", 0.536),
    ],
    error: [0.50, 0.55],
};

/// Estimates for three ways to predict.
pub struct Estimates {
    /// By the adapted classifier alone.
    pub adapted: Estimate,
    /// By the plain classifier alone.
    pub plain: Estimate,
    /// By both with equal weights.
    pub even: Estimate,
}

impl Estimates {
    /// Computes the estimates; none is below that of guessing among the classes.
    pub fn of(signals: &Signals, n_classes: usize) -> Self {
        let [adapted, plain, even] = [ADAPTED, PLAIN, EVEN].map(|line| line.estimate(signals, n_classes));
        Self { adapted, plain, even }
    }
}

impl Line {
    fn estimate(&self, signals: &Signals, n_classes: usize) -> Estimate {
        let sum: f64 = self.weights.iter().map(|(name, weight)| weight * signals.get(name)).sum();
        let odds = self.constant + sum;
        let guessing = 1.0 / n_classes as f64;
        let at = |odds: f64| (1.0 / (1.0 + (-odds).exp())).max(guessing);
        let [least, by_shift] = self.error;
        let error = least + by_shift * signals.get("shift");
        Estimate { accuracy: at(odds), interval: [at(odds - error), at(odds + error)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_by_hand() {
        let line = Line { constant: 0.5, weights: &[("a", 2.0), ("b", -1.0)], error: [0.8, 0.4] };
        let signals = Signals::from([("a", 0.5), ("b", 0.5), ("shift", 0.5)]);
        let Estimate { accuracy, interval: [low, high] } = line.estimate(&signals, 2);
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        assert!((accuracy - logistic(1.0)).abs() < 1e-12 && (high - logistic(2.0)).abs() < 1e-12);
        assert_eq!(low, 0.5);
        let poor = Signals::from([("a", -3.0), ("b", 0.0), ("shift", 0.0)]);
        assert_eq!(line.estimate(&poor, 4).accuracy, 0.25, "no worse than guessing");
    }

    #[test]
    fn every_weight_is_of_a_signal_that_exists() {
        let names: Vec<String> =
            super::super::tests::signals().iter().map(|(name, _)| name.to_owned()).collect();
        for (name, _) in [ADAPTED, PLAIN, EVEN].iter().flat_map(|line| line.weights) {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
    }
}
