//! MCC: the classifier should not confuse classes on the target; nothing is aligned.
//!
//! Jin et al., *Minimum Class Confusion for Versatile Domain Adaptation*, ECCV 2020:
//!
//! ```text
//! update C, G by l_c + μ mcc(c_t),   temperature 2.5, μ = 1
//! ```
//!
//! Both values are those of the authors' published code for Office.

use serde::{Deserialize, Serialize};

use super::shared::{AddedLoss, Pass};
use super::{Entry, Setup, defaults, params};
use crate::config::{Config, within};
use crate::error::Result;
use crate::loss::mcc;

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "mcc",
    summary: "keeps the classifier from confusing classes on the target",
    reference: "MCC, ECCV 2020",
    adapts: true,
    defaults: defaults::<Params>,
    shared_defaults: "",
    build: |setup| Ok(Box::new(build(setup)?)),
    check_params: |config| params::<Params>(config)?.check(config),
};

/// `[method.mcc]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Weight of the added loss.
    pub weight: f64,
    /// What target logits are divided by, so that no row is too sure of itself.
    pub temperature: f64,
    /// Label smoothing of the classifier; the paper has none.
    pub label_smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { weight: 1.0, temperature: 2.5, label_smoothing: 0.0 }
    }
}

impl Params {
    fn check(&self, _config: &Config) -> Result<()> {
        within("method.mcc.weight", self.weight, 0.0, f64::MAX)?;
        within("method.mcc.temperature", self.temperature, 0.01, 1000.0)?;
        within("method.mcc.label_smoothing", self.label_smoothing, 0.0, 0.9)
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = params(setup.config)?;
    let loss = move |pass: Pass| mcc(pass.c_t, p.temperature);
    Ok(AddedLoss::new(setup, p.label_smoothing, "mcc", p.weight, loss))
}

#[cfg(test)]
mod tests {
    use crate::method::shared::check::at_the_end;

    #[test]
    fn classes_are_confused_less_where_the_loss_has_weight() {
        let (confused, clear) = (at_the_end("mcc", "mcc", "0"), at_the_end("mcc", "mcc", "20"));
        assert!(clear < 0.8 * confused, "{confused} {clear}");
    }
}
