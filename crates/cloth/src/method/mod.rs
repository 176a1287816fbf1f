//! Methods: each one file under one trait, and the one list of them.
//!
//! Adding a method is a file with its parameters, its [`Method`] and its [`Entry`], and two lines here; the
//! command line, the configuration section, the documentation and the contract test follow from [`METHODS`].
//!
//! Besides CLOTH and its baseline these are the methods it is compared with. Each follows its paper, or its authors'
//! published code where the two differ or the paper is silent, and takes its defaults from there, never from a look
//! at target accuracy; the head of its file says what was followed. G, batches, optimiser, averaging and the number
//! of iterations are the same for all, but for what an entry's `shared_defaults` ask for.

pub mod adda;
pub mod cdan;
pub mod cloth;
pub mod cmd;
pub mod dan;
pub mod dann;
pub mod deep_coral;
pub mod deepjdot;
pub mod homm;
pub mod mcc;
mod shared;
pub mod shot;
pub mod source_only;
pub mod spl;

use std::ops::RangeInclusive;

use crate::config::{Config, Schedule, TrainConfig, in_words};
use crate::data::batch::{Batch, TrainingSet};
use crate::error::{Problem, Result};
use crate::nets::{Classifier, Dropout, GeneratorSpec, Networks, Weights};
use crate::optim::Rate;
use crate::rng::{Purpose, stream};

/// All methods.
pub const METHODS: &[Entry] = &[
    cloth::ENTRY,
    source_only::ENTRY,
    dan::ENTRY,
    deep_coral::ENTRY,
    cmd::ENTRY,
    homm::ENTRY,
    dann::ENTRY,
    adda::ENTRY,
    cdan::ENTRY,
    cdan::ENTRY_E,
    deepjdot::ENTRY,
    mcc::ENTRY,
    shot::ENTRY,
    spl::ENTRY,
];

/// A method, before it is built.
pub struct Entry {
    /// What `--method` and `[method.<name>]` take.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// Whether it learns from the target's rows; if not, it cannot use the target's mean either.
    pub adapts: bool,
    /// The method's own section with every default.
    pub defaults: fn() -> toml::Table,
    /// What its paper wants of the other sections, as TOML; most want nothing.
    pub shared_defaults: &'static str,
    /// Builds it with fresh weights.
    pub build: fn(&Setup<'_>) -> Result<Box<dyn Method>>,
    /// Refuses impossible values in its section.
    pub check_params: fn(&Config) -> Result<()>,
}

impl Entry {
    /// Refuses impossible values in the method's section.
    pub fn check(&self, config: &Config) -> Result<()> {
        (self.check_params)(config)
    }
}

/// The method of that name, or an error that lists them.
pub fn find(name: &str) -> Result<&'static Entry> {
    METHODS.iter().find(|entry| entry.name == name).ok_or_else(|| {
        Problem::at("method")
            .found(format!("`{name}`"))
            .wanted(format!("one of {}", METHODS.iter().map(|e| e.name).collect::<Vec<_>>().join(", ")))
            .into()
    })
}

/// What a method is built from.
pub struct Setup<'a> {
    /// The whole configuration.
    pub config: &'a Config,
    /// G, resolved for the data.
    pub generator: &'a GeneratorSpec,
    /// M
    pub n_classes: usize,
}

impl Setup<'_> {
    /// G and C with the run's initial weights: the same for every method that starts from them.
    fn classifier(&self) -> Classifier {
        let mut rng = stream(self.config.seed, Purpose::Weights, 0);
        Classifier::new(self.generator, self.n_classes, &mut rng, &crate::device::training())
    }
}

/// The value of each loss at one iteration, under the paper's symbols.
pub type Losses = Vec<(&'static str, f32)>;

/// A way to learn from labelled source rows and unlabelled target rows.
pub trait Method {
    /// Makes one update.
    fn step(&mut self, step: &Step<'_>) -> Result<Losses>;

    /// The averaged networks: what is evaluated, selected and saved.
    fn networks(&self) -> Networks;

    /// Everything needed to go on exactly here.
    fn save(&self) -> Weights;

    /// Goes back to what [`save`](Self::save) kept.
    fn load(&mut self, state: &Weights) -> Result<()>;
}

/// One iteration, as a method sees it.
pub struct Step<'a> {
    /// Counted from 1.
    pub iteration: usize,
    /// The training loop's settings.
    pub train: &'a TrainConfig,
    /// The run's seed.
    pub seed: u64,
    /// The rows.
    pub data: &'a TrainingSet,
    /// Batches of this iteration that are drawn already, to measure a step without them; the others are drawn when
    /// they are asked for.
    pub drawn: &'a [(Purpose, Batch)],
}

impl Step<'_> {
    /// A fresh minibatch of both domains.
    pub fn batch(&self, purpose: Purpose) -> Batch {
        match self.drawn.iter().find(|(drawn_for, _)| *drawn_for == purpose) {
            Some((_, batch)) => batch.clone(),
            None => self.data.batch(purpose, self.iteration, &crate::device::compute()),
        }
    }

    /// Fresh dropout masks.
    pub fn dropout(&self, purpose: Purpose) -> Dropout {
        Dropout::on(self.seed, purpose, self.iteration)
    }

    /// How much of the run is behind us: 0 at the first iteration, just below 1 at the last.
    pub fn progress(&self) -> f64 {
        (self.iteration - 1) as f64 / self.train.iterations as f64
    }

    /// How far this update goes.
    pub fn rate(&self) -> Rate {
        self.rate_in(1..=self.train.iterations)
    }

    /// How far this update goes where the iterations of `phase` are a training of their own, with a warm-up and a
    /// schedule of their own.
    pub fn rate_in(&self, phase: RangeInclusive<usize>) -> Rate {
        let done = self.iteration - phase.start();
        let progress = done as f64 / (phase.end() + 1 - phase.start()) as f64;
        let warm = ((done + 1) as f64 / self.train.warmup.max(1) as f64).min(1.0);
        let decay = match self.train.schedule {
            Schedule::Constant => 1.0,
            Schedule::Cosine => 0.5 * (1.0 + (std::f64::consts::PI * progress).cos()),
        };
        Rate {
            learning_rate: self.train.learning_rate * warm * decay,
            beta1: self.train.beta1,
            beta2: self.train.beta2,
            average: self.train.average,
        }
    }
}

/// A method's own section with every default.
fn defaults<P: serde::Serialize + Default>() -> toml::Table {
    table(&P::default())
}

fn table<P: serde::Serialize>(params: &P) -> toml::Table {
    toml::Table::try_from(params).expect("parameters are valid TOML")
}

/// Reads a method's own section; the layers below have already checked its names.
fn params<P: serde::de::DeserializeOwned>(config: &Config) -> Result<P> {
    let name = &config.method.name;
    let section = config.method.params.get(name).cloned().unwrap_or(toml::Value::Table(toml::Table::new()));
    serde_path_to_error::deserialize(section).map_err(|e| {
        let key = e.path().to_string();
        Problem::at(format!("configuration, `method.{name}.{key}`"))
            .found(in_words(e.into_inner().message().trim()))
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::shared::check::Small;

    #[test]
    fn a_phase_warms_up_and_slows_down_on_its_own() {
        let small = Small::new("source_only", &["train.warmup=2", "train.learning_rate=1"]);
        let rate = |iteration, phase| small.step(iteration).rate_in(phase).learning_rate;
        // Half a cosine over ten iterations, the first of them warming up.
        assert_eq!(rate(1, 1..=10), 0.5);
        assert!((rate(6, 1..=10) - 0.5).abs() < 1e-12);
        assert_eq!(small.step(6).rate().learning_rate, rate(6, 1..=10));
        for done in 0..5 {
            assert_eq!(rate(6 + done, 6..=10), rate(1 + done, 1..=5));
        }
    }
}
