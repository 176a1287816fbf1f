//! Deep CORAL: matches the domains' covariances.
//!
//! Sun and Saenko, *Deep CORAL: Correlation Alignment for Deep Domain Adaptation*, ECCV workshops 2016:
//!
//! ```text
//! update C, G by l_c + λ coral(c_s, c_t)
//! ```
//!
//! As in the paper, covariances are those of the last layer's outputs, C's logits. The paper chooses λ for each task,
//! so that both losses end at about the same value. The authors' published files have 0.8 for A→W of Office-31, which
//! is the default here for all tasks.

use super::shared::{AddedLoss, Pass, l_c_info};
use super::{LossInfo, Method, Recipe, Setup};
use crate::config::ParameterSet;
use crate::error::Result;
use crate::loss::coral;

/// The recipe of Deep CORAL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeepCoral;

impl Recipe for DeepCoral {
    fn name(&self) -> &str {
        "deep_coral"
    }

    fn summary(&self) -> &str {
        "matches the covariances of the classifier's outputs"
    }

    fn reference(&self) -> &str {
        "Deep CORAL, ECCV workshops 2016"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn parameters(&self) -> ParameterSet {
        ParameterSet::of::<Params>()
    }

    fn losses(&self) -> Vec<LossInfo> {
        vec![l_c_info(), LossInfo::new("coral", "distance between the covariances of C's outputs")]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(build(setup)?))
    }
}

crate::parameters! {
    /// `[method.deep_coral]`
    pub struct Params {
        /// Weight of the added loss.
        weight: f64 = 0.8, at_least(0.0);
        /// Label smoothing of the classifier; the paper has none.
        label_smoothing: f64 = 0.0, smoothing();
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = setup.params()?;
    let loss = |pass: Pass| coral(pass.c_s, pass.c_t);
    Ok(AddedLoss::new(setup, "coral", p.weight, loss).smoothed(p.label_smoothing))
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
