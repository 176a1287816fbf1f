//! HoMM: higher-order moments across neurons meet.
//!
//! Chen et al., *HoMM: Higher-Order Moment Matching for Unsupervised Domain Adaptation*, AAAI 2020:
//!
//! ```text
//! update C, G by l_c + λ homm(z_s, z_t),   order q = 4, λ = 200
//! ```
//!
//! This is the paper's HoMM without its second part, the clustering of confident target rows. q and λ are those of the
//! authors' published code for Office, where that part is switched off; for digits it has third-order moments and
//! λ = 10⁴, which the suite `digits` sets under the default preset, and that part, which it does not. As there, G ends in
//! tanh by default; the authors warn that ReLU makes most entries zero.
//!
//! λ rests on the scale of latent values, for a moment of order q grows as their q-th power and the loss as its square.
//! For Office the authors' last layer starts from weights of spread 0.01 and so in the middle of tanh; G here starts from
//! Glorot's on rows of length √features and so nearer to its ends. The same λ should therefore weigh more; how much has
//! not been measured.

use serde::{Deserialize, Serialize};

use super::shared::{AddedLoss, Pass};
use super::{Entry, Setup, defaults, params};
use crate::config::{Config, within};
use crate::error::Result;
use crate::loss::homm_of_all;

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "homm",
    summary: "matches higher-order moments across neurons",
    reference: "HoMM, AAAI 2020",
    adapts: true,
    defaults: defaults::<Params>,
    shared_defaults: "generator.last_activation = 'tanh'",
    build: |setup| Ok(Box::new(build(setup)?)),
    check_params: |config| params::<Params>(config)?.check(config),
};

/// `[method.homm]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Weight of the added loss.
    pub weight: f64,
    /// Order of the moments.
    pub q: u32,
    /// Label smoothing of the classifier; the paper has none.
    pub label_smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { weight: 200.0, q: 4, label_smoothing: 0.0 }
    }
}

impl Params {
    fn check(&self, _config: &Config) -> Result<()> {
        within("method.homm.weight", self.weight, 0.0, f64::MAX)?;
        within("method.homm.q", f64::from(self.q), 1.0, 16.0)?;
        within("method.homm.label_smoothing", self.label_smoothing, 0.0, 0.9)
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = params(setup.config)?;
    let loss = move |pass: Pass| homm_of_all(pass.z_s, pass.z_t, p.q);
    Ok(AddedLoss::new(setup, p.label_smoothing, "homm", p.weight, loss))
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
