//! Values that parse but cannot be meant.

use super::Config;
use crate::error::{Problem, Result};

/// A layer wider than this is a typing error.
const WIDEST: usize = 65_536;

/// Refuses the first impossible value, by its key.
pub(super) fn check(config: &Config) -> Result<()> {
    let train = &config.train;
    let generator = &config.generator;
    at_least_one("train.iterations", train.iterations)?;
    at_least_one("train.evaluate_every", train.evaluate_every)?;
    within("data.image_size", config.data.image_size as f64, 1.0, 4096.0)?;
    within("data.augment", config.data.augment, 0.0, 2.0)?;
    for (i, &width) in generator.hidden.iter().enumerate() {
        layer_width(&format!("generator.hidden[{i}]"), width)?;
    }
    for (i, &filters) in generator.filters.iter().enumerate() {
        layer_width(&format!("generator.filters[{i}]"), filters)?;
    }
    if !matches!(config.data.image_channels, 1 | 3) {
        return Err(impossible("data.image_channels", config.data.image_channels, "1 (gray) or 3 (colour)"));
    }
    within("generator.dropout", generator.dropout, 0.0, 0.95)?;
    within("generator.input_dropout", generator.input_dropout, 0.0, 0.95)?;
    within("train.learning_rate", train.learning_rate, f64::MIN_POSITIVE, 10.0)?;
    within("train.beta1", train.beta1, 0.0, 0.999_999)?;
    within("train.beta2", train.beta2, 0.0, 0.999_999)?;
    within("train.average", train.average, 0.0, 0.999_999)?;
    within("train.validation", train.validation, 0.0, 0.9)?;
    within("train.checkpoint_seconds", train.checkpoint_seconds, 0.0, f64::MAX)
}

/// Refuses a value outside `low..=high`, or one that is no number.
pub(crate) fn within(key: &str, value: f64, low: f64, high: f64) -> Result<()> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let range = match (low, high) {
        (l, h) if l == f64::MIN_POSITIVE => format!("above 0 and at most {h}"),
        (l, h) if h == f64::MAX => format!("at least {l}"),
        (l, h) => format!("from {l} to {h}"),
    };
    Err(impossible(key, value, &range))
}

/// Refuses a layer of no units, and one that no memory holds.
pub(crate) fn layer_width(key: &str, width: usize) -> Result<()> {
    within(key, width as f64, 1.0, WIDEST as f64)
}

/// Refuses zero.
pub(crate) fn at_least_one(key: &str, value: usize) -> Result<()> {
    if value >= 1 { Ok(()) } else { Err(impossible(key, value, "at least 1")) }
}

fn impossible(key: &str, value: impl std::fmt::Display, wanted: &str) -> crate::Error {
    Problem::at(format!("configuration, `{key}`")).found(value).wanted(wanted).into()
}

#[cfg(test)]
mod tests {
    use crate::config::Layers;

    #[test]
    fn impossible_values_are_named_with_their_range() {
        for (setting, message) in [
            ("train.iterations=0", "configuration, `train.iterations`: found 0, wanted at least 1"),
            ("generator.dropout=1.5", "configuration, `generator.dropout`: found 1.5, wanted from 0 to 0.95"),
            (
                "train.learning_rate=0",
                "configuration, `train.learning_rate`: found 0, wanted above 0 and at most 10",
            ),
            (
                "train.learning_rate=nan",
                "configuration, `train.learning_rate`: found NaN, wanted above 0 and at most 10",
            ),
            (
                "data.image_channels=2",
                "configuration, `data.image_channels`: found 2, wanted 1 (gray) or 3 (colour)",
            ),
        ] {
            let error = Layers::new("cloth").unwrap().set(setting).unwrap().build().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
