//! Methods that first train G and C on the source, then adapt a copy of G to the target with C constant.

use std::ops::RangeInclusive;

use super::learn_source::learn_source;
use crate::config::Config;
use crate::error::Result;
use crate::method::{Phase, Setup, Step};
use crate::nets::{Classifier, Generator, Networks, Weights, export, import};
use crate::optim::Learner;

/// The first iteration after the given share of a run, counted from 1.
pub fn first_after(share: f64, iterations: usize) -> usize {
    (share * iterations as f64).ceil() as usize + 1
}

/// Two phases: training on the source, then adaptation from iteration `second` on.
pub fn phases(config: &Config, second: usize) -> Vec<Phase> {
    let last = config.train.iterations;
    vec![Phase::new("source", 1..=second - 1), Phase::new("adaptation", second..=last)]
}

/// G and C of the source and, in the second phase, a G of the target.
pub struct TwoPhases {
    /// G and C of the source.
    pub source: Learner<Classifier>,
    /// G of the target; not used in the first phase.
    pub target: Learner<Generator>,
    adapting: bool,
    /// Share of the run that trains on the source.
    pretrain: f64,
    label_smoothing: f64,
}

impl TwoPhases {
    /// Trains on the source for the share `pretrain` of the run.
    pub fn new(setup: &Setup<'_>, pretrain: f64, label_smoothing: f64) -> Self {
        let source = Learner::new(setup.classifier());
        let target = Learner::new(source.module().g.clone());
        Self { source, target, adapting: false, pretrain, label_smoothing }
    }

    /// The iterations of the second phase; the first has at least one.
    pub fn second(&self, step: &Step<'_>) -> RangeInclusive<usize> {
        Self::first_of_second(self.pretrain, step.train.iterations)..=step.train.iterations
    }

    /// The first iteration of the second phase in a run of `iterations`, at least 2.
    pub fn first_of_second(pretrain: f64, iterations: usize) -> usize {
        first_after(pretrain, iterations).max(2)
    }

    /// In the first phase, makes an update and returns its l_c. In the second phase, returns `None`; the first call
    /// copies the averaged G to the target.
    pub fn learn_source(&mut self, step: &Step<'_>) -> Result<Option<f32>> {
        let second = self.second(step);
        if step.iteration < *second.start() {
            let rate = step.rate_in(1..=second.start() - 1);
            return Ok(Some(learn_source(&mut self.source, step, self.label_smoothing, &rate)));
        }
        if !self.adapting {
            // The first phase is evaluated by its averaged weights, so the second phase starts from them.
            let learned = export(&self.source.average());
            self.source = Learner::new(import(self.source.module().clone(), &learned)?);
            self.target = Learner::new(self.source.module().g.clone());
            self.adapting = true;
        }
        Ok(None)
    }

    /// The averaged networks: G of the source in the first phase, G of the target in the second; C of the source.
    pub fn networks(&self) -> Networks {
        let Classifier { g, c } = self.source.average();
        let g = if self.adapting { self.target.average() } else { g };
        Classifier { g, c }.into()
    }

    /// Adds the state for a checkpoint: everything needed to resume with the same results.
    pub fn save(&self, state: &mut Weights) {
        self.source.save("source", state);
        self.target.save("target", state);
        state.insert("adapting".into(), (vec![1], vec![f32::from(u8::from(self.adapting))]));
    }

    /// Restores the state of [`save`](Self::save).
    pub fn load(&mut self, state: &Weights) -> Result<()> {
        self.source.load("source", state)?;
        self.target.load("target", state)?;
        self.adapting = state.get("adapting").is_some_and(|(_, values)| values == &[1.0]);
        Ok(())
    }
}
