//! Methods that add one loss to the classification loss, and update G and C by the sum.

use burn::tensor::Tensor;

use super::{Pass, Total, growing};
use crate::error::Result;
use crate::loss::l_c;
use crate::method::{Losses, Method, Setup, Step};
use crate::nets::{Classifier, Networks, Weights};
use crate::optim::Learner;

/// `l_c + weight · loss`
pub struct AddedLoss {
    nets: Learner<Classifier>,
    label_smoothing: f64,
    symbol: &'static str,
    weight: f64,
    start: f64,
    grows: bool,
    loss: LossOfBatch,
}

type LossOfBatch = Box<dyn Fn(Pass) -> Tensor<1> + Send>;

impl AddedLoss {
    /// Adds `weight` times `loss`, which is reported as `symbol`. The classifier has no label smoothing.
    pub fn new(
        setup: &Setup<'_>,
        symbol: &'static str,
        weight: f64,
        loss: impl Fn(Pass) -> Tensor<1> + Send + 'static,
    ) -> Self {
        let nets = Learner::new(setup.classifier());
        let loss = Box::new(loss);
        Self { nets, label_smoothing: 0.0, symbol, weight, start: 0.0, grows: false, loss }
    }

    /// Smooths the labels of the classification loss.
    pub fn smoothed(self, label_smoothing: f64) -> Self {
        Self { label_smoothing, ..self }
    }

    /// Adds the loss only after this share of the run.
    pub fn after(self, start: f64) -> Self {
        Self { start, ..self }
    }

    /// If `grows`, ramps up the weight over the run by [`growing`].
    pub fn growing(self, grows: bool) -> Self {
        Self { grows, ..self }
    }
}

impl Method for AddedLoss {
    fn step(&mut self, step: &Step<'_>) -> Result<Losses> {
        let mut losses = Losses::new();
        let pass = Pass::new(self.nets.module(), step);
        let mut total = Total::new(&mut losses);
        total.add("l_c", 1.0, l_c(pass.c_s.clone(), &pass.y_s, self.label_smoothing));
        if step.progress() >= self.start {
            let weight = if self.grows { self.weight * growing(step.progress()) } else { self.weight };
            total.add(self.symbol, weight, (self.loss)(pass));
        }
        if let Some(sum) = total.sum() {
            self.nets.step(sum, &step.rate());
        }
        Ok(losses)
    }

    fn networks(&self) -> Networks {
        self.nets.average().into()
    }

    fn save(&self) -> Weights {
        let mut state = Weights::new();
        self.nets.save("nets", &mut state);
        state
    }

    fn load(&mut self, state: &Weights) -> Result<()> {
        self.nets.load("nets", state)
    }
}
