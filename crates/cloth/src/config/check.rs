//! Range checks of single values.
//!
//! A check is a function of the setting's key and its value. [`parameters!`](crate::parameters) applies checks to a
//! method's section. The sections that all methods share use the same checks.

use std::fmt::Display;

use super::Config;
use crate::error::{Problem, Result};

/// Largest width of a layer, in units; a larger value is taken for a typing error.
const WIDEST: f64 = 65_536.0;
/// Largest label smoothing; the labelled class keeps the highest probability.
const SMOOTHEST: f64 = 0.9;

/// A numeric type of settings.
pub trait Number: Copy + Display {
    /// The number as `f64`, for comparisons.
    fn as_f64(self) -> f64;
}

impl Number for f64 {
    fn as_f64(self) -> f64 {
        self
    }
}

impl Number for u32 {
    fn as_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Number for usize {
    fn as_f64(self) -> f64 {
        self as f64
    }
}

/// Applies a check to the value of a setting.
pub fn apply<T: ?Sized>(check: impl Fn(&str, &T) -> Result<()>, key: &str, value: &T) -> Result<()> {
    check(key, value)
}

/// From `low` to `high`, both included; NaN is refused.
pub fn within<N: Number>(low: f64, high: f64) -> impl Fn(&str, &N) -> Result<()> {
    move |key, value| {
        if (low..=high).contains(&value.as_f64()) {
            return Ok(());
        }
        let range = match (low, high) {
            (low, high) if low == f64::MIN_POSITIVE => format!("above 0 and at most {high}"),
            (low, high) if high == f64::MAX => format!("at least {low}"),
            (low, high) => format!("from {low} to {high}"),
        };
        Err(impossible(key, value, &range))
    }
}

/// At least `low`; infinity and NaN are refused.
pub fn at_least<N: Number>(low: f64) -> impl Fn(&str, &N) -> Result<()> {
    within(low, f64::MAX)
}

/// Above zero, and at most `high`.
pub fn above_zero<N: Number>(high: f64) -> impl Fn(&str, &N) -> Result<()> {
    within(f64::MIN_POSITIVE, high)
}

/// A share: from 0 to 1.
pub fn share<N: Number>() -> impl Fn(&str, &N) -> Result<()> {
    within(0.0, 1.0)
}

/// A label smoothing: from 0 to 0.9.
pub fn smoothing() -> impl Fn(&str, &f64) -> Result<()> {
    within(0.0, SMOOTHEST)
}

/// The width of a layer: from 1 to 65,536 units.
pub fn width() -> impl Fn(&str, &usize) -> Result<()> {
    within(1.0, WIDEST)
}

/// Applies one check to each value of a list, under the key `name[i]`.
pub fn each<T>(check: impl Fn(&str, &T) -> Result<()>) -> impl Fn(&str, &Vec<T>) -> Result<()> {
    move |key, values| {
        values.iter().enumerate().try_for_each(|(i, value)| check(&format!("{key}[{i}]"), value))
    }
}

/// Widths of layers; the list may be empty.
pub fn widths() -> impl Fn(&str, &Vec<usize>) -> Result<()> {
    each(width())
}

/// Shares above 0 that add up to 1 (± 0.001), or an empty list.
pub fn proportions() -> impl Fn(&str, &Vec<f64>) -> Result<()> {
    move |key, values| {
        each(within(1e-6, 1.0))(key, values)?;
        match values.is_empty() {
            true => Ok(()),
            false => within(0.999, 1.001)(&format!("{key} (its sum)"), &values.iter().sum::<f64>()),
        }
    }
}

fn impossible(key: &str, value: impl Display, wanted: &str) -> crate::Error {
    Problem::setting(key).found(value).wanted(wanted).into()
}

/// Returns an error for the first value out of range in the sections that all methods share.
pub(super) fn shared_sections(config: &Config) -> Result<()> {
    let Config { data, generator, train, .. } = config;
    at_least(1.0)("train.iterations", &train.iterations)?;
    at_least(1.0)("train.evaluate_every", &train.evaluate_every)?;
    within(1.0, 4096.0)("data.image_size", &data.image_size)?;
    within(0.0, 2.0)("data.augment", &data.augment)?;
    widths()("generator.hidden", &generator.hidden)?;
    widths()("generator.filters", &generator.filters.to_vec())?;
    if !matches!(data.image_channels, 1 | 3) {
        return Err(impossible("data.image_channels", data.image_channels, "1 (gray) or 3 (colour)"));
    }
    within(0.0, 0.95)("generator.dropout", &generator.dropout)?;
    within(0.0, 0.95)("generator.input_dropout", &generator.input_dropout)?;
    above_zero(10.0)("train.learning_rate", &train.learning_rate)?;
    within(0.0, 0.999_999)("train.beta1", &train.beta1)?;
    within(0.0, 0.999_999)("train.beta2", &train.beta2)?;
    within(0.0, 0.999_999)("train.average", &train.average)?;
    within(0.0, 0.9)("train.validation", &train.validation)?;
    at_least(0.0)("train.checkpoint_seconds", &train.checkpoint_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::layers;

    #[test]
    fn impossible_values_are_named_with_their_range() {
        for (setting, message) in [
            ("train.iterations=0", "setting `train.iterations`: found 0, wanted at least 1"),
            ("generator.dropout=1.5", "setting `generator.dropout`: found 1.5, wanted from 0 to 0.95"),
            ("generator.hidden=[8,0]", "setting `generator.hidden[1]`: found 0, wanted from 1 to 65536"),
            (
                "train.learning_rate=0",
                "setting `train.learning_rate`: found 0, wanted above 0 and at most 10",
            ),
            (
                "train.learning_rate=nan",
                "setting `train.learning_rate`: found NaN, wanted above 0 and at most 10",
            ),
            (
                "data.image_channels=2",
                "setting `data.image_channels`: found 2, wanted 1 (gray) or 3 (colour)",
            ),
        ] {
            let error = layers().set(setting).unwrap().build().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn proportions_add_up_or_are_left_out() {
        let checked = |values: &[f64]| proportions()("prior", &values.to_vec()).map_err(|e| e.to_string());
        assert_eq!(checked(&[]), Ok(()));
        assert_eq!(checked(&[0.25, 0.75]), Ok(()));
        assert_eq!(
            checked(&[0.5, 0.2]).unwrap_err(),
            "setting `prior (its sum)`: found 0.7, wanted from 0.999 to 1.001"
        );
        assert!(checked(&[0.0, 1.0]).unwrap_err().starts_with("setting `prior[0]`"));
    }
}
