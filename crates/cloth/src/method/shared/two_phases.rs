//! Methods that first train G and C on the source, then adapt a copy of G to the target with C as it is.

use std::ops::RangeInclusive;

use crate::error::Result;
use crate::method::source_only::learn_source;
use crate::method::{Setup, Step};
use crate::nets::{Classifier, Generator, Networks, Weights, export, import};
use crate::optim::Learner;

/// G and C of the source, and from some iteration on a G of the target.
pub(crate) struct TwoPhases {
    pub(crate) source: Learner<Classifier>,
    /// G of the target; of no use yet in the first phase.
    pub(crate) target: Learner<Generator>,
    adapting: bool,
    /// Share of the run that is spent on the source.
    pretrain: f64,
    label_smoothing: f64,
}

impl TwoPhases {
    pub(crate) fn new(setup: &Setup<'_>, pretrain: f64, label_smoothing: f64) -> Self {
        let source = Learner::new(setup.classifier());
        let target = Learner::new(source.module().g.clone());
        Self { source, target, adapting: false, pretrain, label_smoothing }
    }

    /// The iterations of the second phase; the first has at least one.
    pub(crate) fn second(&self, step: &Step<'_>) -> RangeInclusive<usize> {
        let first = (self.pretrain * step.train.iterations as f64).ceil() as usize;
        first.max(1) + 1..=step.train.iterations
    }

    /// Makes an update of the first phase and returns its l_c; or sees to it that the second has begun.
    pub(crate) fn learn_source(&mut self, step: &Step<'_>) -> Result<Option<f32>> {
        let second = self.second(step);
        if step.iteration < *second.start() {
            let rate = step.rate_in(1..=second.start() - 1);
            return Ok(Some(learn_source(&mut self.source, step, self.label_smoothing, &rate)));
        }
        if !self.adapting {
            // Averaged weights are what the first phase is judged by, so the second goes on from them.
            let learned = export(&self.source.average());
            self.source = Learner::new(import(self.source.module().clone(), &learned)?);
            self.target = Learner::new(self.source.module().g.clone());
            self.adapting = true;
        }
        Ok(None)
    }

    /// The averaged networks of the phase that has been reached.
    pub(crate) fn networks(&self) -> Networks {
        let Classifier { g, c } = self.source.average();
        let g = if self.adapting { self.target.average() } else { g };
        Classifier { g, c }.into()
    }

    pub(crate) fn save(&self, state: &mut Weights) {
        self.source.save("source", state);
        self.target.save("target", state);
        state.insert("adapting".into(), (vec![1], vec![f32::from(u8::from(self.adapting))]));
    }

    pub(crate) fn load(&mut self, state: &Weights) -> Result<()> {
        self.source.load("source", state)?;
        self.target.load("target", state)?;
        self.adapting = state.get("adapting").is_some_and(|(_, values)| values == &[1.0]);
        Ok(())
    }
}
