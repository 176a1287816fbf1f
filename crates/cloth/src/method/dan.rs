//! DAN: the domains' latent means meet in the feature space of several Gaussian kernels.
//!
//! Long et al., *Learning Transferable Features with Deep Adaptation Networks*, ICML 2015:
//!
//! ```text
//! update C, G by l_c + λ mmd(z_s, z_t)
//! ```
//!
//! λ = 1 and five kernels, each twice as wide as the one before, around the batch's mean squared distance, as in the
//! authors' published code. The paper adapts the last three layers of its network; here, as in that code, it is the one
//! layer before C.
//!
//! With networks that start from nothing the loss can win before l_c has begun: it does not depend on the scale of z, and
//! z that are all alike are the easiest to match. In the suite `digits`, on SVHN→MNIST and SYN→MNIST with seed 0, G died
//! so within some hundred iterations: the source's own accuracy stayed at chance. There `ramp` is on, and λ grows as
//! DANN's does. The paper and its code have no such thing.

use serde::{Deserialize, Serialize};

use super::shared::{AddedLoss, Pass};
use super::{Entry, Setup, defaults, params};
use crate::config::{Config, within};
use crate::error::Result;
use crate::loss::mmd;

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "dan",
    summary: "matches the domains by maximum mean discrepancy with several kernels",
    reference: "DAN, ICML 2015",
    adapts: true,
    defaults: defaults::<Params>,
    shared_defaults: "",
    build: |setup| Ok(Box::new(build(setup)?)),
    check_params: |config| params::<Params>(config)?.check(config),
};

/// `[method.dan]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Weight of the added loss.
    pub weight: f64,
    /// Whether the weight grows with the run, as DANN's does.
    pub ramp: bool,
    /// Gaussian kernels, each twice as wide as the one before.
    pub kernels: usize,
    /// Label smoothing of the classifier; the paper has none.
    pub label_smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { weight: 1.0, ramp: false, kernels: 5, label_smoothing: 0.0 }
    }
}

impl Params {
    fn check(&self, _config: &Config) -> Result<()> {
        within("method.dan.weight", self.weight, 0.0, f64::MAX)?;
        within("method.dan.kernels", self.kernels as f64, 1.0, 32.0)?;
        within("method.dan.label_smoothing", self.label_smoothing, 0.0, 0.9)
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = params(setup.config)?;
    let loss = move |pass: Pass| mmd(pass.z_s, pass.z_t, p.kernels);
    Ok(AddedLoss::new(setup, p.label_smoothing, "mmd", p.weight, loss).growing(p.ramp))
}

#[cfg(test)]
mod tests {
    use crate::method::find;
    use crate::method::shared::check::{Small, at_the_end};
    use crate::nets::Weights;

    #[test]
    fn the_domains_means_meet_where_the_loss_has_weight() {
        let (apart, met) = (at_the_end("dan", "mmd", "0"), at_the_end("dan", "mmd", "1"));
        assert!(met < 0.5 * apart, "{apart} {met}");
    }

    #[test]
    fn a_weight_that_grows_is_none_at_first() {
        let after = |iterations: usize, settings: &[&str]| -> Weights {
            let small = Small::new("dan", settings);
            let mut dan = (find("dan").unwrap().build)(&small.setup()).unwrap();
            small.run(dan.as_mut(), 1..=iterations);
            dan.save()
        };
        let (ramp, none) = (["method.dan.ramp=true"], ["method.dan.weight=0"]);
        assert_eq!(after(1, &ramp), after(1, &none));
        assert_ne!(after(2, &ramp), after(2, &none));
        assert_ne!(after(1, &[]), after(1, &none));
    }
}
