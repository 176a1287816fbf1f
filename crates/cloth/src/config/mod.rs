//! The configuration: everything that a run depends on besides the data, with its default.
//!
//! A default may be left to the data, as `auto`, 0 or an empty list. Training resolves it, and the configuration that
//! a run keeps has the value that was used.
//!
//! A configuration is built in [`Layers`]: the defaults, then a preset, then a file, then single `key=value` settings.
//! An unknown key or an impossible value is refused with the nearest name or the range. Of methods it knows the
//! [`MethodSection`] that it is given, and none by name.

pub mod check;
mod layers;
mod method;
mod parameters;
mod preset;

pub use layers::Layers;
#[cfg(feature = "bench")]
pub(crate) use layers::from_toml;
pub(crate) use layers::in_words;
pub use method::{MethodConfig, MethodSection};
pub use parameters::{ParameterInfo, ParameterSet, Parameters};
pub use preset::{PRESETS, Preset};

use serde::{Deserialize, Serialize};

pub use crate::data::batch::Batches;
pub use crate::data::{Centre, DataConfig, Normalise};
pub use crate::nets::{Activation, GeneratorConfig, NetworkKind};

/// Everything a run depends on besides the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// All randomness follows from this number.
    pub seed: u64,
    /// How the files are read.
    pub data: DataConfig,
    /// The network G.
    pub generator: GeneratorConfig,
    /// The training loop.
    pub train: TrainConfig,
    /// The method, and its own section.
    pub method: MethodConfig,
}

/// `[train]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct TrainConfig {
    /// How many updates are made.
    pub iterations: usize,
    /// Rows of each domain in a batch; 0: 128, or all rows if a domain has fewer.
    pub batch_size: usize,
    /// Adam's step size.
    pub learning_rate: f64,
    /// How the step size changes over the run.
    pub schedule: Schedule,
    /// Iterations over which the step size grows to its full value.
    pub warmup: usize,
    /// Adam's decay of the first moment.
    pub beta1: f64,
    /// Adam's decay of the second moment.
    pub beta2: f64,
    /// Polyak averaging: how much of the average is kept at each update.
    pub average: f64,
    /// Whether source batches have all classes alike or follow the data.
    pub batches: Batches,
    /// Share of the source that is kept aside to watch accuracy, drawn class by class.
    pub validation: f64,
    /// Which iteration's weights are kept.
    pub select: Select,
    /// Iterations between two looks at the validation rows.
    pub evaluate_every: usize,
    /// Seconds between two checkpoints. They change nothing in the result.
    pub checkpoint_seconds: f64,
}

/// `train.schedule`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The same step size throughout.
    Constant,
    /// Half a cosine, from full to zero.
    Cosine,
}

/// `train.select`. No rule sees a target label: there is none to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Select {
    /// The last iteration.
    Last,
    /// The iteration with the best accuracy on the source's validation rows (the paper).
    SourceVal,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            iterations: 1000,
            batch_size: 0,
            learning_rate: 1e-3,
            schedule: Schedule::Cosine,
            warmup: 50,
            beta1: 0.9,
            beta2: 0.999,
            average: 0.998,
            batches: Batches::Balanced,
            validation: 0.05,
            select: Select::Last,
            evaluate_every: 100,
            checkpoint_seconds: 10.0,
        }
    }
}

impl Config {
    /// The configuration as TOML, with every default written out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a configuration is always valid TOML")
    }

    /// The part of the configuration that the result depends on.
    pub(crate) fn fingerprint_text(&self) -> String {
        let mut relevant = self.clone();
        relevant.train.checkpoint_seconds = 0.0;
        relevant.to_toml()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    crate::parameters! {
        /// `[method.toy]`
        pub(crate) struct Toy {
            /// Weight of the added loss.
            weight: f64 = 1.0, at_least(0.0);
            /// Whether the weight
            /// grows.
            ramp: bool = false;
        }
    }

    /// The layers of a method that exists nowhere else.
    pub(crate) fn layers() -> Layers {
        let section = MethodSection::new("toy", ParameterSet::of::<Toy>())
            .shared_defaults("generator.last_activation = 'tanh'")
            .preset("paper", "ramp = true");
        Layers::new(section).unwrap()
    }

    #[test]
    fn a_declaration_gives_defaults_meanings_and_checks() {
        let toy = ParameterSet::of::<Toy>();
        assert_eq!(toy.defaults().to_string(), "weight = 1.0\nramp = false\n");
        let meanings: Vec<&str> = toy.about().iter().map(|about| about.meaning.as_str()).collect();
        assert_eq!(meanings, ["Weight of the added loss.", "Whether the weight grows."]);
        let error = layers().set("method.toy.weight=-1").unwrap().build().unwrap_err();
        assert_eq!(error.to_string(), "setting `method.toy.weight`: found -1, wanted at least 0");
    }
}
