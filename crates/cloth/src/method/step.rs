//! The interface of a method during training: its setup, and one iteration.

use std::ops::RangeInclusive;

use burn::tensor::Device;

use super::Losses;
use crate::config::{Config, Parameters, Schedule, TrainConfig};
use crate::data::batch::{Batch, TrainingSet};
use crate::error::Result;
use crate::nets::{Classifier, GeneratorSpec, Mode, Networks, Weights};
use crate::optim::Rate;
use crate::rng::{Purpose, stream};

/// A method during training: networks and optimisers that learn from labelled source rows and unlabelled target rows.
pub trait Method: Send {
    /// Makes one iteration and returns its losses.
    fn step(&mut self, step: &Step<'_>) -> Result<Losses>;

    /// The averaged networks, which are evaluated, selected and saved.
    fn networks(&self) -> Networks;

    /// The state for a checkpoint: everything needed to resume with the same results.
    fn save(&self) -> Weights;

    /// Restores the state of [`save`](Self::save).
    fn load(&mut self, state: &Weights) -> Result<()>;
}

/// Input of [`Recipe::build`](super::Recipe::build).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Setup<'a> {
    /// The whole configuration.
    pub config: &'a Config,
    /// Specification of G, resolved for the data.
    pub generator: &'a GeneratorSpec,
    /// M, the number of classes.
    pub n_classes: usize,
    /// The device of the tensors, without autodiff.
    pub device: &'a Device,
}

impl<'a> Setup<'a> {
    /// The setup for a configuration, a resolved G, M classes and a device without autodiff.
    pub fn new(
        config: &'a Config,
        generator: &'a GeneratorSpec,
        n_classes: usize,
        device: &'a Device,
    ) -> Self {
        Self { config, generator, n_classes, device }
    }

    /// The device with autodiff.
    pub fn training_device(&self) -> Device {
        self.device.clone().autodiff()
    }

    /// Reads the method's own section into its parameters.
    pub fn params<P: Parameters>(&self) -> Result<P> {
        self.config.method.read()
    }

    /// G and C with initial weights. They depend only on the seed and the sizes, so all methods start alike.
    pub fn classifier(&self) -> Classifier {
        let mut rng = stream(self.config.seed, Purpose::WEIGHTS, 0);
        Classifier::new(self.generator, self.config.heads, self.n_classes, &mut rng, &self.training_device())
    }
}

/// Input of one iteration.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Step<'a> {
    /// Number of the iteration, counted from 1.
    pub iteration: usize,
    /// `[train]`
    pub train: &'a TrainConfig,
    /// The run's seed.
    pub seed: u64,
    /// Normalised source and target rows.
    pub data: &'a TrainingSet,
    /// The device of the tensors, without autodiff.
    pub device: &'a Device,
    /// Batches of this iteration that were drawn in advance.
    drawn: &'a [(Purpose, Batch)],
}

impl<'a> Step<'a> {
    /// The input of iteration number `iteration`, counted from 1.
    pub fn new(iteration: usize, config: &'a Config, data: &'a TrainingSet, device: &'a Device) -> Self {
        Self { iteration, train: &config.train, seed: config.seed, data, device, drawn: &[] }
    }

    /// Uses batches drawn in advance, to measure a step without the time of drawing them.
    pub fn with_batches(self, drawn: &'a [(Purpose, Batch)]) -> Self {
        Self { drawn, ..self }
    }

    /// The minibatch of both domains for this purpose. The same call returns the same batch.
    pub fn batch(&self, purpose: Purpose) -> Batch {
        match self.drawn.iter().find(|(drawn_for, _)| *drawn_for == purpose) {
            Some((_, batch)) => batch.clone(),
            None => self.data.batch(purpose, self.iteration, self.device),
        }
    }

    /// The mode of a training pass of this iteration, whose first `b_s` rows are source rows.
    pub fn mode(&self, purpose: Purpose, b_s: usize) -> Mode {
        Mode::training(self.seed, purpose, self.iteration, b_s)
    }

    /// Random numbers of this iteration for this purpose.
    pub fn random(&self, purpose: Purpose) -> rand_chacha::ChaCha8Rng {
        stream(self.seed, purpose, self.iteration as u64)
    }

    /// Completed share of the run: 0 at the first iteration, just below 1 at the last.
    pub fn progress(&self) -> f64 {
        (self.iteration - 1) as f64 / self.train.iterations as f64
    }

    /// Whether the networks are evaluated after this iteration: every `train.evaluate_every`, and the last.
    pub fn is_evaluated(&self) -> bool {
        self.iteration == self.train.iterations || self.iteration.is_multiple_of(self.train.evaluate_every)
    }

    /// Learning rate and decays of this iteration, after warm-up and schedule.
    pub fn rate(&self) -> Rate {
        self.rate_in(1..=self.train.iterations)
    }

    /// Like [`rate`](Self::rate), with a separate warm-up and schedule over the iterations of `phase`.
    pub fn rate_in(&self, phase: RangeInclusive<usize>) -> Rate {
        let done = self.iteration - phase.start();
        let progress = done as f64 / (phase.end() + 1 - phase.start()) as f64;
        let warm = ((done + 1) as f64 / self.train.warmup.max(1) as f64).min(1.0);
        let decay = match self.train.schedule {
            Schedule::Constant => 1.0,
            Schedule::Inverse => (1.0 + 10.0 * progress).powf(-0.75),
            Schedule::Cosine => 0.5 * (1.0 + (std::f64::consts::PI * progress).cos()),
        };
        Rate {
            optimiser: self.train.optimiser,
            weight_decay: self.train.weight_decay,
            learning_rate: self.train.learning_rate * warm * decay,
            beta1: self.train.beta1,
            beta2: self.train.beta2,
            average: self.train.average,
        }
    }
}
