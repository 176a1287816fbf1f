//! Descriptions of methods.

use std::borrow::Cow;

use serde::Serialize;
use toml::Table;

use super::{Method, Setup};
use crate::config::{Config, Layers, MethodSection, PRESETS, ParameterSet};
use crate::error::Result;

/// Everything that configuration, training, benches and reports know about a method.
pub trait Recipe: Send + Sync {
    /// The name in configurations, tables and commands: lower-case letters, digits and underscores.
    fn name(&self) -> &str;

    /// One line of help text.
    fn summary(&self) -> &str;

    /// The paper's short name, venue and year; empty if there is none.
    fn reference(&self) -> &str {
        ""
    }

    /// Version of the method's results. It must be raised when the same settings and data give different numbers, so
    /// that old and new results can be told apart. The golden runs fail until it is raised.
    fn revision(&self) -> u32;

    /// Whether the method learns from target rows. If not, the target is not centred by its own mean either.
    fn adapts(&self) -> bool {
        true
    }

    /// Parameters of the method's own section, `[method.<name>]`.
    fn parameters(&self) -> ParameterSet;

    /// Defaults for the other sections, as TOML; a preset overrides them. Empty if there are none.
    fn shared_defaults(&self) -> &str {
        ""
    }

    /// Values of the other sections that hold under every preset, as TOML; empty if there are none.
    fn shared_needs(&self) -> &str {
        ""
    }

    /// Settings of a preset in the method's own section, as TOML; empty if there are none.
    fn preset(&self, _preset: &str) -> &str {
        ""
    }

    /// All losses that the method may report, in the order of a report.
    fn losses(&self) -> Vec<LossInfo>;

    /// The phases of a run. They are contiguous and cover all iterations.
    fn phases(&self, config: &Config) -> Result<Vec<Phase>> {
        Ok(vec![Phase::new("training", 1..=config.train.iterations)])
    }

    /// Parts of the default that the method's paper does not have, for headings and notes of tables.
    fn additions(&self) -> Vec<Addition> {
        Vec::new()
    }

    /// Builds the method with initial weights.
    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>>;
}

impl dyn Recipe {
    /// What the configuration needs to know about the method.
    pub fn section(&self) -> MethodSection {
        let section = MethodSection::new(self.name(), self.parameters())
            .shared_defaults(self.shared_defaults())
            .shared_needs(self.shared_needs());
        PRESETS.iter().fold(section, |section, preset| section.preset(preset.name, self.preset(preset.name)))
    }

    /// The method's default settings, as the first of the layers.
    pub fn layers(&self) -> Result<Layers> {
        Layers::new(self.section())
    }
}

/// Symbol and meaning of a loss, for reports and help texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LossInfo {
    /// The symbol in the method's paper and in `metrics.jsonl`.
    pub symbol: Cow<'static, str>,
    /// What the loss measures.
    pub meaning: Cow<'static, str>,
    /// What to change when the loss becomes NaN or infinite; `None` for the general advice.
    pub advice: Option<Cow<'static, str>>,
}

impl LossInfo {
    /// A loss without advice.
    pub fn new(symbol: impl Into<Cow<'static, str>>, meaning: impl Into<Cow<'static, str>>) -> Self {
        Self { symbol: symbol.into(), meaning: meaning.into(), advice: None }
    }

    /// Adds advice for when the loss becomes NaN or infinite.
    pub fn advice(self, advice: impl Into<Cow<'static, str>>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }
}

/// A part of a method that its paper does not have, and the setting that switches it off.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Addition {
    /// Its name, such as "structure loss".
    pub name: Cow<'static, str>,
    /// The parameter of the method's own section that switches it off, and the value as TOML.
    pub off: (Cow<'static, str>, Cow<'static, str>),
    /// A sentence for the notes of a table.
    pub note: Cow<'static, str>,
}

impl Addition {
    /// An addition that `parameter = value` switches off.
    pub fn new(name: &'static str, [parameter, value]: [&'static str; 2], note: &'static str) -> Self {
        Self { name: name.into(), off: (parameter.into(), value.into()), note: note.into() }
    }

    /// The setting that switches it off, such as `method.cloth.structure=0`.
    pub fn without(&self, method: &str) -> String {
        format!("method.{method}.{}={}", self.off.0, self.off.1)
    }

    /// Whether it is switched on in a run with these values of the method's own section.
    pub fn is_active(&self, section: &Table) -> bool {
        let off = format!("v = {}", self.off.1).parse::<Table>().ok();
        let off = off.as_ref().and_then(|table| table.get("v")).and_then(number);
        section.get(self.off.0.as_ref()).and_then(number) != off
    }
}

fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

/// A range of iterations that do the same kind of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Phase {
    /// Name for reports, such as "adaptation".
    pub name: Cow<'static, str>,
    /// First iteration, counted from 1.
    pub first: usize,
    /// Last iteration, included; less than `first` if the phase is empty.
    pub last: usize,
    /// Number of rounds, for a method that processes all rows in rounds and uses neither `[generator]` nor batches.
    /// Only this many iterations do any work. `None` for other methods.
    pub rounds: Option<usize>,
}

impl Phase {
    /// A phase in which every iteration makes an update.
    pub fn new(name: impl Into<Cow<'static, str>>, iterations: std::ops::RangeInclusive<usize>) -> Self {
        Self { name: name.into(), first: *iterations.start(), last: *iterations.end(), rounds: None }
    }

    /// Marks a phase whose work is done in this many rounds, spread evenly over its iterations.
    pub fn in_rounds(self, rounds: usize) -> Self {
        Self { rounds: Some(rounds), ..self }
    }

    /// Number of iterations; 0 if the phase is empty.
    pub fn iterations(&self) -> usize {
        (self.last + 1).saturating_sub(self.first)
    }
}
