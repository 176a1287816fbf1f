//! DANN: G learns latents from which a discriminator cannot predict the domain.
//!
//! Ganin et al., *Domain-Adversarial Training of Neural Networks*, JMLR 2016:
//!
//! ```text
//! min_{G,C} max_D  l_c − λ(p) l_dom(D(G(x))),   λ(p) = 2 / (1 + exp(−10 p)) − 1
//! ```
//!
//! by one update of all three with the gradient reversed between D and G. D has two hidden layers of 1024 units, as in
//! the paper for Office. l_dom is the mean of the two domains' losses, as in common code; the paper has their sum. G
//! has batch normalisation over all rows of a batch, as in the Transfer-Learning-Library; D has none.

use super::shared::{Adversarial, l_c_info, l_dom_info};
use super::{LossInfo, Method, Recipe, Setup};
use crate::config::ParameterSet;
use crate::error::Result;

/// The recipe of DANN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dann;

impl Recipe for Dann {
    fn name(&self) -> &str {
        "dann"
    }

    fn summary(&self) -> &str {
        "makes the domains indistinguishable for a discriminator"
    }

    fn reference(&self) -> &str {
        "DANN, JMLR 2016"
    }

    fn revision(&self) -> u32 {
        2
    }

    fn shared_defaults(&self) -> &str {
        "generator.batch_norm = 'shared'"
    }

    fn parameters(&self) -> ParameterSet {
        ParameterSet::of::<Params>()
    }

    fn losses(&self) -> Vec<LossInfo> {
        vec![l_c_info(), l_dom_info()]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(build(setup)?))
    }
}

crate::parameters! {
    /// `[method.dann]`
    pub struct Params {
        /// Weight of the domain loss.
        weight: f64 = 1.0, at_least(0.0);
        /// Widths of D's hidden layers.
        discriminator_hidden: Vec<usize> = vec![1024, 1024], widths();
        /// Label smoothing of the classifier; the paper has none.
        label_smoothing: f64 = 0.0, smoothing();
    }
}

fn build(setup: &Setup<'_>) -> Result<Adversarial> {
    let p: Params = setup.params()?;
    Ok(Adversarial::new(setup, p.weight, &p.discriminator_hidden, None).smoothed(p.label_smoothing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Method;
    use crate::method::shared::check::Small;
    use crate::nets::export;

    #[test]
    fn nothing_is_reversed_at_the_first_iteration_and_something_at_the_second() {
        // λ is 0 at the first iteration: the weight of D's loss changes G's second update, but not the first.
        let generator = |iterations, weight: &str| {
            let small = Small::new("dann", &["generator.dropout=0", weight]);
            let mut dann = build(&small.setup()).unwrap();
            small.run(&mut dann, 1..=iterations);
            export(&dann.networks())
        };
        let (off, on) = ("method.dann.weight=0", "method.dann.weight=1");
        assert_eq!(generator(1, off), generator(1, on));
        assert_ne!(generator(2, off), generator(2, on));
    }
}
