//! ADDA: a G of the target's own learns to look like the source's.
//!
//! Tzeng et al., *Adversarial Discriminative Domain Adaptation*, CVPR 2017:
//!
//! ```text
//! first phase:   update C, G_s by l_c
//! second phase:  G_t starts as G_s; C and G_s stay as they are
//!                update D   by l_dom(D(G_s(x_s)), D(G_t(x_t)))
//!                update G_t by − mean_t log(1 − D(G_t(x_t))),   D: how sure it is of "target"
//! ```
//!
//! C predicts on G_t. Each phase has half of the run and a schedule of its own: the authors' published script trains
//! both for as long. Its step size is 0.001 in the first phase and 0.0002 in the second, hence a fifth; D has two hidden
//! layers of 500 ReLUs as in the paper. Adam's decay of the first moment is 0.5 there, for digits: the suite `digits`
//! sets it for the second phase under the default preset, for with 0.9 G_t collapses there. In that script D sees the
//! logits, and the last layer adapts with the rest; here, as in the paper, it is z, and C stays.

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::shared::TwoPhases;
use super::{Entry, Losses, Method, Setup, Step, defaults, params};
use crate::config::{Config, layer_width, within};
use crate::error::Result;
use crate::loss::{GtForm, l_dom, l_gt};
use crate::nets::{DomainDiscriminator, Generator, Networks, Weights};
use crate::optim::{Learner, Rate};
use crate::rng::{Purpose, stream};

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "adda",
    summary: "adapts a copy of the generator against a discriminator, the classifier frozen",
    reference: "ADDA, CVPR 2017",
    adapts: true,
    defaults: defaults::<Params>,
    shared_defaults: "",
    build: |setup| Ok(Box::new(Adda::new(setup)?)),
    check_params: |config| params::<Params>(config)?.check(config),
};

/// `[method.adda]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Share of the run that is spent on the source.
    pub pretrain: f64,
    /// What the step size is multiplied by in the second phase.
    pub adversarial_rate: f64,
    /// Adam's decay of the first moment in the second phase; the authors have 0.5 for digits.
    pub adversarial_beta1: f64,
    /// Widths of D's hidden layers.
    pub discriminator_hidden: Vec<usize>,
    /// Label smoothing of the classifier; the paper has none.
    pub label_smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            pretrain: 0.5,
            adversarial_rate: 0.2,
            adversarial_beta1: 0.9,
            discriminator_hidden: vec![500, 500],
            label_smoothing: 0.0,
        }
    }
}

impl Params {
    fn check(&self, _config: &Config) -> Result<()> {
        within("method.adda.pretrain", self.pretrain, 0.0, 1.0)?;
        within("method.adda.adversarial_rate", self.adversarial_rate, 0.0, 100.0)?;
        within("method.adda.adversarial_beta1", self.adversarial_beta1, 0.0, 0.9999)?;
        for (i, &width) in self.discriminator_hidden.iter().enumerate() {
            layer_width(&format!("method.adda.discriminator_hidden[{i}]"), width)?;
        }
        within("method.adda.label_smoothing", self.label_smoothing, 0.0, 0.9)
    }
}

struct Adda {
    nets: TwoPhases,
    d: Learner<DomainDiscriminator>,
    params: Params,
}

impl Adda {
    fn new(setup: &Setup<'_>) -> Result<Self> {
        let params: Params = params(setup.config)?;
        let mut rng = stream(setup.config.seed, Purpose::Weights, 1);
        let widths = [&[setup.generator.width()][..], &params.discriminator_hidden, &[2]].concat();
        let d = DomainDiscriminator::new(&widths, 0.0, &mut rng, &crate::device::training());
        let nets = TwoPhases::new(setup, params.pretrain, params.label_smoothing);
        Ok(Self { nets, d: Learner::new(d), params })
    }

    /// D learns to tell the source through G_s from the target through G_t.
    fn update_d(&mut self, step: &Step<'_>, rate: &Rate) -> f32 {
        let batch = step.batch(Purpose::BatchesOfD);
        let mut dropout = step.dropout(Purpose::DropoutOfD);
        let mut through = |g: Generator, from: usize, rows: usize| {
            let z = g.forward(batch.x.clone().narrow(0, from, rows), &mut dropout);
            Tensor::from_inner(dropout.apply(z, g.spec().dropout))
        };
        let [rows, _] = batch.x.dims();
        let z_s = through(self.nets.source.module().g.valid(), 0, batch.b_s);
        let z_t = through(self.nets.target.module().valid(), batch.b_s, rows - batch.b_s);
        let d = self.d.module();
        let l_dom = l_dom(d.forward(z_s), d.forward(z_t), None);
        let value = l_dom.clone().into_scalar();
        self.d.step(l_dom, rate);
        value
    }

    /// G_t learns to be taken for the source, with D as it is.
    fn update_g(&mut self, step: &Step<'_>, rate: &Rate) -> f32 {
        let batch = step.batch(Purpose::BatchesOfG);
        let mut dropout = step.dropout(Purpose::DropoutOfG);
        let [rows, _] = batch.x.dims();
        let g = self.nets.target.module();
        let x_t = Tensor::from_inner(batch.x.narrow(0, batch.b_s, rows - batch.b_s));
        let z_t = g.forward(x_t, &mut dropout);
        let z_t = dropout.apply(z_t, g.spec().dropout);
        let d = self.d.module().clone().no_grad();
        let l_adv = l_gt(d.forward(z_t), GtForm::NonSaturating);
        let value = l_adv.clone().into_scalar();
        self.nets.target.step(l_adv, rate);
        value
    }
}

impl Method for Adda {
    fn step(&mut self, step: &Step<'_>) -> Result<Losses> {
        if let Some(l_c) = self.nets.learn_source(step)? {
            return Ok(vec![("l_c", l_c)]);
        }
        let rate = step.rate_in(self.nets.second(step));
        let rate = Rate {
            learning_rate: self.params.adversarial_rate * rate.learning_rate,
            beta1: self.params.adversarial_beta1,
            ..rate
        };
        Ok(vec![("l_dom", self.update_d(step, &rate)), ("l_adv", self.update_g(step, &rate))])
    }

    fn networks(&self) -> Networks {
        self.nets.networks()
    }

    fn save(&self) -> Weights {
        let mut state = Weights::new();
        self.nets.save(&mut state);
        self.d.save("d", &mut state);
        state
    }

    fn load(&mut self, state: &Weights) -> Result<()> {
        self.nets.load(state)?;
        self.d.load("d", state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::shared::check::Small;
    use crate::nets::export;

    #[test]
    fn the_target_s_generator_starts_as_the_source_s_and_only_it_goes_on_learning() {
        let small = Small::new("adda", &[]);
        let mut adda = Adda::new(&small.setup()).unwrap();
        let names = |losses: Losses| losses.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(small.run(&mut adda, 1..=5)), ["l_c"]);
        let learned = adda.networks();
        assert_eq!(names(small.run(&mut adda, 6..=10)), ["l_dom", "l_adv"]);
        assert_eq!(export(&adda.nets.source.module().g), export(&learned.g));
        assert_eq!(export(&adda.networks().c), export(&learned.c));
        assert_ne!(export(&adda.networks().g), export(&learned.g));
    }

    #[test]
    fn only_the_second_phase_has_its_own_decay_of_the_first_moment() {
        let after = |iterations: usize, beta1: &str| {
            let small = Small::new("adda", &[&format!("method.adda.adversarial_beta1={beta1}")]);
            let mut adda = Adda::new(&small.setup()).unwrap();
            small.run(&mut adda, 1..=iterations);
            adda.save()
        };
        assert_eq!(after(5, "0.5"), after(5, "0.9"));
        assert_ne!(after(7, "0.5"), after(7, "0.9"));
    }

    #[test]
    fn a_target_s_generator_that_cannot_move_is_the_source_s() {
        let small = Small::new("adda", &["method.adda.adversarial_rate=0"]);
        let mut adda = Adda::new(&small.setup()).unwrap();
        small.run(&mut adda, 1..=5);
        let learned = adda.networks();
        small.run(&mut adda, 6..=10);
        let (before, after) = (export(&learned), export(&adda.networks()));
        for (name, (_, values)) in before {
            // Averaging equal weights may round in the last digit.
            assert!(values.iter().zip(&after[&name].1).all(|(a, b)| (a - b).abs() < 1e-6), "{name}");
        }
    }
}
