//! The discriminator's loss, and what the other losses read off its logits.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor};
use serde::{Deserialize, Serialize};

use super::log_sum_exp;

/// What D tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Discriminator {
    /// Each source class, and the target: M + 1 logits (the paper).
    MultiClass,
    /// Source and target only: 2 logits (the paper's ablation).
    Binary,
}

/// The discriminator's loss, `L^D`, Eq. (8) (`eq:train_D`).
///
/// ```text
/// l_d = − mean_t log D_{M+1} − mean_s log(1 − D_{M+1}) − mean_s log D_y
/// ```
///
/// With two logits (a [`Discriminator::Binary`]) there is no class to tell: the last term is left out.
///
/// # Shapes
/// - `d_s`: `[b_s, M + 1]`, `d_t`: `[b_t, M + 1]`, `y_s`: `[b_s, 1]`
/// - returns `[1]`
pub fn l_d(d_s: Tensor<2>, d_t: Tensor<2>, y_s: Tensor<2, Int>, kind: Discriminator) -> Tensor<1> {
    let domain = log_d_target(d_t).mean().neg() - log_d_source(d_s.clone()).mean();
    match kind {
        Discriminator::Binary => domain,
        Discriminator::MultiClass => domain - log_softmax(d_s, 1).gather(1, y_s).mean(),
    }
}

/// log D_{M+1}: how sure D is that a row is from the target. `[b, 1]`.
pub(super) fn log_d_target(logits: Tensor<2>) -> Tensor<2> {
    let [rows, width] = logits.dims();
    log_softmax(logits, 1).slice([0..rows, width - 1..width])
}

/// log(1 − D_{M+1}) = LSE(logits 1..M) − LSE(all), which stays exact where 1 − D_{M+1} rounds to zero. `[b, 1]`.
pub(super) fn log_d_source(logits: Tensor<2>) -> Tensor<2> {
    let [rows, width] = logits.dims();
    log_sum_exp(logits.clone().slice([0..rows, 0..width - 1]), 1) - log_sum_exp(logits, 1)
}

#[cfg(test)]
mod tests {
    use super::super::check::{column, gradient, noise, scalar, tensor};
    use super::*;

    #[test]
    fn equal_logits_of_two_classes() {
        // D = 1/3 everywhere: −log 1/3 − log 2/3 − log 1/3.
        let loss = l_d(tensor([[0.0; 3]]), tensor([[0.0; 3]]), column(&[1]), Discriminator::MultiClass);
        assert!((scalar(loss) - (3f32.ln() + 1.5f32.ln() + 3f32.ln())).abs() < 1e-6);
    }

    #[test]
    fn binary_has_no_class_term() {
        let loss = l_d(tensor([[0.0; 2]]), tensor([[0.0; 2]]), column(&[0]), Discriminator::Binary);
        assert!((scalar(loss) - 2.0 * 2f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn source_and_target_probabilities_add_up_to_one() {
        let d = noise(6, 4, 3) * 5.0;
        let total: Vec<f32> =
            (log_d_source(d.clone()).exp() + log_d_target(d).exp()).into_data().try_into_vec().unwrap();
        assert!(total.iter().all(|p| (p - 1.0).abs() < 1e-5), "{total:?}");
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        let y = [0, 2, 1];
        gradient(noise(3, 4, 4), |d| l_d(d, noise(3, 4, 5), column(&y), Discriminator::MultiClass));
        gradient(noise(3, 4, 4), |d| l_d(noise(3, 4, 5), d, column(&y), Discriminator::MultiClass));
    }
}
