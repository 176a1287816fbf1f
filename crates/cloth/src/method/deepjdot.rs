//! DeepJDOT: assigns each source row to one target row, near in latent space and in class, and trains on the pairs.
//!
//! Damodaran et al., *DeepJDOT: Deep Joint Distribution Optimal Transport for Unsupervised Domain Adaptation*, ECCV
//! 2018:
//!
//! ```text
//! find γ = argmin_γ Σ_ij γ_ij cost_ij, with G and C constant,   cost_ij = α ‖z_s,i − z_t,j‖² + λ CE(y_s,i, c_t,j)
//! update C, G by l_c + Σ_ij γ_ij cost_ij
//! ```
//!
//! after a first part on the source alone, without which there would be no useful latents to plan with. The authors
//! start from a network that was trained on the source; here each part has half of the run, as in the other methods
//! with such a start. One learning-rate schedule spans both parts, so the transport has the smaller rates; the authors
//! start a new schedule. Batches have as many source rows as target rows, so the exact plan is an assignment.
//!
//! α = 0.001 and λ = 0.0001 are the authors' values for digits (SVHN→MNIST in their published code). They depend on the
//! scale of the latents, which come from sigmoids there. With other activations the transport may be negligible beside
//! l_c. That code plans by squared distances of probabilities instead of the cross-entropy; here, as in the paper, plan
//! and loss have the same cost.

use super::shared::{self, AddedLoss, Pass, l_c_info};
use super::{LossInfo, Method, Phase, Recipe, Setup};
use crate::config::{Config, ParameterSet};
use crate::error::Result;
use crate::loss::{JointOptions, joint_cost};
use crate::ot::assignment;
use burn::tensor::{Int, Tensor, TensorData};

/// The recipe of DeepJDOT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeepJdot;

impl Recipe for DeepJdot {
    fn name(&self) -> &str {
        "deepjdot"
    }

    fn summary(&self) -> &str {
        "assigns source rows to target rows near in latent space and in class, by exact transport"
    }

    fn reference(&self) -> &str {
        "DeepJDOT, ECCV 2018"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn parameters(&self) -> ParameterSet {
        ParameterSet::of::<Params>()
    }

    fn phases(&self, config: &Config) -> Result<Vec<Phase>> {
        let Params { pretrain, .. } = config.method.read()?;
        Ok(shared::phases(config, shared::first_after(pretrain, config.train.iterations)))
    }

    fn losses(&self) -> Vec<LossInfo> {
        vec![
            l_c_info(),
            LossInfo::new(
                "jdot",
                "transport cost between source and target rows, in latent space and in class",
            ),
        ]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(build(setup)?))
    }
}

crate::parameters! {
    /// `[method.deepjdot]`
    pub struct Params {
        /// Share of the run that trains on the source alone.
        pretrain: f64 = 0.5, share();
        /// Weight of the squared distance in latent space.
        alpha: f64 = 0.001, at_least(0.0);
        /// Weight of the cross-entropy between source labels and target predictions.
        lambda: f64 = 0.0001, at_least(0.0);
        /// Label smoothing of the classifier; the paper has none.
        label_smoothing: f64 = 0.0, smoothing();
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = setup.params()?;
    let weights = JointOptions { alpha: p.alpha, lambda: p.lambda };
    let loss = move |pass: Pass| {
        let Pass { z_s, z_t, y_s, c_t, .. } = pass;
        transported(joint_cost(z_s, z_t, &y_s, c_t, weights))
    };
    Ok(AddedLoss::new(setup, "jdot", 1.0, loss).smoothed(p.label_smoothing).after(p.pretrain))
}

/// Σ_ij γ_ij cost_ij for the optimal γ, which has no gradient.
fn transported(cost: Tensor<2>) -> Tensor<1> {
    let [n, _] = cost.dims();
    let device = cost.device();
    let values: Vec<f32> = cost.clone().inner().into_data().try_into_vec().expect("costs are f32");
    let values: Vec<f64> = values.into_iter().map(f64::from).collect();
    let columns: Vec<i32> = assignment(&values, n).into_iter().map(|j| j as i32).collect();
    let columns = Tensor::<2, Int>::from_data(TensorData::new(columns, [n, 1]), &device);
    cost.gather(1, columns).mean()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::shared::check::Small;
    use crate::testing::{gradient, noise, scalar, tensor};

    #[test]
    fn the_best_pairs_are_paid_for_and_no_others() {
        // Row by row the cheapest are 1, 2, 2 in columns 0, 0, 1; one to one it is 1 + 4 + 2, in columns 0, 2, 1.
        let cost = tensor([[1.0, 8.0, 9.0], [2.0, 9.0, 4.0], [5.0, 2.0, 7.0]]);
        assert!((scalar(transported(cost)) - 7.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn rows_in_another_order_cost_nothing() {
        // The same three rows on both sides, each certain of its class: the plan restores the order.
        let z_s = tensor([[0.0, 1.0], [5.0, 0.0], [9.0, 9.0]]);
        let z_t = tensor([[9.0, 9.0], [0.0, 1.0], [5.0, 0.0]]);
        let c_t = tensor([[0.0, 0.0, 90.0], [90.0, 0.0, 0.0], [0.0, 90.0, 0.0]]);
        let cost = joint_cost(z_s, z_t, &[0, 1, 2], c_t, JointOptions { alpha: 0.01, lambda: 1.0 });
        assert!(scalar(transported(cost)).abs() < 1e-5);
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        gradient(noise(4, 4, 60), transported);
    }

    #[test]
    fn transport_begins_after_the_time_on_the_source() {
        let small = Small::new("deepjdot", &[]);
        let mut deepjdot = build(&small.setup()).unwrap();
        assert_eq!(small.run(&mut deepjdot, 1..=5).symbols(), ["l_c"]);
        assert_eq!(small.run(&mut deepjdot, 6..=6).symbols(), ["l_c", "jdot"]);
    }
}
