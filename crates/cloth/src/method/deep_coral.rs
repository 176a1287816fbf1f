//! Deep CORAL: the domains' covariances meet.
//!
//! Sun and Saenko, *Deep CORAL: Correlation Alignment for Deep Domain Adaptation*, ECCV workshops 2016:
//!
//! ```text
//! update C, G by l_c + λ coral(c_s, c_t)
//! ```
//!
//! As in the paper it is the outputs of the last layer, C's logits, whose covariances are compared. The paper chooses λ
//! task by task, so that both losses end about alike; the authors' published files have 0.8 for A→W of Office-31, which
//! is the default here for all.

use serde::{Deserialize, Serialize};

use super::shared::{AddedLoss, Pass};
use super::{Entry, Setup, defaults, params};
use crate::config::{Config, within};
use crate::error::Result;
use crate::loss::coral;

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "deep_coral",
    summary: "matches the covariances of the classifier's outputs",
    reference: "Deep CORAL, ECCV workshops 2016",
    adapts: true,
    defaults: defaults::<Params>,
    shared_defaults: "",
    build: |setup| Ok(Box::new(build(setup)?)),
    check_params: |config| params::<Params>(config)?.check(config),
};

/// `[method.deep_coral]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Weight of the added loss.
    pub weight: f64,
    /// Label smoothing of the classifier; the paper has none.
    pub label_smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { weight: 0.8, label_smoothing: 0.0 }
    }
}

impl Params {
    fn check(&self, _config: &Config) -> Result<()> {
        within("method.deep_coral.weight", self.weight, 0.0, f64::MAX)?;
        within("method.deep_coral.label_smoothing", self.label_smoothing, 0.0, 0.9)
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = params(setup.config)?;
    let loss = |pass: Pass| coral(pass.c_s, pass.c_t);
    Ok(AddedLoss::new(setup, p.label_smoothing, "coral", p.weight, loss))
}

#[cfg(test)]
mod tests {
    use crate::method::shared::check::at_the_end;

    #[test]
    fn the_covariances_of_the_outputs_meet_where_the_loss_has_weight() {
        let (apart, met) = (at_the_end("deep_coral", "coral", "0"), at_the_end("deep_coral", "coral", "20"));
        assert!(met < 0.5 * apart, "{apart} {met}");
    }
}
