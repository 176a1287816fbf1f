//! The loss towards a plan.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Tensor, TensorData};

use crate::kernel::{self, Softmax};

/// Cross-entropy of C with a structure plan for the target rows. The paper does not have this loss.
///
/// ```text
/// l_str = − 1/n Σ_jm plan_jm log softmax(c_t)_jm,   n = number of rows in the plan
/// ```
///
/// # Shapes
/// - `c_t`: `[b_t, M]`, `plan`: b_t rows of M masses; a row of zeros has no loss
/// - returns `[1]`
pub fn l_str(c_t: Tensor<2>, plan: Vec<f32>, n: usize) -> Tensor<1> {
    let over = 1.0 / n.max(1) as f32;
    if !kernel::reach(&c_t) {
        return plain(c_t, plan, over);
    }
    let [_, width] = c_t.dims();
    kernel::scalar([c_t], move |[c_t]| {
        let Softmax { log, mut p, .. } = Softmax::of(c_t, width);
        let value: f64 = plan.iter().zip(&log).map(|(a, l)| -f64::from(*a) * f64::from(*l)).sum();
        for (p, plan) in p.chunks_exact_mut(width).zip(plan.chunks_exact(width)) {
            let mass: f32 = plan.iter().sum();
            p.iter_mut().zip(plan).for_each(|(p, a)| *p = (*p * mass - a) * over);
        }
        ((value * f64::from(over)) as f32, [p])
    })
}

fn plain(c_t: Tensor<2>, plan: Vec<f32>, over: f32) -> Tensor<1> {
    let plan = Tensor::from_data(TensorData::new(plan, c_t.dims()), &c_t.device());
    (log_softmax(c_t, 1) * plan).sum().mul_scalar(-over)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{agree, gradient, noise, scalar, tensor};

    #[test]
    fn equal_logits_cost_the_mass_times_log_m() {
        let loss = l_str(tensor([[1.0, 1.0], [4.0, 4.0]]), vec![0.25, 0.5, 0.0, 0.0], 1);
        assert!((scalar(loss) - 0.75 * 2f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn gradient_agrees_with_finite_differences_and_the_plain_expression() {
        let plan = vec![0.1, 0.7, 0.2, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0];
        gradient(noise(3, 3, 40), |c_t| l_str(c_t, plan.clone(), 2));
        agree([noise(3, 3, 41)], |[c_t]| l_str(c_t, plan.clone(), 2), |[c_t]| plain(c_t, plan.clone(), 0.5));
    }
}
