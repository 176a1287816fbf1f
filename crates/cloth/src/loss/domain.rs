//! The loss of a binary discriminator, which G maximises by a reversed gradient.

use burn::tensor::Tensor;

use super::discriminator::{log_d_source, log_d_target};

/// The domain loss of DANN (Ganin et al., JMLR 2016) and, with weights, of CDAN (Long et al., NeurIPS 2018): the
/// cross-entropy of "source or target".
///
/// ```text
/// l_dom = − ½ ( Σ_s w_s log(1 − D) / Σ_s w_s  +  Σ_t w_t log D / Σ_t w_t )
/// ```
///
/// # Shapes
/// - `d_s`: `[b_s, 2]`, `d_t`: `[b_t, 2]`: logits, the last for "target"
/// - `weights`: `[b_s, 1]` and `[b_t, 1]`, or `None` for equal weights
/// - returns `[1]`
pub fn l_dom(d_s: Tensor<2>, d_t: Tensor<2>, weights: Option<(Tensor<2>, Tensor<2>)>) -> Tensor<1> {
    let (right_s, right_t) = (log_d_source(d_s), log_d_target(d_t));
    let (mean_s, mean_t) = match weights {
        None => (right_s.mean(), right_t.mean()),
        Some((w_s, w_t)) => {
            ((right_s * w_s.clone()).sum() / w_s.sum(), (right_t * w_t.clone()).sum() / w_t.sum())
        }
    };
    (mean_s + mean_t).mul_scalar(-0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gradient, noise, scalar, tensor};

    #[test]
    fn a_discriminator_that_cannot_tell_costs_log_two() {
        assert!((scalar(l_dom(tensor([[3.0; 2]]), tensor([[0.0; 2]]), None)) - 2f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn weights_by_hand() {
        // Source rows: D = ½ and ¼, weighing 1 and 3; the target row: D = ½.
        let (d_s, d_t) = (tensor([[0.0, 0.0], [3f32.ln(), 0.0]]), tensor([[1.0, 1.0]]));
        let loss = l_dom(d_s, d_t, Some((tensor([[1.0], [3.0]]), tensor([[2.0]]))));
        let by_hand = 0.5 * ((2f32.ln() + 3.0 * (4f32 / 3.0).ln()) / 4.0 + 2f32.ln());
        assert!((scalar(loss) - by_hand).abs() < 1e-6);
    }

    #[test]
    fn equal_weights_are_no_weights() {
        let (d_s, d_t) = (noise(4, 2, 45), noise(3, 2, 46));
        let ones = (tensor([[1.5]; 4]), tensor([[1.5]; 3]));
        let weighted = scalar(l_dom(d_s.clone(), d_t.clone(), Some(ones)));
        assert!((weighted - scalar(l_dom(d_s, d_t, None))).abs() < 1e-6);
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        let weights = || Some((tensor([[1.0], [2.0], [1.5]]), tensor([[1.0], [1.2], [2.0]])));
        gradient(noise(3, 2, 47), |d| l_dom(d, noise(3, 2, 48), weights()));
        gradient(noise(3, 2, 47), |d| l_dom(noise(3, 2, 48), d, weights()));
    }
}
