//! The configuration: everything that a run depends on, with its default. A default may be left to the data, as `auto`,
//! 0 or an empty list; what comes of it is decided where it is used, and `cloth inspect` shows it.
//!
//! A configuration is built in layers: the defaults here, then a preset, then a file, then single `key=value`
//! settings. An unknown key or an impossible value is refused with the nearest name or the range.

mod check;
pub(crate) use check::{at_least_one, layer_width, within};
mod layers;
mod preset;

pub use layers::Layers;
pub(crate) use layers::{from_toml, in_words};
pub use preset::{PRESETS, Preset};

use serde::{Deserialize, Serialize};

/// Everything a run depends on besides the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

/// `[data]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataConfig {
    /// Column or array that holds the labels; empty: found by its usual names.
    pub label: String,
    /// Images are resized to this many pixels a side.
    pub image_size: usize,
    /// 1: images are made gray; 3: they keep their colours.
    pub image_channels: usize,
    /// How rows are normalised before they reach G.
    pub normalise: Normalise,
    /// Whether the target is centred by its own mean (needs no label) or by the source's.
    pub centre: Centre,
    /// How much images of a batch are moved, turned and scaled at random: 0 not at all, 1 much.
    pub augment: f64,
}

/// `data.normalise`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalise {
    /// Decided from the values, without labels; see [`crate::data::normalise`].
    Auto,
    /// Rows centred, then scaled to one length.
    Direction,
    /// Each feature centred and divided by its standard deviation.
    Standard,
    /// All values centred and divided by one standard deviation: pixels.
    Global,
    /// Each row centred and divided by its own standard deviation: photographs in any light.
    Image,
    /// `log(1 + x)`, then as `direction`: counts.
    Counts,
    /// Values as they are.
    None,
}

/// `data.centre`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Centre {
    /// As the method says: each domain by its own mean for methods that adapt.
    Auto,
    /// Each domain by its own statistics.
    Domain,
    /// Both by the source's statistics.
    Source,
}

/// `[generator]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GeneratorConfig {
    /// The kind of network; `auto` is `lenet` for images and `mlp` for everything else.
    pub kind: Kind,
    /// Widths of the dense layers; empty: chosen for the kind of network.
    pub hidden: Vec<usize>,
    /// Filters of LeNet's two convolutions.
    pub filters: [usize; 2],
    /// Nonlinearity of all dense layers but the last.
    pub activation: Activation,
    /// Nonlinearity of the last dense layer.
    pub last_activation: Activation,
    /// Dropout rate between dense layers and before each head.
    pub dropout: f64,
    /// Dropout rate on the input.
    pub input_dropout: f64,
}

/// `generator.kind`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `lenet` for images, `mlp` for everything else.
    Auto,
    /// Dense layers.
    Mlp,
    /// Convolutions first.
    Lenet,
}

/// A hidden unit's nonlinearity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(x, 0)
    Relu,
    /// tanh x, which keeps latent values, and so their moments, bounded
    Tanh,
    /// x / ‖x‖, row by row: only a row's direction counts
    Unit,
}

/// `[train]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
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

/// `train.batches`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Batches {
    /// Rows at random.
    Uniform,
    /// The same number of rows of each class.
    Balanced,
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

/// `[method]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodConfig {
    /// Which method trains.
    pub name: String,
    /// Its own section, `[method.<name>]`, as the method's file defines it.
    #[serde(flatten)]
    pub params: toml::Table,
}

impl MethodConfig {
    /// How many iterations do all the work, for a method that goes over all rows in rounds and uses neither `[generator]`
    /// nor batches. The first iteration is one of them.
    pub fn rounds(&self) -> Option<usize> {
        let rounds = self.params.get(&self.name)?.get("rounds")?.as_integer()?;
        usize::try_from(rounds).ok()
    }
}

impl Default for DataConfig {
    fn default() -> Self {
        Self {
            label: String::new(),
            image_size: 32,
            image_channels: 1,
            normalise: Normalise::Auto,
            centre: Centre::Auto,
            augment: 0.0,
        }
    }
}

impl Default for GeneratorConfig {
    fn default() -> Self {
        Self {
            kind: Kind::Auto,
            hidden: Vec::new(),
            filters: [64, 128],
            activation: Activation::Relu,
            last_activation: Activation::Relu,
            dropout: 0.5,
            input_dropout: 0.0,
        }
    }
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
    /// The default configuration of a method.
    ///
    /// ```
    /// let config = cloth::Config::of_method("cloth").unwrap();
    /// assert_eq!(config.method.name, "cloth");
    /// ```
    pub fn of_method(name: &str) -> crate::Result<Self> {
        Layers::new(name)?.build()
    }

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
