//! The classes in the source and, as predicted, in the target.

use crate::model::Probabilities;

/// One class in source and target.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassRow {
    /// Name of the class.
    pub name: String,
    /// Number of source rows of the class.
    pub source_rows: usize,
    /// Share of the source rows, 0 to 1.
    pub source_share: f64,
    /// Estimated share of the target rows, 0 to 1: the mean probability of the class.
    pub target_share: f64,
    /// Number of target rows predicted as this class.
    pub called: usize,
    /// Mean confidence of C on these rows, 0 to 1; none if there are none.
    pub confidence: Option<f64>,
}

/// One entry per class, in the order of `names`.
pub(super) fn of(names: &[String], source_counts: &[usize], target: &Probabilities) -> Vec<ClassRow> {
    let total: usize = source_counts.iter().sum();
    let (called, confidence) = target.best();
    let mean = target.mean();
    let row = |(class, name): (usize, &String)| {
        let sure: Vec<f64> = called
            .iter()
            .zip(&confidence)
            .filter(|(called, _)| **called as usize == class)
            .map(|(_, &c)| f64::from(c))
            .collect();
        ClassRow {
            name: name.clone(),
            source_rows: source_counts[class],
            source_share: source_counts[class] as f64 / total as f64,
            target_share: f64::from(mean[class]),
            called: sure.len(),
            confidence: (!sure.is_empty()).then(|| sure.iter().sum::<f64>() / sure.len() as f64),
        }
    };
    names.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let target = Probabilities { values: vec![0.75, 0.25, 0.0, 0.5, 0.25, 0.25], n_classes: 3 };
        let rows = of(&["a", "b", "c"].map(String::from), &[1, 2, 1], &target);
        assert_eq!((rows[0].called, rows[0].confidence), (2, Some(0.625)));
        assert_eq!((rows[1].source_share, rows[1].target_share), (0.5, 0.25));
        assert_eq!((rows[2].called, rows[2].confidence), (0, None));
    }
}
