//! Source only: a classifier that is trained without the target. The baseline of every table.

use super::shared::{l_c_info, learn_source};
use super::{LossInfo, Losses, Method, Recipe, Setup, Step};
use crate::config::ParameterSet;
use crate::error::Result;
use crate::nets::{Classifier, Networks, Weights};
use crate::optim::Learner;

/// The recipe of the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceOnly;

impl Recipe for SourceOnly {
    fn name(&self) -> &str {
        "source_only"
    }

    fn summary(&self) -> &str {
        "trains on the source alone: the baseline"
    }

    fn reference(&self) -> &str {
        "row 1 of the CLOTH paper's ablation"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn adapts(&self) -> bool {
        false
    }

    fn parameters(&self) -> ParameterSet {
        ParameterSet::of::<Params>()
    }

    fn preset(&self, preset: &str) -> &str {
        match preset {
            "paper" | "paper-code" => "label_smoothing = 0.0",
            _ => "",
        }
    }

    fn losses(&self) -> Vec<LossInfo> {
        vec![l_c_info()]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(Baseline::new(setup)?))
    }
}

crate::parameters! {
    /// `[method.source_only]`
    pub struct Params {
        /// Label smoothing of the classifier.
        label_smoothing: f64 = 0.1, smoothing();
    }
}

struct Baseline {
    nets: Learner<Classifier>,
    params: Params,
}

impl Baseline {
    fn new(setup: &Setup<'_>) -> Result<Self> {
        Ok(Self { nets: Learner::new(setup.classifier()), params: setup.params()? })
    }
}

impl Method for Baseline {
    fn step(&mut self, step: &Step<'_>) -> Result<Losses> {
        let l_c = learn_source(&mut self.nets, step, self.params.label_smoothing, &step.rate());
        Ok([("l_c", l_c)].into())
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
            let mut method = Baseline::new(&small.setup()).unwrap();
            let losses = small.run(&mut method, 1..=10);
            assert_eq!(losses.symbols(), ["l_c"]);
            let Networks { g, c, t } = method.networks();
            assert!(t.is_none());
            (export(&g), export(&c))
        };
        assert_eq!(learned(0.2), learned(7.0));
        let untrained = Baseline::new(&Small::new("source_only", &[]).setup()).unwrap().networks();
        assert_ne!(learned(0.2).1, export(&untrained.c));
    }
}
