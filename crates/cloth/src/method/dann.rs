//! DANN: G learns features by which a discriminator cannot tell the domains apart.
//!
//! Ganin et al., *Domain-Adversarial Training of Neural Networks*, JMLR 2016:
//!
//! ```text
//! min_{G,C} max_D  l_c − λ(p) l_dom(D(G(x))),   λ(p) = 2 / (1 + exp(−10 p)) − 1
//! ```
//!
//! by one update of all three with the gradient reversed between D and G. D has two hidden layers of 1024 units, as the
//! paper's for Office. l_dom is the mean of the two domains' losses, as in common code, where the paper adds them up.

use serde::{Deserialize, Serialize};

use super::shared::Adversarial;
use super::{Entry, Setup, defaults, params};
use crate::config::{Config, layer_width, within};
use crate::error::Result;

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "dann",
    summary: "makes the domains indistinguishable for a discriminator",
    reference: "DANN, JMLR 2016",
    adapts: true,
    defaults: defaults::<Params>,
    shared_defaults: "",
    build: |setup| Ok(Box::new(build(setup)?)),
    check_params: |config| params::<Params>(config)?.check(config),
};

/// `[method.dann]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Weight of the domain loss.
    pub weight: f64,
    /// Widths of D's hidden layers.
    pub discriminator_hidden: Vec<usize>,
    /// Label smoothing of the classifier; the paper has none.
    pub label_smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { weight: 1.0, discriminator_hidden: vec![1024, 1024], label_smoothing: 0.0 }
    }
}

impl Params {
    fn check(&self, _config: &Config) -> Result<()> {
        within("method.dann.weight", self.weight, 0.0, f64::MAX)?;
        for (i, &width) in self.discriminator_hidden.iter().enumerate() {
            layer_width(&format!("method.dann.discriminator_hidden[{i}]"), width)?;
        }
        within("method.dann.label_smoothing", self.label_smoothing, 0.0, 0.9)
    }
}

fn build(setup: &Setup<'_>) -> Result<Adversarial> {
    let p: Params = params(setup.config)?;
    Ok(Adversarial::new(setup, p.label_smoothing, p.weight, &p.discriminator_hidden, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Method;
    use crate::method::shared::check::Small;
    use crate::nets::export;

    #[test]
    fn nothing_is_reversed_at_the_first_iteration_and_something_at_the_second() {
        // With D's loss weighing nothing and with all of it, G goes the same first step but not the same second one.
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
