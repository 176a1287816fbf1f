//! CDAN: the discriminator sees latents together with the predicted classes, so that the domains are aligned class by
//! class.
//!
//! Long et al., *Conditional Adversarial Domain Adaptation*, NeurIPS 2018:
//!
//! ```text
//! min_{G,C} max_D  l_c − λ(p) l_dom(D(z ⊗ softmax(c)), w),   λ(p) = 2 / (1 + exp(−10 p)) − 1
//! ```
//!
//! CDAN has w = 1; CDAN+E, the method `cdan_e`, has w = 1 + exp(−H(softmax(c))). As in the authors' code, the
//! probabilities have no gradient; as in their later library, the weights have none either. D has two hidden layers of
//! 1024 units as there, but no dropout. For digits the authors' code has 500 units, which the suite `digits` sets under
//! the default preset. p is the completed share of the run, as in the paper; in their code λ reaches 1 after 10,000
//! iterations, whatever the length of the run. As in the paper, if z ⊗ softmax(c) has more than 4096 entries, it is
//! replaced by (R_z z) ⊙ (R_c softmax(c)) / √d with fixed random R_z and R_c, whose inner products have the same
//! expectation.

use super::shared::{Adversarial, Condition, Multilinear, l_c_info, l_dom_info};
use super::{LossInfo, Method, Recipe, Setup};
use crate::config::ParameterSet;
use crate::error::Result;
use crate::rng::{Purpose, stream};

/// The recipe of CDAN and of CDAN+E.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cdan {
    /// Whether it is CDAN+E, with entropy conditioning.
    pub entropy_conditioning: bool,
}

impl Recipe for Cdan {
    fn name(&self) -> &str {
        if self.entropy_conditioning { "cdan_e" } else { "cdan" }
    }

    fn summary(&self) -> &str {
        match self.entropy_conditioning {
            false => "makes the domains indistinguishable given the predicted classes",
            true => "like cdan, with larger weights for rows that the classifier is certain of",
        }
    }

    fn reference(&self) -> &str {
        if self.entropy_conditioning { "CDAN+E, NeurIPS 2018" } else { "CDAN, NeurIPS 2018" }
    }

    fn revision(&self) -> u32 {
        1
    }

    fn parameters(&self) -> ParameterSet {
        let entropy_conditioning = self.entropy_conditioning;
        ParameterSet::with_defaults(Params { entropy_conditioning, ..Params::default() })
    }

    fn losses(&self) -> Vec<LossInfo> {
        vec![l_c_info(), l_dom_info()]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(build(setup)?))
    }
}

crate::parameters! {
    /// `[method.cdan]` and `[method.cdan_e]`
    pub struct Params {
        /// Weight of the domain loss.
        weight: f64 = 1.0, at_least(0.0);
        /// Widths of D's hidden layers.
        discriminator_hidden: Vec<usize> = vec![1024, 1024], widths();
        /// Whether rows that C is certain of have larger weights (CDAN+E).
        entropy_conditioning: bool = false;
        /// Width of D's input with random maps, which replace an outer product of more than 4096 entries.
        random_features: usize = 1024, at_least(1.0);
        /// Label smoothing of the classifier; the paper has none.
        label_smoothing: f64 = 0.0, smoothing();
    }
}

fn build(setup: &Setup<'_>) -> Result<Adversarial> {
    let p: Params = setup.params()?;
    let mut rng = stream(setup.config.seed, Purpose::WEIGHTS, 2);
    let widths = [setup.generator.width(), setup.n_classes];
    let map = Multilinear::new(widths, p.random_features, &mut rng, &setup.training_device());
    let condition = Condition { map, by_certainty: p.entropy_conditioning };
    let nets = Adversarial::new(setup, p.weight, &p.discriminator_hidden, Some(condition));
    Ok(nets.smoothed(p.label_smoothing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::shared::check::Small;
    use crate::nets::export;

    #[test]
    fn entropy_conditioning_makes_another_method_of_it() {
        let trained = |method: &str, settings: &[&str]| {
            let small = Small::new(method, settings);
            let mut cdan = build(&small.setup()).unwrap();
            small.run(&mut cdan, 1..=3);
            export(&cdan.networks())
        };
        let with_e = trained("cdan_e", &[]);
        assert_eq!(with_e, trained("cdan", &["method.cdan.entropy_conditioning=true"]));
        assert_ne!(with_e, trained("cdan", &[]));
    }
}
