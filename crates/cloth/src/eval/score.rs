//! Accuracy, per-class scores and calibration.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::data::Classes;
use crate::model::Probabilities;

/// Number of equal confidence bins for calibration.
const BINS: usize = 15;

/// Accumulates predictions chunk by chunk, so that a file of any size can be scored.
#[derive(Debug, Clone)]
pub struct Scorer {
    n_classes: usize,
    /// Number of rows by true class × predicted class, row-major.
    confusion: Vec<u64>,
    bins: [Bin; BINS],
}

#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    n: u64,
    right: u64,
    confidence: f64,
}

impl Bin {
    fn public(&self) -> CalibrationBin {
        let n = self.n as f64;
        CalibrationBin { n: self.n, confidence: self.confidence / n, accuracy: self.right as f64 / n }
    }
}

/// The quality of predictions on labelled rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Share of rows predicted correctly, 0 to 1.
    pub accuracy: f64,
    /// Mean recall over the classes that have rows, 0 to 1: each class counts the same.
    pub balanced_accuracy: f64,
    /// Expected calibration error over 15 bins, 0 to 1: the mean gap between confidence and accuracy.
    pub calibration_error: f64,
    /// The calibration bins that have rows, by increasing confidence.
    pub calibration: Vec<CalibrationBin>,
    /// Number of scored rows.
    pub n: u64,
    /// One score per class, in the order of the classes.
    pub per_class: Vec<ClassScore>,
    /// Number of rows, first by true class, then by predicted class.
    pub confusion: Vec<Vec<u64>>,
}

impl Score {
    /// Confusions as (rows, true class, predicted class), most frequent first.
    pub fn confusions(&self) -> Vec<(u64, u32, u32)> {
        let mut pairs = Vec::new();
        for (row, actual) in self.confusion.iter().zip(0..) {
            let wrong = row.iter().zip(0..).filter(|&(&n, called)| called != actual && n > 0);
            pairs.extend(wrong.map(|(&n, called)| (n, actual, called)));
        }
        pairs.sort_by_key(|&(n, ..)| Reverse(n));
        pairs
    }
}

/// Rows of similar confidence, and their accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Number of rows, at least 1.
    pub n: u64,
    /// Mean confidence of the rows, 0 to 1.
    pub confidence: f64,
    /// Share of the rows predicted correctly, 0 to 1.
    pub accuracy: f64,
}

/// Recall and precision of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassScore {
    /// Name of the class.
    pub class: String,
    /// Rows whose true class this is.
    pub n: u64,
    /// Rows predicted as this class.
    pub predicted: u64,
    /// Share of the class's rows that were predicted as it, 0 to 1; none if the class has no rows.
    pub recall: Option<f64>,
    /// Share of the rows predicted as this class that belong to it, 0 to 1; none if there are none.
    pub precision: Option<f64>,
}

impl Scorer {
    /// Starts without any rows.
    pub fn new(n_classes: usize) -> Self {
        Self { n_classes, confusion: vec![0; n_classes * n_classes], bins: [Bin::default(); BINS] }
    }

    /// Adds rows and their true classes.
    pub fn add(&mut self, probabilities: &Probabilities, labels: &[u32]) {
        let (best, confidence) = probabilities.best();
        for ((&predicted, &sure), &actual) in best.iter().zip(&confidence).zip(labels) {
            self.confusion[actual as usize * self.n_classes + predicted as usize] += 1;
            let bin = &mut self.bins[((sure * BINS as f32) as usize).min(BINS - 1)];
            bin.n += 1;
            bin.right += u64::from(predicted == actual);
            bin.confidence += f64::from(sure);
        }
    }

    /// The score of all rows added so far.
    pub fn score(&self, classes: &Classes) -> Score {
        let confusion: Vec<Vec<u64>> = self.confusion.chunks(self.n_classes).map(<[u64]>::to_vec).collect();
        let n: u64 = self.confusion.iter().sum();
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let per_class: Vec<ClassScore> = (0..self.n_classes)
            .map(|m| {
                let of_class: u64 = confusion[m].iter().sum();
                let predicted: u64 = confusion.iter().map(|row| row[m]).sum();
                ClassScore {
                    class: classes.name(m as u32).to_string(),
                    n: of_class,
                    predicted,
                    recall: share(confusion[m][m], of_class),
                    precision: share(confusion[m][m], predicted),
                }
            })
            .collect();
        let recalls: Vec<f64> = per_class.iter().filter_map(|c| c.recall).collect();
        let right: u64 = (0..self.n_classes).map(|m| confusion[m][m]).sum();
        let off: f64 = self.bins.iter().map(|b| (b.right as f64 - b.confidence).abs()).sum();
        Score {
            accuracy: share(right, n).unwrap_or(0.0),
            balanced_accuracy: recalls.iter().sum::<f64>() / recalls.len().max(1) as f64,
            calibration_error: off / n.max(1) as f64,
            calibration: self.bins.iter().filter(|bin| bin.n > 0).map(Bin::public).collect(),
            n,
            per_class,
            confusion,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(rows: &[[f32; 2]], labels: &[u32]) -> Score {
        let mut scorer = Scorer::new(2);
        // Two chunks must add up to one.
        let (a, b) = rows.split_at(1);
        for (rows, labels) in [(a, &labels[..1]), (b, &labels[1..])] {
            scorer.add(&Probabilities { values: rows.concat(), n_classes: 2 }, labels);
        }
        scorer.score(&Classes::new(["cat", "dog"]))
    }

    #[test]
    fn by_hand() {
        // Three cats, one dog; one cat is predicted as dog.
        let s = score(&[[0.9, 0.1], [0.9, 0.1], [0.3, 0.7], [0.1, 0.9]], &[0, 0, 0, 1]);
        assert_eq!((s.accuracy, s.n), (0.75, 4));
        assert!((s.balanced_accuracy - (2.0 / 3.0 + 1.0) / 2.0).abs() < 1e-12);
        assert_eq!(s.confusion, [[2, 1], [0, 1]]);
        assert_eq!(s.per_class[1].precision, Some(0.5));
        // Bin of 0.9: three right at 0.9, off by 0.3; bin of 0.7: none right, off by 0.7.
        assert!((s.calibration_error - (0.3 + 0.7) / 4.0).abs() < 1e-6);
        assert_eq!(
            s.calibration.iter().map(|bin| (bin.n, bin.accuracy)).collect::<Vec<_>>(),
            [(1, 0.0), (3, 1.0)]
        );
    }

    #[test]
    fn a_class_without_rows_does_not_count_in_the_balanced_accuracy() {
        let s = score(&[[0.9, 0.1], [0.2, 0.8]], &[0, 0]);
        assert_eq!((s.balanced_accuracy, s.per_class[1].recall), (0.5, None));
    }

    #[test]
    fn sure_and_right_is_perfectly_calibrated() {
        assert!(score(&[[1.0, 0.0], [0.0, 1.0]], &[0, 1]).calibration_error < 1e-9);
    }
}
