//! Correlation alignment: the loss of Deep CORAL.

use burn::tensor::Tensor;

/// The CORAL loss, Sun and Saenko, *Deep CORAL: Correlation Alignment for Deep Domain Adaptation*, ECCV workshops
/// 2016.
///
/// ```text
/// coral = 1 / (4 d²) ‖ cov(x_s) − cov(x_t) ‖²_F
/// ```
///
/// # Shapes
/// - `x_s`: `[b_s, d]`, `x_t`: `[b_t, d]`
/// - returns `[1]`
pub fn coral(x_s: Tensor<2>, x_t: Tensor<2>) -> Tensor<1> {
    let [_, width] = x_s.dims();
    (covariance(x_s) - covariance(x_t)).square().sum().div_scalar(4.0 * (width * width) as f32)
}

fn covariance(x: Tensor<2>) -> Tensor<2> {
    let [rows, _] = x.dims();
    let centred = x.clone() - x.mean_dim(0);
    centred.clone().transpose().matmul(centred).div_scalar(rows.saturating_sub(1).max(1) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gradient, noise, scalar, tensor};

    #[test]
    fn two_features_by_hand() {
        // cov_s = [[2, 2], [2, 2]], cov_t = [[2, −2], [−2, 2]]: ‖difference‖² = 32, over 4·2².
        let loss = coral(tensor([[1.0, 1.0], [-1.0, -1.0]]), tensor([[1.0, -1.0], [-1.0, 1.0]]));
        assert!((scalar(loss) - 2.0).abs() < 1e-6);
    }

    #[test]
    fn a_shift_of_the_mean_is_not_seen() {
        let x = noise(6, 4, 35);
        assert!(scalar(coral(x.clone(), x + 3.0)) < 1e-8);
    }

    #[test]
    fn one_row_has_no_covariance_and_no_nan() {
        assert_eq!(scalar(coral(tensor([[1.0, 2.0]]), tensor([[3.0, 4.0]]))), 0.0);
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        let x_t = noise(5, 3, 36) * 2.0;
        gradient(noise(4, 3, 37), |x| coral(x, x_t.clone()));
        gradient(noise(4, 3, 37), |x| coral(x_t.clone(), x));
    }
}
