//! The mixture of two classifiers: an adapted one and a plain one.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Probabilities;
use crate::error::{Problem, Result};

/// How the probabilities of an adapted and a plain classifier are combined:
///
/// ```text
/// p = w · softmax(log a / t_a) + (1 − w) · softmax(log b / t_b),   then softmax(log p / t)
/// ```
///
/// With w = 1 the adapted classifier decides alone, with w = 0 the plain one; the temperatures make their probabilities
/// comparable and change no decision then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mixture {
    /// w: the weight of the adapted classifier, 0 to 1.
    pub weight: f64,
    /// t_a and t_b: the temperatures of the adapted and of the plain classifier, above 0.
    pub temperatures: [f64; 2],
    /// t: the temperature of the mixture, above 0. It changes no decision.
    pub temperature: f64,
}

impl Mixture {
    /// Mixes the probabilities of the same rows by both classifiers.
    ///
    /// ```
    /// use cloth::model::{Mixture, Probabilities};
    /// let adapted = Probabilities { values: vec![0.8, 0.2], n_classes: 2 };
    /// let plain = Probabilities { values: vec![0.4, 0.6], n_classes: 2 };
    /// let even = Mixture { weight: 0.5, temperatures: [1.0, 1.0], temperature: 1.0 };
    /// let mixed = even.of(&adapted, &plain).values;
    /// assert!((mixed[0] - 0.6).abs() < 1e-6 && (mixed[1] - 0.4).abs() < 1e-6);
    /// ```
    ///
    /// # Panics
    /// If the two are not of the same rows and classes.
    pub fn of(&self, adapted: &Probabilities, plain: &Probabilities) -> Probabilities {
        assert_eq!(
            (adapted.values.len(), adapted.n_classes),
            (plain.values.len(), plain.n_classes),
            "both classifiers must have seen the same rows"
        );
        let n_classes = adapted.n_classes;
        let [t_a, t_b] = self.temperatures;
        let mut values = Vec::with_capacity(adapted.values.len());
        for (a, b) in adapted.values.chunks_exact(n_classes).zip(plain.values.chunks_exact(n_classes)) {
            let (a, b) = (tempered(a, t_a), tempered(b, t_b));
            let mixed = a.iter().zip(b).map(|(a, b)| (self.weight * a + (1.0 - self.weight) * b) as f32);
            let mixed: Vec<f32> = mixed.collect();
            values.extend(tempered(&mixed, self.temperature).into_iter().map(|p| p as f32));
        }
        Probabilities { values, n_classes }
    }

    /// Returns an error if the mixture cannot be that of a model; `path` is its file.
    pub(super) fn check(&self, path: &Path) -> Result<()> {
        let [t_a, t_b] = self.temperatures;
        let sound = (0.0..=1.0).contains(&self.weight)
            && [t_a, t_b, self.temperature].iter().all(|t| t.is_finite() && *t > 0.0);
        match sound {
            true => Ok(()),
            false => Err(Problem::in_file(path)
                .found(format!(
                    "a mixture of weight {} and temperatures {:?}",
                    self.weight, self.temperatures
                ))
                .wanted("a whole model file")
                .help("the file is damaged: train again")
                .into()),
        }
    }
}

/// softmax(log p / temperature). The most probable class stays the most probable.
pub(crate) fn tempered(p: &[f32], temperature: f64) -> Vec<f64> {
    let largest = p.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let power = 1.0 / temperature;
    let mut out: Vec<f64> = p.iter().map(|&p| (f64::from(p) / f64::from(largest)).powf(power)).collect();
    let total: f64 = out.iter().sum();
    out.iter_mut().for_each(|p| *p /= total);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(values: &[f32]) -> Probabilities {
        Probabilities { values: values.to_vec(), n_classes: values.len() }
    }

    #[test]
    fn a_temperature_of_two_takes_square_roots() {
        let out = tempered(&[0.64, 0.36], 2.0);
        assert!((out[0] - 0.8 / 1.4).abs() < 1e-6 && (out[1] - 0.6 / 1.4).abs() < 1e-6, "{out:?}");
    }

    proptest! {
        #[test]
        fn a_mixture_of_probabilities_adds_up_to_one_and_its_ends_decide_as_one_classifier(
            a in prop::collection::vec(1e-6f32..1.0, 4), b in prop::collection::vec(1e-6f32..1.0, 4),
            weight in 0.0..1.0f64, temperatures in [0.2..5.0f64, 0.2..5.0f64],
        ) {
            let unit = |v: &[f32]| one(&v.iter().map(|x| x / v.iter().sum::<f32>()).collect::<Vec<_>>());
            let (a, b) = (unit(&a), unit(&b));
            let mixed = |weight| Mixture { weight, temperatures, temperature: 1.5 }.of(&a, &b);
            prop_assert!((mixed(weight).values.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            prop_assert_eq!(mixed(1.0).best().0, a.best().0);
            prop_assert_eq!(mixed(0.0).best().0, b.best().0);
        }
    }

    #[test]
    fn certain_rows_stay_finite() {
        let sharp = Mixture { weight: 0.5, temperatures: [0.05, 0.05], temperature: 0.1 };
        let out = sharp.of(&one(&[1.0, 0.0, 0.0]), &one(&[0.0, 1e-38, 0.0]));
        assert!(out.values.iter().all(|p| p.is_finite()), "{out:?}");
    }
}
