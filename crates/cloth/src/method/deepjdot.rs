//! DeepJDOT: each source row is sent to one target row, near in place and in class, and both learn from the pair.
//!
//! Damodaran et al., *DeepJDOT: Deep Joint Distribution Optimal Transport for Unsupervised Domain Adaptation*, ECCV
//! 2018:
//!
//! ```text
//! find γ = argmin_γ Σ_ij γ_ij cost_ij, with G and C as they are,   cost_ij = α ‖z_s,i − z_t,j‖² + λ CE(y_s,i, c_t,j)
//! update C, G by l_c + Σ_ij γ_ij cost_ij
//! ```
//!
//! after some time on the source alone, so that there is something to plan by: the authors start from a network that
//! was trained on the source, and here each part has half of the run, as with the other methods that begin so. One
//! schedule of step sizes spans both parts, so that the transport has the smaller ones; the authors begin a new one.
//! Batches have as many source rows as target rows, so the exact plan is an assignment.
//!
//! α = 0.001 and λ = 0.0001 are the authors' for digits (SVHN→MNIST in their published code). They rest on the scale of
//! latent values there, which are those of sigmoids: elsewhere the transport may be next to nothing beside l_c. That
//! code plans by squared distances of probabilities in place of the cross-entropy; here plan and loss have one cost, as
//! in the paper.

use burn::tensor::{Int, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::shared::{AddedLoss, Pass};
use super::{Entry, Setup, defaults, params};
use crate::config::{Config, within};
use crate::error::Result;
use crate::loss::joint_cost;
use crate::ot::assignment;

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "deepjdot",
    summary: "moves source rows to target rows near in place and in class, exactly",
    reference: "DeepJDOT, ECCV 2018",
    adapts: true,
    defaults: defaults::<Params>,
    shared_defaults: "",
    build: |setup| Ok(Box::new(build(setup)?)),
    check_params: |config| params::<Params>(config)?.check(config),
};

/// `[method.deepjdot]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Share of the run that is spent on the source alone.
    pub pretrain: f64,
    /// Weight of the distance in place.
    pub alpha: f64,
    /// Weight of the distance in class.
    pub lambda: f64,
    /// Label smoothing of the classifier; the paper has none.
    pub label_smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { pretrain: 0.5, alpha: 0.001, lambda: 0.0001, label_smoothing: 0.0 }
    }
}

impl Params {
    fn check(&self, _config: &Config) -> Result<()> {
        within("method.deepjdot.pretrain", self.pretrain, 0.0, 1.0)?;
        within("method.deepjdot.alpha", self.alpha, 0.0, f64::MAX)?;
        within("method.deepjdot.lambda", self.lambda, 0.0, f64::MAX)?;
        within("method.deepjdot.label_smoothing", self.label_smoothing, 0.0, 0.9)
    }
}

fn build(setup: &Setup<'_>) -> Result<AddedLoss> {
    let p: Params = params(setup.config)?;
    let loss = move |pass: Pass| {
        let Pass { z_s, z_t, y_s, c_t, .. } = pass;
        transported(joint_cost(z_s, z_t, &y_s, c_t, p.alpha, p.lambda))
    };
    Ok(AddedLoss::new(setup, p.label_smoothing, "jdot", 1.0, loss).after(p.pretrain))
}

/// Σ_ij γ_ij cost_ij for the best γ, which itself has no gradient.
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
    use crate::loss::check::{gradient, noise, scalar, tensor};
    use crate::method::shared::check::Small;

    #[test]
    fn the_best_pairs_are_paid_for_and_no_others() {
        // Row by row the cheapest are 1, 2, 2 in columns 0, 0, 1; one to one it is 1 + 4 + 2, in columns 0, 2, 1.
        let cost = tensor([[1.0, 8.0, 9.0], [2.0, 9.0, 4.0], [5.0, 2.0, 7.0]]);
        assert!((scalar(transported(cost)) - 7.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn rows_in_another_order_cost_nothing() {
        // The same three rows on both sides, each sure of its class: the plan finds the order back.
        let z_s = tensor([[0.0, 1.0], [5.0, 0.0], [9.0, 9.0]]);
        let z_t = tensor([[9.0, 9.0], [0.0, 1.0], [5.0, 0.0]]);
        let c_t = tensor([[0.0, 0.0, 90.0], [90.0, 0.0, 0.0], [0.0, 90.0, 0.0]]);
        let cost = joint_cost(z_s, z_t, &[0, 1, 2], c_t, 0.01, 1.0);
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
        let names = |losses: crate::method::Losses| losses.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        assert_eq!(names(small.run(&mut deepjdot, 1..=5)), ["l_c"]);
        assert_eq!(names(small.run(&mut deepjdot, 6..=6)), ["l_c", "jdot"]);
    }
}
