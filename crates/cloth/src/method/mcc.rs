//! MCC: the classifier should not confuse classes on the target; nothing is aligned.
//!
//! Jin et al., *Minimum Class Confusion for Versatile Domain Adaptation*, ECCV 2020:
//!
//! ```text
//! update C, G by l_c + μ mcc(c_t),   temperature 2.5, μ = 1
//! ```
//!
//! Both values are those of the authors' published code for Office, whose G ends in batch normalisation, here by domain.
//! Deviations: ReLU follows, as in the Transfer-Learning-Library, and dropout stays, as in the other methods here: over
//! the six tasks of Office-31 it gave 90.0 with dropout and 89.5 without it.

use super::shared::{AddedLoss, Pass, l_c_info};
use super::{LossInfo, Method, Recipe, Setup};
use crate::config::ParameterSet;
use crate::error::Result;
use crate::loss::mcc;

/// The recipe of MCC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mcc;

impl Recipe for Mcc {
    fn name(&self) -> &str {
        "mcc"
    }

    fn summary(&self) -> &str {
        "keeps the classifier from confusing classes on the target"
    }

    fn reference(&self) -> &str {
        "MCC, ECCV 2020"
    }

    fn revision(&self) -> u32 {
        2
    }

    fn shared_defaults(&self) -> &str {
        "generator.batch_norm = 'domain'"
    }

    fn parameters(&self) -> ParameterSet {
        ParameterSet::of::<Params>()
    }

    fn losses(&self) -> Vec<LossInfo> {
        vec![l_c_info(), LossInfo::new("mcc", "class confusion on target rows")]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(build(setup)?))
    }
}

crate::parameters! {
    /// `[method.mcc]`
    pub struct Params {
        /// Weight of the added loss.
        weight: f64 = 1.0, at_least(0.0);
        /// Divisor of the target logits, against overconfident predictions.
        temperature: f64 = 2.5, within(0.01, 1000.0);
        /// Label smoothing of the classifier; the paper has none.
        label_smoothing: f64 = 0.0, smoothing();
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = setup.params()?;
    let loss = move |pass: Pass| mcc(pass.c_t, p.temperature);
    Ok(AddedLoss::new(setup, "mcc", p.weight, loss).smoothed(p.label_smoothing))
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
