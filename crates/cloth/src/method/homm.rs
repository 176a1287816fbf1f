//! HoMM: matches higher-order moments across neurons.
//!
//! Chen et al., *HoMM: Higher-Order Moment Matching for Unsupervised Domain Adaptation*, AAAI 2020:
//!
//! ```text
//! update C, G by l_c + λ homm(z_s, z_t),   order q = 4, λ = 200
//! ```
//!
//! This is the paper's HoMM without its second part, the clustering of confident target rows. q and λ are those of the
//! authors' published code for Office, where that part is switched off. For digits their code has third-order moments
//! and λ = 10⁴, which the suite `digits` sets under the default preset; it also has the second part, which is missing
//! here. As in their code, G ends in tanh by default; the authors warn that ReLU makes most entries zero.
//!
//! λ depends on the scale of the latents: a moment of order q grows with their q-th power, and the loss with its
//! square. For Office the authors' last layer starts from weights with standard deviation 0.01, in the linear range of
//! tanh. G here starts from Glorot's weights on rows of length √features, nearer to saturation. The same λ should
//! therefore have more effect; how much has not been measured.

use super::shared::{AddedLoss, Pass, l_c_info};
use super::{LossInfo, Method, Recipe, Setup};
use crate::config::ParameterSet;
use crate::error::Result;
use crate::loss::homm_of_all;

/// The recipe of HoMM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Homm;

impl Recipe for Homm {
    fn name(&self) -> &str {
        "homm"
    }

    fn summary(&self) -> &str {
        "matches higher-order moments across neurons"
    }

    fn reference(&self) -> &str {
        "HoMM, AAAI 2020"
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
            LossInfo::new("homm", "higher-order moments, all classes together").advice("moments grow as a power of the latent values: use `generator.last_activation=tanh`, or a lower order or weight"),
        ]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(build(setup)?))
    }
}

crate::parameters! {
    /// `[method.homm]`
    pub struct Params {
        /// Weight of the added loss.
        weight: f64 = 200.0, at_least(0.0);
        /// Order of the moments.
        q: u32 = 4, within(1.0, 16.0);
        /// Label smoothing of the classifier; the paper has none.
        label_smoothing: f64 = 0.0, smoothing();
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = setup.params()?;
    let loss = move |pass: Pass| homm_of_all(pass.z_s, pass.z_t, p.q);
    Ok(AddedLoss::new(setup, "homm", p.weight, loss).smoothed(p.label_smoothing))
}

#[cfg(test)]
mod tests {
    use crate::method::shared::check::at_the_end;

    #[test]
    fn the_moments_meet_where_the_loss_has_weight() {
        let (apart, met) = (at_the_end("homm", "homm", "0"), at_the_end("homm", "homm", "200"));
        assert!(met < 0.5 * apart, "{apart} {met}");
    }
}
