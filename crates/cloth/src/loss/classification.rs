//! The classification loss.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor};

/// The classification loss, `L^C`, unnumbered, after Eq. (10) (`eq:LGT`).
///
/// ```text
/// l_c = mean_s CE(C(z_s), y_s) = − mean_s Σ_m ỹ_m log softmax(c_s)_m,   ỹ = (1 − λ) one-hot(y_s) + λ / M
/// ```
///
/// # Shapes
/// - `logits`: `[b, M]`, of C, or of T for the source part of [`l_t`](super::l_t)
/// - `y_s`: `[b, 1]`
/// - `smoothing`: λ, 0 for the plain cross-entropy
/// - returns `[1]`
///
/// # Deviations
/// The paper has λ = 0. A little smoothing keeps source logits from growing without end, so that target rows,
/// which lie further out, are not all called with certainty.
pub fn l_c(logits: Tensor<2>, y_s: Tensor<2, Int>, smoothing: f64) -> Tensor<1> {
    let log_p = log_softmax(logits, 1);
    let plain = log_p.clone().gather(1, y_s).mean().neg();
    if smoothing == 0.0 {
        return plain;
    }
    plain.mul_scalar(1.0 - smoothing) - log_p.mean().mul_scalar(smoothing)
}

#[cfg(test)]
mod tests {
    use super::super::check::{column, gradient, noise, scalar, tensor};
    use super::*;

    #[test]
    fn equal_logits_cost_log_of_the_number_of_classes() {
        let loss = scalar(l_c(tensor([[1.0, 1.0, 1.0], [-7.0, -7.0, -7.0]]), column(&[0, 2]), 0.0));
        assert!((loss - 3f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn smoothing_mixes_in_the_mean_over_classes_by_hand() {
        // log p = (−log 4, −log 4/3): 0.8·log 4 + 0.2·(log 4 + log 4/3)/2.
        let c_s = tensor([[0.0, 3f32.ln()]]);
        let by_hand = 0.8 * 4f32.ln() + 0.1 * (4f32.ln() + (4f32 / 3.0).ln());
        assert!((scalar(l_c(c_s, column(&[0]), 0.2)) - by_hand).abs() < 1e-6);
    }

    #[test]
    fn a_constant_added_to_a_row_changes_nothing() {
        let c_s = noise(4, 3, 1);
        let y = [0, 1, 2, 1];
        let plain = scalar(l_c(c_s.clone(), column(&y), 0.0));
        let shifted = scalar(l_c(c_s + 5.0, column(&y), 0.0));
        assert!((plain - shifted).abs() < 1e-5);
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        gradient(noise(4, 3, 2), |c_s| l_c(c_s, column(&[2, 0, 1, 1]), 0.0));
        gradient(noise(4, 3, 2), |c_s| l_c(c_s, column(&[2, 0, 1, 1]), 0.1));
    }
}
