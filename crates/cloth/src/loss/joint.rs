//! The joint cost of DeepJDOT: the distance of two rows in latent space and in class.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

use super::{column, squared_distances};

/// Weights of the two parts of [`joint_cost`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct JointOptions {
    /// α, the weight of the squared distance in latent space.
    pub alpha: f64,
    /// λ, the weight of the cross-entropy.
    pub lambda: f64,
}

impl Default for JointOptions {
    /// Both weights are 1.
    fn default() -> Self {
        Self { alpha: 1.0, lambda: 1.0 }
    }
}

impl JointOptions {
    /// Replaces α.
    pub fn with_alpha(self, alpha: f64) -> Self {
        Self { alpha, ..self }
    }

    /// Replaces λ.
    pub fn with_lambda(self, lambda: f64) -> Self {
        Self { lambda, ..self }
    }
}

/// The cost of moving source row i to target row j, Damodaran et al., *DeepJDOT: Deep Joint Distribution Optimal
/// Transport for Unsupervised Domain Adaptation*, ECCV 2018.
///
/// ```text
/// cost_ij = α ‖z_s,i − z_t,j‖² + λ CE(y_s,i, c_t,j)
/// ```
///
/// # Shapes
/// - `z_s`: `[b_s, p]`, `z_t`: `[b_t, p]`, `y_s`: `b_s` class indices, `c_t`: `[b_t, M]` logits
/// - returns `[b_s, b_t]`
pub fn joint_cost(
    z_s: Tensor<2>,
    z_t: Tensor<2>,
    y_s: &[u32],
    c_t: Tensor<2>,
    options: JointOptions,
) -> Tensor<2> {
    let JointOptions { alpha, lambda } = options;
    let y_s = column(y_s, &z_s.device()).reshape([y_s.len()]);
    let place = squared_distances(z_s, z_t).mul_scalar(alpha as f32);
    let class = log_softmax(c_t, 1).transpose().select(0, y_s).mul_scalar(-lambda as f32);
    place + class
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gradient, noise, tensor};

    #[test]
    fn two_rows_by_hand() {
        // Distances² 1, 4 and 9, 0; the first target row has probabilities ½, ½ and the second ¼, ¾.
        let c_t = tensor([[0.0, 0.0], [0.0, 3f32.ln()]]);
        let (z_s, z_t) = (tensor([[0.0], [-2.0]]), tensor([[1.0], [-2.0]]));
        let cost = joint_cost(z_s, z_t, &[0, 1], c_t, JointOptions { alpha: 0.1, lambda: 2.0 });
        let by_hand = [
            0.1 + 2.0 * 2f32.ln(),
            0.4 + 2.0 * 4f32.ln(),
            0.9 + 2.0 * 2f32.ln(),
            0.0 + 2.0 * (4f32 / 3.0).ln(),
        ];
        let cost: Vec<f32> = cost.into_data().try_into_vec().unwrap();
        assert!(cost.iter().zip(by_hand).all(|(a, b)| (a - b).abs() < 1e-5), "{cost:?} {by_hand:?}");
    }

    #[test]
    fn a_shift_of_both_sides_and_of_a_row_s_logits_changes_nothing() {
        let (z_s, z_t, c_t) = (noise(3, 2, 53), noise(4, 2, 54), noise(4, 2, 55));
        let cost = |by: f32| {
            let options = JointOptions::default().with_alpha(0.5);
            let cost = joint_cost(z_s.clone() + by, z_t.clone() + by, &[1, 0, 1], c_t.clone() + by, options);
            cost.into_data().try_into_vec::<f32>().unwrap()
        };
        assert!(cost(0.0).iter().zip(cost(2.0)).all(|(a, b)| (a - b).abs() < 1e-4));
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        // Each pair weighs differently, as under a plan.
        let plan = noise(3, 4, 49);
        let (z_s, z_t, c_t) = (noise(3, 2, 50), noise(4, 2, 51), noise(4, 2, 52));
        let options = JointOptions::default().with_alpha(0.5);
        let loss = |z_s, z_t, c_t| (joint_cost(z_s, z_t, &[1, 0, 1], c_t, options) * plan.clone()).sum();
        gradient(z_s.clone(), |z| loss(z, z_t.clone(), c_t.clone()));
        gradient(z_t.clone(), |z| loss(z_s.clone(), z, c_t.clone()));
        gradient(c_t.clone(), |c| loss(z_s.clone(), z_t.clone(), c));
    }
}
