//! Mean and standard deviation over runs.

use serde::{Deserialize, Serialize};

/// Mean and standard deviation of a value over runs that differ in their seed.
///
/// ```
/// use cloth::eval::Spread;
/// let spread = Spread::of([90.0, 92.0, 94.0]).unwrap();
/// assert_eq!((spread.mean, spread.std, spread.n), (92.0, Some(2.0), 3));
/// assert_eq!(Spread::of([90.0]).unwrap().std, None);
/// assert_eq!(Spread::of([]), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Mean of the values.
    pub mean: f64,
    /// The sample standard deviation (n − 1 in the denominator); none for a single value.
    pub std: Option<f64>,
    /// Number of values.
    pub n: usize,
}

impl Spread {
    /// The spread of these values; none if there are no values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let std = (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
        Some(Self { mean, std, n: values.len() })
    }

    /// The spread in another unit: mean and standard deviation times `factor`.
    pub fn times(self, factor: f64) -> Self {
        Self { mean: factor * self.mean, std: self.std.map(|std| factor * std), n: self.n }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn moves_with_its_values_and_does_not_mind_their_order(
            mut values in prop::collection::vec(-1e3f64..1e3, 2..20), shift in -1e3f64..1e3, factor in 0.1f64..10.0,
        ) {
            let near = |a: f64, b: f64| (a - b).abs() < 1e-8 * (1.0 + a.abs().max(b.abs()));
            let Spread { mean, std, n } = Spread::of(values.iter().copied()).unwrap();
            let std = std.unwrap();
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
            prop_assert!(n == values.len() && mean >= low - 1e-9 && mean <= high + 1e-9);
            // The standard deviation is largest if every value is at one of the two ends.
            prop_assert!(std >= 0.0 && std <= (high - low) * (n as f64 / (n as f64 - 1.0)).sqrt() / 2.0 + 1e-9);

            let moved = Spread::of(values.iter().map(|v| factor * v + shift)).unwrap();
            prop_assert!(near(moved.mean, factor * mean + shift), "{} {}", moved.mean, mean);
            prop_assert!((moved.std.unwrap() - factor * std).abs() < 1e-6, "{:?} {}", moved.std, std);
            values.reverse();
            let back = Spread::of(values).unwrap();
            prop_assert!(near(back.mean, mean) && (back.std.unwrap() - std).abs() < 1e-9);
        }

        #[test]
        fn agrees_with_the_sum_of_all_differences(values in prop::collection::vec(-100f64..100.0, 2..12)) {
            // n (n − 1) var = Σ over pairs of (a − b)²: no mean needed.
            let n = values.len() as f64;
            let mut pairs = 0.0;
            for (i, a) in values.iter().enumerate() {
                pairs += values[..i].iter().map(|b| (a - b) * (a - b)).sum::<f64>();
            }
            let std = Spread::of(values).unwrap().std.unwrap();
            prop_assert!((std - (pairs / (n * (n - 1.0))).sqrt()).abs() < 1e-8);
        }
    }

    #[test]
    fn equal_values_have_no_spread() {
        assert_eq!(Spread::of([0.25; 5]).unwrap().std, Some(0.0));
        assert_eq!(Spread::of([0.5, 0.25]).unwrap().times(100.0).mean, 37.5);
    }
}
