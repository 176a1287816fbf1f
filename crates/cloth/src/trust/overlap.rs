//! How the target lies on the source, in the space of the input: is it among the source's rows, and is it further from
//! them than other proportions of the classes explain?

use crate::linalg::LabelledRows;

/// What the rows of both domains have in common.
pub struct Overlap {
    /// log of the distance from a target row to the nearest source row, by that from a source row to the nearest other, as medians:
    /// with both domains normalised by the source's statistics, and each by its own.
    pub reach: [f64; 2],
    /// Means of the source's classes, one after the other.
    class_means: Vec<f64>,
    /// Mean of the target.
    target_mean: Vec<f64>,
    /// Squared distance of the means of two samples of these sizes from the same rows.
    chance: f64,
}

impl Overlap {
    /// Compares rows of the source with those of the target, both by the source's statistics.
    pub(super) fn new(source: LabelledRows<'_>, target: &[f32], reach: [f64; 2]) -> Self {
        let width = source.width;
        let sums = source.class_sums();
        let mean_of =
            |(sums, count): (&[f64], &f64)| sums.iter().map(|s| s / count.max(1.0)).collect::<Vec<_>>();
        let class_means = sums.sums.chunks_exact(width).zip(&sums.counts).flat_map(mean_of).collect();
        let columns = |values: &[f32]| {
            let n = (values.len() / width).max(1) as f64;
            let (mut mean, mut square) = (vec![0f64; width], 0f64);
            for row in values.chunks_exact(width) {
                mean.iter_mut().zip(row).for_each(|(m, &v)| *m += f64::from(v) / n);
                square += row.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>() / n;
            }
            let variance = square - mean.iter().map(|m| m * m).sum::<f64>();
            (mean, variance.max(0.0) / n)
        };
        let ((_, of_source), (target_mean, of_target)) = (columns(source.values), columns(target));
        Self { reach, class_means, target_mean, chance: of_source + of_target }
    }

    /// The share of the squared distance between the domains' means that is not there once the source's classes have the
    /// proportions `target` instead of `source`; 0 if it grows.
    pub(super) fn explained(&self, source: &[f64], target: &[f64]) -> f64 {
        let distance = |proportions: &[f64]| -> f64 {
            let width = self.target_mean.len();
            let means = self.class_means.chunks_exact(width).zip(proportions);
            let mut gap = self.target_mean.clone();
            means.for_each(|(mean, p)| gap.iter_mut().zip(mean).for_each(|(gap, m)| *gap -= p * m));
            gap.iter().map(|gap| gap * gap).sum::<f64>() + self.chance
        };
        (1.0 - distance(target) / distance(source)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(target: &[f32]) -> Overlap {
        let source =
            LabelledRows { values: &[-1.0, -1.0, 1.0, 1.0], width: 1, labels: &[0, 0, 1, 1], n_classes: 2 };
        Overlap::new(source, target, [0.0; 2])
    }

    #[test]
    fn other_proportions_explain_a_mean_between_the_classes_and_no_other() {
        let even = [0.5, 0.5];
        let mixed: Vec<f32> = (0..100).map(|i| if i < 90 { 1.0 } else { -1.0 }).collect();
        // The means are 0 and 0.8; chance is 1/4 and 0.36/100.
        let by_hand = 1.0 - 0.2536 / (0.64 + 0.2536);
        assert!((overlap(&mixed).explained(&even, &[0.1, 0.9]) - by_hand).abs() < 1e-6);
        assert_eq!(overlap(&mixed).explained(&even, &[0.9, 0.1]), 0.0, "the wrong way");
        let moved: Vec<f32> = (0..100).map(|i| if i % 2 == 0 { 9.0 } else { 11.0 }).collect();
        assert!(overlap(&moved).explained(&even, &[0.1, 0.9]) < 0.2);
    }
}
