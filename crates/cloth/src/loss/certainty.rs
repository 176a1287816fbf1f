//! Weights of rows by the classifier's certainty.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

/// The certainty weight of entropy conditioning, Long et al., *Conditional Adversarial Domain Adaptation*, NeurIPS
/// 2018, and of MCC: 2 for a certain row, near 1 for an uncertain one.
///
/// ```text
/// w = 1 + exp(− H(softmax(c)))
/// ```
///
/// # Shapes
/// - `c`: `[b, M]`
/// - returns `[b, 1]`, without a gradient, so that training cannot lower a weight by making the row uncertain
pub fn certainty(c: Tensor<2>) -> Tensor<2> {
    let log_p = log_softmax(c.detach(), 1);
    let negative_entropy = (log_p.clone().exp() * log_p).sum_dim(1);
    negative_entropy.exp().add_scalar(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tensor;

    #[test]
    fn two_for_a_decided_row_and_one_plus_one_over_m_for_an_undecided_one() {
        let w = certainty(tensor([[90.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]));
        let w: Vec<f32> = w.into_data().try_into_vec().unwrap();
        assert!((w[0] - 2.0).abs() < 1e-6 && (w[1] - 1.25).abs() < 1e-6, "{w:?}");
    }
}
