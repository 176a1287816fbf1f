//! How a method describes itself.

use std::borrow::Cow;

use serde::Serialize;
use toml::Table;

use super::{Method, Setup};
use crate::config::{Config, Layers, MethodSection, PRESETS, ParameterSet};
use crate::error::Result;

/// Everything that configuration, training, benches and reports know of a method.
pub trait Recipe: Send + Sync {
    /// The name in configurations, tables and commands: lower-case letters, digits and underscores.
    fn name(&self) -> &str;

    /// One line about it.
    fn summary(&self) -> &str;

    /// Where it was published.
    fn reference(&self) -> &str {
        ""
    }

    /// Raised whenever the same settings and data give other numbers than before, so that old results are told apart
    /// from new ones. The golden runs fail until it is.
    fn revision(&self) -> u32;

    /// Whether it learns from the target's rows. If not, it cannot use the target's mean either.
    fn adapts(&self) -> bool {
        true
    }

    /// Its own section, `[method.<name>]`.
    fn parameters(&self) -> ParameterSet;

    /// Defaults of the other sections that its paper asks for, as TOML.
    fn shared_defaults(&self) -> &str {
        ""
    }

    /// What a preset sets in its own section, as TOML.
    fn preset(&self, _preset: &str) -> &str {
        ""
    }

    /// Its losses, in the order in which a report shows them.
    fn losses(&self) -> Vec<LossInfo>;

    /// The phases of a run. Their iterations follow each other and fill the run.
    fn phases(&self, config: &Config) -> Result<Vec<Phase>> {
        Ok(vec![Phase::new("training", 1..=config.train.iterations)])
    }

    /// What the default has that the method's paper has not, for headings and notes of tables.
    fn additions(&self) -> Vec<Addition> {
        Vec::new()
    }

    /// Puts the values that training uses in place of those left to the data, such as an empty list.
    fn resolve(&self, _section: &mut Table, _n_classes: usize) {}

    /// Builds the method with fresh weights.
    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>>;
}

impl dyn Recipe {
    /// What the configuration has to know of the method.
    pub fn section(&self) -> MethodSection {
        let section =
            MethodSection::new(self.name(), self.parameters()).shared_defaults(self.shared_defaults());
        PRESETS.iter().fold(section, |section, preset| section.preset(preset.name, self.preset(preset.name)))
    }

    /// The method's default settings, to lay others over.
    pub fn layers(&self) -> Result<Layers> {
        Layers::new(self.section())
    }
}

/// A loss, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LossInfo {
    /// The symbol of the method's paper, as in `metrics.jsonl`.
    pub symbol: Cow<'static, str>,
    /// What it measures.
    pub meaning: Cow<'static, str>,
    /// What helps when it is no longer a number, if something particular does.
    pub advice: Option<Cow<'static, str>>,
}

impl LossInfo {
    /// A loss and what it measures.
    pub fn new(symbol: impl Into<Cow<'static, str>>, meaning: impl Into<Cow<'static, str>>) -> Self {
        Self { symbol: symbol.into(), meaning: meaning.into(), advice: None }
    }

    /// With what helps when it is no longer a number.
    pub fn advice(self, advice: impl Into<Cow<'static, str>>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }
}

/// Something that a method has beyond its paper, and the setting that leaves it out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Addition {
    /// What it is, such as "structure loss".
    pub name: Cow<'static, str>,
    /// The parameter of the method's own section that leaves it out, and its value as TOML.
    pub off: (Cow<'static, str>, Cow<'static, str>),
    /// What a reader of a table has to know.
    pub note: Cow<'static, str>,
}

impl Addition {
    /// An addition that `parameter = value` leaves out.
    pub fn new(name: &'static str, [parameter, value]: [&'static str; 2], note: &'static str) -> Self {
        Self { name: name.into(), off: (parameter.into(), value.into()), note: note.into() }
    }

    /// The setting that leaves it out, such as `method.cloth.structure=0`.
    pub fn without(&self, method: &str) -> String {
        format!("method.{method}.{}={}", self.off.0, self.off.1)
    }

    /// Whether a run with this section has it.
    pub fn is_active(&self, section: &Table) -> bool {
        let off = format!("v = {}", self.off.1).parse::<Table>().ok();
        let off = off.as_ref().and_then(|table| table.get("v")).and_then(number);
        section.get(self.off.0.as_ref()).and_then(number) != off
    }
}

fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

/// Iterations of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Phase {
    /// What happens in it.
    pub name: Cow<'static, str>,
    /// Its first iteration, counted from 1.
    pub first: usize,
    /// Its last iteration; less than `first` if the phase is empty.
    pub last: usize,
    /// How many of its iterations do all the work, for a method that goes over all rows in rounds and uses neither
    /// `[generator]` nor batches.
    pub rounds: Option<usize>,
}

impl Phase {
    /// A phase in which every iteration makes an update.
    pub fn new(name: impl Into<Cow<'static, str>>, iterations: std::ops::RangeInclusive<usize>) -> Self {
        Self { name: name.into(), first: *iterations.start(), last: *iterations.end(), rounds: None }
    }

    /// With all the work done in so many rounds, spread evenly.
    pub fn in_rounds(self, rounds: usize) -> Self {
        Self { rounds: Some(rounds), ..self }
    }

    /// How many iterations it has.
    pub fn iterations(&self) -> usize {
        (self.last + 1).saturating_sub(self.first)
    }
}
