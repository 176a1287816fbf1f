//! Class by class: the source against what the model makes of the target.

use crate::model::Probabilities;

/// One class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassRow {
    /// Its name.
    pub name: String,
    /// Source rows of the class.
    pub source_rows: usize,
    /// Its share of the source.
    pub source_share: f64,
    /// Its share of the target, as the mean of its probability: an estimate without labels.
    pub target_share: f64,
    /// Target rows that are called so.
    pub called: usize,
    /// How sure C is of them; none if there are none.
    pub confidence: Option<f64>,
}

/// All classes, in their order.
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
