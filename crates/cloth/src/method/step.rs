//! A method at work: what it is built from, and one iteration.

use std::ops::RangeInclusive;

use burn::tensor::Device;

use super::Losses;
use crate::config::{Config, Parameters, Schedule, TrainConfig};
use crate::data::batch::{Batch, TrainingSet};
use crate::error::Result;
use crate::nets::{Classifier, Dropout, GeneratorSpec, Networks, Weights};
use crate::optim::Rate;
use crate::rng::{Purpose, stream};

/// A way to learn from labelled source rows and unlabelled target rows.
pub trait Method: Send {
    /// Makes one update.
    fn step(&mut self, step: &Step<'_>) -> Result<Losses>;

    /// The averaged networks: what is evaluated, selected and saved.
    fn networks(&self) -> Networks;

    /// Everything needed to go on exactly here.
    fn save(&self) -> Weights;

    /// Goes back to what [`save`](Self::save) kept.
    fn load(&mut self, state: &Weights) -> Result<()>;
}

/// What a method is built from.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Setup<'a> {
    /// The whole configuration.
    pub config: &'a Config,
    /// G, resolved for the data.
    pub generator: &'a GeneratorSpec,
    /// M
    pub n_classes: usize,
    /// Where tensors are computed, without a record for gradients.
    pub device: &'a Device,
}

impl<'a> Setup<'a> {
    /// A method's surroundings.
    pub fn new(
        config: &'a Config,
        generator: &'a GeneratorSpec,
        n_classes: usize,
        device: &'a Device,
    ) -> Self {
        Self { config, generator, n_classes, device }
    }

    /// The device that records what it does, so that gradients can be taken.
    pub fn training_device(&self) -> Device {
        self.device.clone().autodiff()
    }

    /// The method's own section.
    pub fn params<P: Parameters>(&self) -> Result<P> {
        self.config.method.read()
    }

    /// G and C with the run's initial weights: the same for every method that starts from them.
    pub fn classifier(&self) -> Classifier {
        let mut rng = stream(self.config.seed, Purpose::WEIGHTS, 0);
        Classifier::new(self.generator, self.n_classes, &mut rng, &self.training_device())
    }
}

/// One iteration, as a method sees it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Step<'a> {
    /// Counted from 1.
    pub iteration: usize,
    /// The training loop's settings.
    pub train: &'a TrainConfig,
    /// The run's seed.
    pub seed: u64,
    /// The rows.
    pub data: &'a TrainingSet,
    /// Where tensors are computed, without a record for gradients.
    pub device: &'a Device,
    /// Batches of this iteration that are drawn already.
    drawn: &'a [(Purpose, Batch)],
}

impl<'a> Step<'a> {
    /// An iteration of a run.
    pub fn new(iteration: usize, config: &'a Config, data: &'a TrainingSet, device: &'a Device) -> Self {
        Self { iteration, train: &config.train, seed: config.seed, data, device, drawn: &[] }
    }

    /// With some of its batches drawn beforehand, to measure a step without drawing them.
    pub fn with_batches(self, drawn: &'a [(Purpose, Batch)]) -> Self {
        Self { drawn, ..self }
    }

    /// A fresh minibatch of both domains.
    pub fn batch(&self, purpose: Purpose) -> Batch {
        match self.drawn.iter().find(|(drawn_for, _)| *drawn_for == purpose) {
            Some((_, batch)) => batch.clone(),
            None => self.data.batch(purpose, self.iteration, self.device),
        }
    }

    /// Fresh dropout masks.
    pub fn dropout(&self, purpose: Purpose) -> Dropout {
        Dropout::on(self.seed, purpose, self.iteration)
    }

    /// Random numbers of this iteration.
    pub fn random(&self, purpose: Purpose) -> rand_chacha::ChaCha8Rng {
        stream(self.seed, purpose, self.iteration as u64)
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
