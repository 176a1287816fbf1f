//! CMD: matches the domains' latent means and central moments, neuron by neuron.
//!
//! Zellinger et al., *Central Moment Discrepancy (CMD) for Domain-Invariant Representation Learning*, ICLR 2017:
//!
//! ```text
//! update C, G by l_c + λ cmd(z_s, z_t),   λ = 1, K = 5 moments
//! ```
//!
//! Moments are compared on the scale of the interval [a, b] that latent values lie in. The paper's units are sigmoids,
//! between 0 and 1. G ends in tanh here by default, between −1 and 1, which is the same up to a factor that |b − a|
//! cancels. ReLU has no interval: with `generator.last_activation=relu` |b − a| is 1, and the weight has another scale.
//!
//! λ depends on the size of the batches, which hold the whole target domain in the authors' code for Office. In smaller
//! batches more of the discrepancy is due to chance, and this part is smaller where rows lie close together. G may
//! therefore learn to contract the target's rows, whatever their class. This has not been measured.

use super::shared::{AddedLoss, Pass, l_c_info};
use super::{LossInfo, Method, Recipe, Setup};
use crate::config::{Activation, ParameterSet};
use crate::error::Result;
use crate::loss::cmd;

/// The recipe of CMD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cmd;

impl Recipe for Cmd {
    fn name(&self) -> &str {
        "cmd"
    }

    fn summary(&self) -> &str {
        "matches means and central moments, neuron by neuron"
    }

    fn reference(&self) -> &str {
        "CMD, ICLR 2017"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn parameters(&self) -> ParameterSet {
        ParameterSet::of::<Params>()
    }

    fn shared_needs(&self) -> &str {
        "generator.last_activation = 'tanh'"
    }

    fn losses(&self) -> Vec<LossInfo> {
        vec![
            l_c_info(),
            LossInfo::new("cmd", "distance between central moments, neuron by neuron").advice("moments grow as a power of the latent values: use `generator.last_activation=tanh`, or a lower order or weight"),
        ]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(build(setup)?))
    }
}

crate::parameters! {
    /// `[method.cmd]`
    pub struct Params {
        /// Weight of the added loss.
        weight: f64 = 1.0, at_least(0.0);
        /// K, the highest order of the moments.
        moments: u32 = 5, within(1.0, 16.0);
        /// Label smoothing of the classifier; the paper has none.
        label_smoothing: f64 = 0.0, smoothing();
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = setup.params()?;
    let span = match setup.generator.last_activation {
        Activation::Tanh | Activation::Unit => 2.0,
        // A bounded scale is assumed of layers without bounds, as of ReLU.
        Activation::Relu | Activation::LeakyRelu | Activation::Linear => 1.0,
    };
    let loss = move |pass: Pass| cmd(pass.z_s, pass.z_t, p.moments, span);
    Ok(AddedLoss::new(setup, "cmd", p.weight, loss).smoothed(p.label_smoothing))
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
        use crate::method::Methods;
        use crate::nets::Activation;
        let default = Methods::builtin().config("cmd").unwrap();
        assert_eq!(default.generator.last_activation, Activation::Tanh);
        let other = Methods::builtin().layers("cmd").unwrap().set("generator.last_activation=relu").unwrap();
        let other = other.build().unwrap();
        assert_eq!(other.generator.last_activation, Activation::Relu);
    }
}
