//! The configuration: everything that a run depends on besides the data, with its default.
//!
//! A default of `auto`, 0 or an empty list depends on the data. Training replaces it with the value used, and a run
//! saves that value.
//!
//! A configuration is built in [`Layers`]: the defaults, then a preset, then a file, then single `key=value` settings.
//! The error for an unknown key suggests the nearest name; the error for a value out of range has the range. The
//! configuration knows no method by name, only the [`MethodSection`] that it is given.

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
pub use crate::nets::{Activation, GeneratorConfig, HeadsConfig, Init, NetworkKind, Norm};

/// Everything a run depends on besides the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Seed of all random numbers.
    pub seed: u64,
    /// How data files are read and rows are prepared.
    pub data: DataConfig,
    /// The network G.
    pub generator: GeneratorConfig,
    /// The networks C and T.
    #[serde(default)]
    pub heads: HeadsConfig,
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
    /// Number of iterations, one update each.
    pub iterations: usize,
    /// Rows of each domain in a batch; 0: 128, or all rows if a domain has fewer.
    pub batch_size: usize,
    /// The optimiser.
    pub optimiser: Optimiser,
    /// Its learning rate.
    pub learning_rate: f64,
    /// Share of each weight that is added to its gradient.
    pub weight_decay: f64,
    /// How the learning rate changes over the run.
    pub schedule: Schedule,
    /// Iterations over which the learning rate grows to its full value.
    pub warmup: usize,
    /// Adam's decay of the first moment, or the momentum of `sgd`.
    pub beta1: f64,
    /// Adam's decay of the second moment.
    pub beta2: f64,
    /// Polyak averaging of the weights: the decay of the average at each update; 0 is no averaging.
    pub average: f64,
    /// Whether source batches have equally many rows of each class or follow the data.
    pub batches: Batches,
    /// Share of the source held out for validation, stratified by class.
    pub validation: f64,
    /// Which iteration's weights are kept.
    pub select: Select,
    /// Iterations between two evaluations on the validation rows.
    pub evaluate_every: usize,
    /// Seconds between two checkpoints. The result does not depend on it.
    pub checkpoint_seconds: f64,
    /// Whether a method that adapts is compared with plain training on the source, and predicts by the better of the
    /// two. The adapted networks do not depend on it.
    pub guard: bool,
}

pub use crate::optim::Optimiser;

/// `train.schedule`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// A constant learning rate.
    Constant,
    /// Half a cosine, from full to zero.
    Cosine,
    /// (1 + 10 p)^−¾, where p is the completed share: to a sixth of the full rate (DANN and its successors).
    Inverse,
}

/// `train.select`. No rule uses target labels.
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
            optimiser: Optimiser::Adam,
            learning_rate: 1e-3,
            weight_decay: 0.0,
            schedule: Schedule::Cosine,
            warmup: 50,
            beta1: 0.9,
            beta2: 0.999,
            average: 0.998,
            batches: Batches::Auto,
            validation: 0.05,
            select: Select::Last,
            evaluate_every: 100,
            checkpoint_seconds: 10.0,
            guard: true,
        }
    }
}

impl Config {
    /// The configuration as TOML, with every default written out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a configuration is always valid TOML")
    }

    /// The part of the configuration that the networks depend on.
    pub(crate) fn fingerprint_text(&self) -> String {
        let mut relevant = toml::Table::try_from(self).expect("a configuration is always valid TOML");
        if let Some(toml::Value::Table(train)) = relevant.get_mut("train") {
            train.remove("guard");
            train.insert("checkpoint_seconds".to_owned(), toml::Value::Float(0.0));
        }
        relevant.to_string()
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

    /// The layers of a method that exists only in these tests.
    pub(crate) fn layers() -> Layers {
        let section = MethodSection::new("toy", ParameterSet::of::<Toy>())
            .shared_defaults("train.learning_rate = 0.5")
            .shared_needs("generator.last_activation = 'tanh'")
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
