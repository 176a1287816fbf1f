//! CMD: the domains' latent means and central moments meet, neuron by neuron.
//!
//! Zellinger et al., *Central Moment Discrepancy (CMD) for Domain-Invariant Representation Learning*, ICLR 2017:
//!
//! ```text
//! update C, G by l_c + λ cmd(z_s, z_t),   λ = 1, K = 5 moments
//! ```
//!
//! Moments are compared on the scale of the interval [a, b] that latent values lie in. The paper's units are sigmoids,
//! between 0 and 1. G ends in tanh here by default, between −1 and 1, which is the same up to a factor that |b − a|
//! takes out. ReLU has no interval: with `generator.last_activation=relu` values are taken as they are, |b − a| = 1,
//! and the weight means something else.
//!
//! λ rests on the size of the batches, which hold the whole target domain in the authors' code for Office. In smaller
//! ones more of the discrepancy is chance, and less of it where rows lie together: a part of what is learned may be to
//! bring the target's rows together, whatever their class. That has not been measured.

use serde::{Deserialize, Serialize};

use super::shared::{AddedLoss, Pass};
use super::{Entry, Setup, defaults, params};
use crate::config::{Activation, Config, within};
use crate::error::Result;
use crate::loss::cmd;

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "cmd",
    summary: "matches means and central moments, neuron by neuron",
    reference: "CMD, ICLR 2017",
    adapts: true,
    defaults: defaults::<Params>,
    shared_defaults: "generator.last_activation = 'tanh'",
    build: |setup| Ok(Box::new(build(setup)?)),
    check_params: |config| params::<Params>(config)?.check(config),
};

/// `[method.cmd]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Weight of the added loss.
    pub weight: f64,
    /// K, the highest order of the moments.
    pub moments: u32,
    /// Label smoothing of the classifier; the paper has none.
    pub label_smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { weight: 1.0, moments: 5, label_smoothing: 0.0 }
    }
}

impl Params {
    fn check(&self, _config: &Config) -> Result<()> {
        within("method.cmd.weight", self.weight, 0.0, f64::MAX)?;
        within("method.cmd.moments", f64::from(self.moments), 1.0, 16.0)?;
        within("method.cmd.label_smoothing", self.label_smoothing, 0.0, 0.9)
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = params(setup.config)?;
    let span = match setup.generator.last_activation {
        Activation::Tanh | Activation::Unit => 2.0,
        Activation::Relu => 1.0,
    };
    let loss = move |pass: Pass| cmd(pass.z_s, pass.z_t, p.moments, span);
    Ok(AddedLoss::new(setup, p.label_smoothing, "cmd", p.weight, loss))
}

#[cfg(test)]
mod tests {
    use crate::method::shared::check::at_the_end;

    #[test]
    fn the_moments_meet_where_the_loss_has_weight() {
        let (apart, met) = (at_the_end("cmd", "cmd", "0"), at_the_end("cmd", "cmd", "1"));
        assert!(met < 0.5 * apart, "{apart} {met}");
    }

    #[test]
    fn latent_values_are_bounded_unless_asked_otherwise() {
        use crate::config::{Activation, Config, Layers};
        let default = Config::of_method("cmd").unwrap();
        assert_eq!(default.generator.last_activation, Activation::Tanh);
        let other =
            Layers::new("cmd").unwrap().set("generator.last_activation=relu").unwrap().build().unwrap();
        assert_eq!(other.generator.last_activation, Activation::Relu);
    }
}
