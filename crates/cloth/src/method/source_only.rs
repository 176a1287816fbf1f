//! Source only: the classifier that never heard of the target. The baseline of every table.

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::{Entry, Losses, Method, Setup, Step, params};
use crate::config::Config;
use crate::error::Result;
use crate::loss::l_c;
use crate::nets::{Dense, Dropout, Generator, Networks, Weights};
use crate::optim::Learner;
use crate::rng::{Purpose, stream};

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "source_only",
    summary: "trains on the source alone: the baseline",
    reference: "row 1 of the CLOTH paper's ablation",
    adapts: false,
    defaults: || toml::Table::try_from(Params::default()).expect("parameters are valid TOML"),
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

#[derive(Module, Debug)]
struct Nets {
    g: Generator,
    c: Dense,
}

struct SourceOnly {
    nets: Learner<Nets>,
    params: Params,
}

impl SourceOnly {
    fn new(setup: &Setup<'_>) -> Result<Self> {
        let device = crate::device::training();
        let mut rng = stream(setup.config.seed, Purpose::Weights, 0);
        let g = Generator::new(setup.generator, &mut rng, &device);
        let c = Dense::new(setup.generator.width(), setup.n_classes, &mut rng, &device);
        Ok(Self { nets: Learner::new(Nets { g, c }), params: params(setup.config)? })
    }
}

impl Method for SourceOnly {
    fn step(&mut self, step: &Step<'_>) -> Result<Losses> {
        let batch = step.batch(Purpose::BatchesOfG);
        let mut dropout: Dropout = step.dropout(Purpose::DropoutOfG);
        let nets = self.nets.module();
        let x_s = Tensor::from_inner(batch.x.narrow(0, 0, batch.b_s));
        let z_s = nets.g.forward(x_s, &mut dropout);
        let z_s = dropout.apply(z_s, nets.g.spec().dropout);
        let l_c = l_c(nets.c.forward(z_s), &batch.y_s, self.params.label_smoothing);
        let losses = vec![("l_c", l_c.clone().into_scalar())];
        self.nets.step(l_c, &step.rate());
        Ok(losses)
    }

    fn networks(&self) -> Networks {
        let Nets { g, c } = self.nets.average();
        Networks { g, c, t: None }
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
