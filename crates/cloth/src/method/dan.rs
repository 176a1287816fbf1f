//! DAN: matches the domains' latent means in the feature space of several Gaussian kernels.
//!
//! Long et al., *Learning Transferable Features with Deep Adaptation Networks*, ICML 2015:
//!
//! ```text
//! update C, G by l_c + λ mmd(z_s, z_t)
//! ```
//!
//! λ = 1 and five kernels, each twice as wide as the one before, around the batch's mean squared distance, as in the
//! authors' published code. The paper adapts the last three layers of its network; here, as in that code, only the
//! layer before C is adapted.
//!
//! With networks trained from scratch, this loss can dominate before l_c takes effect: it does not depend on the scale
//! of z, and equal z are the easiest to match. In the suite `digits`, on SVHN→MNIST and SYN→MNIST with seed 0, G
//! collapsed in this way within some hundred iterations, and the accuracy on the source stayed at chance. That suite
//! sets `ramp`, so that λ grows as DANN's does. The paper and its code have no ramp.

use super::shared::{AddedLoss, Pass, l_c_info};
use super::{LossInfo, Method, Recipe, Setup};
use crate::config::ParameterSet;
use crate::error::Result;
use crate::loss::mmd;

/// The recipe of DAN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dan;

impl Recipe for Dan {
    fn name(&self) -> &str {
        "dan"
    }

    fn summary(&self) -> &str {
        "matches the domains by maximum mean discrepancy with several kernels"
    }

    fn reference(&self) -> &str {
        "DAN, ICML 2015"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn parameters(&self) -> ParameterSet {
        ParameterSet::of::<Params>()
    }

    fn losses(&self) -> Vec<LossInfo> {
        vec![l_c_info(), LossInfo::new("mmd", "maximum mean discrepancy between the domains")]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(build(setup)?))
    }
}

crate::parameters! {
    /// `[method.dan]`
    pub struct Params {
        /// Weight of the added loss.
        weight: f64 = 1.0, at_least(0.0);
        /// Whether the weight grows with the run, as DANN's does.
        ramp: bool = false;
        /// Number of Gaussian kernels, each twice as wide as the one before.
        kernels: usize = 5, within(1.0, 32.0);
        /// Label smoothing of the classifier; the paper has none.
        label_smoothing: f64 = 0.0, smoothing();
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = setup.params()?;
    let loss = move |pass: Pass| mmd(pass.z_s, pass.z_t, p.kernels);
    Ok(AddedLoss::new(setup, "mmd", p.weight, loss).smoothed(p.label_smoothing).growing(p.ramp))
}

#[cfg(test)]
mod tests {
    use crate::method::Recipe;
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
            let mut dan = super::Dan.build(&small.setup()).unwrap();
            small.run(dan.as_mut(), 1..=iterations);
            dan.save()
        };
        let (ramp, none) = (["method.dan.ramp=true"], ["method.dan.weight=0"]);
        assert_eq!(after(1, &ramp), after(1, &none));
        assert_ne!(after(2, &ramp), after(2, &none));
        assert_ne!(after(1, &[]), after(1, &none));
    }
}
