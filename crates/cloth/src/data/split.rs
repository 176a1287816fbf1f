//! The source's validation split, stratified by class.

use rand::seq::SliceRandom;

use crate::rng::{Purpose, stream};

/// Row indices of the source for training and validation, each ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows for training.
    pub train: Vec<u32>,
    /// Rows for validation, which are never trained on.
    pub validation: Vec<u32>,
}

/// Holds out `share` of the rows of each class for validation. At least one row of each class is left for training, so
/// a class with a single row has no validation row.
///
/// ```
/// let split = cloth::data::split::stratified(&[0, 0, 0, 0, 1], 2, 0.5, 0);
/// assert_eq!((split.train.len(), split.validation.len()), (3, 2));
/// ```
pub fn stratified(labels: &[u32], n_classes: usize, share: f64, seed: u64) -> Split {
    let mut rng = stream(seed, Purpose::SPLIT, 0);
    let mut split = Split { train: Vec::new(), validation: Vec::new() };
    for mut rows in by_class(labels, 0..labels.len() as u32, n_classes) {
        rows.shuffle(&mut rng);
        let kept = (rows.len() as f64 * share).round() as usize;
        let aside = rows.split_off(rows.len() - kept.min(rows.len().saturating_sub(1)));
        split.train.append(&mut rows);
        split.validation.extend(aside);
    }
    split.train.sort_unstable();
    split.validation.sort_unstable();
    split
}

/// The given row indices, grouped by class.
pub(super) fn by_class(labels: &[u32], rows: impl Iterator<Item = u32>, n_classes: usize) -> Vec<Vec<u32>> {
    let mut classes = vec![Vec::new(); n_classes];
    for row in rows {
        classes[labels[row as usize] as usize].push(row);
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_row_is_on_one_side_and_every_class_still_trains(
            labels in prop::collection::vec(0u32..5, 1..200), share in 0.0..0.9f64, seed: u64,
        ) {
            let split = stratified(&labels, 5, share, seed);
            let mut all: Vec<u32> = split.train.iter().chain(&split.validation).copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..labels.len() as u32).collect::<Vec<_>>());
            for class in &labels {
                prop_assert!(split.train.iter().any(|&i| labels[i as usize] == *class));
            }
        }
    }

    #[test]
    fn keeps_the_share_of_each_class() {
        let labels: Vec<u32> = (0..300).map(|i| u32::from(i % 3 == 0)).collect();
        let split = stratified(&labels, 2, 0.1, 7);
        let ones = split.validation.iter().filter(|&&i| labels[i as usize] == 1).count();
        assert_eq!((split.validation.len(), ones), (30, 10));
    }
}
