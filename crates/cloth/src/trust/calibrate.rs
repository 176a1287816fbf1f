//! Temperatures: how much softer or sharper probabilities must be to mean what they say.

use crate::model::{Probabilities, tempered};

/// Temperatures that are tried, from sharp to soft, evenly spaced in their logarithm.
const TRIED: usize = 60;
/// Logarithms of the sharpest and the softest of them.
const RANGE: [f64; 2] = [-2.5, 1.5];
/// Weight of the squared logarithm of a temperature: a few rows must not ask for an extreme one.
const PRIOR: f64 = 0.02;
/// Smallest probability whose logarithm is taken.
const SMALLEST: f64 = 1e-12;

/// The temperature under which labelled rows have the largest likelihood; 1 without rows.
///
/// ```text
/// t = argmin_t  − mean log softmax(log p / t)_y + 0.02 (log t)²
/// ```
pub fn temperature(p: &Probabilities, labels: &[u32]) -> f64 {
    if labels.is_empty() {
        return 1.0;
    }
    let cost = |t: f64| {
        let rows = p.values.chunks_exact(p.n_classes).zip(labels);
        let fit: f64 = rows.map(|(row, &y)| -tempered(row, t)[y as usize].max(SMALLEST).ln()).sum();
        fit / labels.len() as f64 + PRIOR * t.ln().powi(2)
    };
    least(cost)
}

/// The temperature under which the mean confidence is `wanted`, or the nearest that can be reached.
pub fn temperature_for(p: &Probabilities, wanted: f64) -> f64 {
    let (mut sharp, mut soft) = (RANGE[0], 2.0 * RANGE[1]);
    for _ in 0..30 {
        let middle = (sharp + soft) / 2.0;
        match confidence(p, middle.exp()) > wanted {
            true => sharp = middle,
            false => soft = middle,
        }
    }
    ((sharp + soft) / 2.0).exp()
}

/// Mean probability of the most probable class at a temperature; 0 without rows.
pub fn confidence(p: &Probabilities, temperature: f64) -> f64 {
    let rows = p.values.chunks_exact(p.n_classes);
    let n = rows.len().max(1) as f64;
    rows.map(|row| tempered(row, temperature).into_iter().fold(0.0, f64::max)).sum::<f64>() / n
}

fn least(cost: impl Fn(f64) -> f64) -> f64 {
    let [first, last] = RANGE;
    let tried = (0..TRIED).map(|i| (first + (last - first) * i as f64 / (TRIED - 1) as f64).exp());
    let costs = tried.map(|t| (cost(t), t));
    costs.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |(_, t)| t)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of two classes, each with the probability `sure` for the first, of which `right` of ten are of it.
    fn rows(sure: f32, right: usize) -> (Probabilities, Vec<u32>) {
        let values = std::iter::repeat_n([sure, 1.0 - sure], 200).flatten().collect();
        (Probabilities { values, n_classes: 2 }, (0..200).map(|i| u32::from(i % 10 >= right)).collect())
    }

    #[test]
    fn too_sure_probabilities_are_softened_to_what_the_labels_say() {
        let (p, labels) = rows(0.99, 8);
        let t = temperature(&p, &labels);
        assert!(t > 2.0 && (confidence(&p, t) - 0.8).abs() < 0.03, "{t}");
    }

    #[test]
    fn probabilities_that_are_right_stay_nearly_as_they_are() {
        let (p, labels) = rows(0.8, 8);
        assert!((temperature(&p, &labels) - 1.0).abs() < 0.1);
        assert_eq!(temperature(&Probabilities { values: vec![], n_classes: 2 }, &[]), 1.0);
    }

    #[test]
    fn the_mean_confidence_becomes_the_wanted_one() {
        let (p, _) = rows(0.9, 5);
        for wanted in [0.6, 0.75, 0.95] {
            assert!((confidence(&p, temperature_for(&p, wanted)) - wanted).abs() < 1e-3, "{wanted}");
        }
    }
}
