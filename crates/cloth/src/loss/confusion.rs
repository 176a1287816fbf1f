//! Minimum class confusion.

use burn::tensor::Tensor;
use burn::tensor::activation::softmax;

use super::certainty;

/// Added to a divisor, against 0 / 0 for a class without mass.
const TINY: f32 = 1e-12;

/// Minimum class confusion, Jin et al., *Minimum Class Confusion for Versatile Domain Adaptation*, ECCV 2020.
///
/// ```text
/// Y = softmax(c_t / T),   w_i ∝ 1 + exp(−H(Y_i)) with Σ w_i = b_t,   C_mn = Σ_i w_i Y_im Y_in
/// mcc = 1/M Σ_m Σ_{n ≠ m} C_mn / Σ_n' C_mn'
/// ```
///
/// A row of Y adds up to one, so Σ_n C_mn = Σ_i w_i Y_im, and no M × M matrix is needed:
///
/// ```text
/// mcc = 1 − 1/M Σ_m Σ_i w_i Y_im² / Σ_i w_i Y_im
/// ```
///
/// # Shapes
/// - `c_t`: `[b_t, M]`
/// - `temperature`: T
/// - returns `[1]`, from 0 to 1 − 1/M
///
/// # Deviations
/// As in the authors' code the weights have no gradient.
pub fn mcc(c_t: Tensor<2>, temperature: f64) -> Tensor<1> {
    let tempered = c_t.div_scalar(temperature as f32);
    confusion(tempered.clone(), certainty(tempered))
}

/// Only ratios of the weights `w` matter, so they are not normalised to the sum b_t.
fn confusion(tempered: Tensor<2>, w: Tensor<2>) -> Tensor<1> {
    let y = softmax(tempered, 1);
    let mass = (y.clone() * w.clone()).sum_dim(0).add_scalar(TINY);
    let own = (y.square() * w).sum_dim(0);
    (own / mass).mean().neg().add_scalar(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gradient, noise, scalar, tensor};

    #[test]
    fn two_classes_by_hand() {
        // Both rows have probabilities ¼ and ¾ of the same entropy: C = [[1, 3], [3, 9]] up to a factor.
        let c_t = tensor([[0.0, 2.0 * 3f32.ln()], [5.0, 5.0 + 2.0 * 3f32.ln()]]);
        assert!((scalar(mcc(c_t, 2.0)) - 0.5 * (3.0 / 4.0 + 3.0 / 12.0)).abs() < 1e-6);
    }

    #[test]
    fn the_short_form_is_the_matrix_s() {
        let (c_t, n_classes) = (noise(7, 4, 43) * 3.0, 4);
        let y = softmax(c_t.clone().div_scalar(2.5), 1);
        let weighted = y.clone() * certainty(c_t.clone().div_scalar(2.5));
        let confusion = weighted.transpose().matmul(y);
        let rows = confusion.clone() / confusion.sum_dim(1);
        let values: Vec<f32> = rows.into_data().try_into_vec().unwrap();
        let off: f32 = (0..16).filter(|i| i / n_classes != i % n_classes).map(|i| values[i]).sum();
        assert!((scalar(mcc(c_t, 2.5)) - off / n_classes as f32).abs() < 1e-6);
    }

    #[test]
    fn decided_rows_of_all_classes_cost_nothing_and_extreme_logits_stay_finite() {
        assert!(scalar(mcc(tensor([[900.0, 0.0], [0.0, 900.0]]), 2.5)).abs() < 1e-6);
        assert!(scalar(mcc(tensor([[900.0, 0.0], [900.0, 0.0]]), 2.5)).is_finite());
    }

    #[test]
    fn gradient_agrees_with_finite_differences_for_given_weights() {
        let c_t = noise(5, 4, 44) * 2.0;
        let w = certainty(c_t.clone());
        gradient(c_t.clone(), |c| confusion(c, w.clone()));
        // And the weights of the loss itself have no gradient.
        let of = |loss: &dyn Fn(Tensor<2>) -> Tensor<1>| {
            let c = c_t.clone().detach().require_grad();
            let values = c.grad(&loss(c.clone()).backward()).unwrap().into_data();
            values.try_into_vec::<f32>().unwrap()
        };
        assert_eq!(of(&|c| mcc(c, 1.0)), of(&|c| confusion(c, w.clone())));
    }
}
