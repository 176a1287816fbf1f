//! Source only: the classifier that never heard of the target. The baseline of every table.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::{Entry, Losses, Method, Setup, Step, defaults, params};
use crate::config::Config;
use crate::error::Result;
use crate::loss::l_c;
use crate::nets::{Classifier, Networks, Weights};
use crate::optim::{Learner, Rate};
use crate::rng::Purpose;

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "source_only",
    summary: "trains on the source alone: the baseline",
    reference: "row 1 of the CLOTH paper's ablation",
    adapts: false,
    defaults: defaults::<Params>,
    shared_defaults: "",
    build: |setup| Ok(Box::new(SourceOnly::new(setup)?)),
    check_params: |config| params::<Params>(config)?.check(config),
};

/// `[method.source_only]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Label smoothing of the classifier.
    pub label_smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { label_smoothing: 0.1 }
    }
}

impl Params {
    fn check(&self, _config: &Config) -> Result<()> {
        crate::config::within("method.source_only.label_smoothing", self.label_smoothing, 0.0, 0.9)
    }
}

struct SourceOnly {
    nets: Learner<Classifier>,
    params: Params,
}

impl SourceOnly {
    fn new(setup: &Setup<'_>) -> Result<Self> {
        Ok(Self { nets: Learner::new(setup.classifier()), params: params(setup.config)? })
    }
}

/// One update of G and C on source rows alone; returns l_c.
pub(super) fn learn_source(
    nets: &mut Learner<Classifier>,
    step: &Step<'_>,
    label_smoothing: f64,
    rate: &Rate,
) -> f32 {
    let batch = step.batch(Purpose::BatchesOfG);
    let mut dropout = step.dropout(Purpose::DropoutOfG);
    let Classifier { g, c } = nets.module();
    let x_s = Tensor::from_inner(batch.x.narrow(0, 0, batch.b_s));
    let z_s = g.forward(x_s, &mut dropout);
    let z_s = dropout.apply(z_s, g.spec().dropout);
    let l_c = l_c(c.forward(z_s), &batch.y_s, label_smoothing);
    let value = l_c.clone().into_scalar();
    nets.step(l_c, rate);
    value
}

impl Method for SourceOnly {
    fn step(&mut self, step: &Step<'_>) -> Result<Losses> {
        let l_c = learn_source(&mut self.nets, step, self.params.label_smoothing, &step.rate());
        Ok(vec![("l_c", l_c)])
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::shared::check::Small;
    use crate::nets::export;

    #[test]
    fn the_target_makes_no_difference() {
        let learned = |shift: f32| {
            let small = Small::moved("source_only", &[], shift);
            let mut method = SourceOnly::new(&small.setup()).unwrap();
            let losses = small.run(&mut method, 1..=10);
            assert_eq!(losses.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["l_c"]);
            let Networks { g, c, t } = method.networks();
            assert!(t.is_none());
            (export(&g), export(&c))
        };
        assert_eq!(learned(0.2), learned(7.0));
        let untrained = SourceOnly::new(&Small::new("source_only", &[]).setup()).unwrap().networks();
        assert_ne!(learned(0.2).1, export(&untrained.c));
    }
}
