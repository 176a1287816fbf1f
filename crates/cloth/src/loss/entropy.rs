//! The entropy loss: decided for each row, spread over the classes as a whole.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

use super::log_sum_exp;

/// The entropy loss, `L^ent`, unnumbered, after Eq. (7).
///
/// ```text
/// uniform:  l_ent = mean_t H(τ) − H(mean_t τ),                    τ = softmax(t_t)
/// given π:  l_ent = mean_t H(τ) + KL(mean_t τ ‖ π) − log M
/// ```
///
/// The second equals the first for π = 1/M.
///
/// # Shapes
/// - `t_t`: `[b_t, M]`
/// - `prior`: π, `[1, M]`, or none for the uniform one
/// - returns `[1]`
///
/// # Deviations
/// The paper knows the uniform prior only. It spreads the target evenly over the classes whether or not it is
/// so; a `prior` says otherwise.
pub fn l_ent(t_t: Tensor<2>, prior: Option<&Tensor<2>>) -> Tensor<1> {
    let [b_t, n_classes] = t_t.dims();
    let log_tau = log_softmax(t_t, 1);
    let each_row = (log_tau.clone().exp() * log_tau.clone()).sum().div_scalar(-(b_t as f32));
    // The mean in the log domain: a class that no row takes has log mean −huge, not log 0.
    let log_mean = log_sum_exp(log_tau, 0) - (b_t as f32).ln();
    let mean = log_mean.clone().exp();
    match prior {
        None => each_row + (mean * log_mean).sum(),
        Some(pi) => each_row + (mean * (log_mean - pi.clone().log())).sum() - (n_classes as f32).ln(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{device, gradient, noise, scalar, tensor};
    use super::*;
    use burn::tensor::TensorData;

    #[test]
    fn decided_and_balanced_is_the_minimum_minus_log_m() {
        let t_t = tensor([[90.0, 0.0, 0.0], [0.0, 90.0, 0.0], [0.0, 0.0, 90.0]]);
        assert!((scalar(l_ent(t_t, None)) + 3f32.ln()).abs() < 1e-5);
    }

    #[test]
    fn undecided_or_collapsed_is_zero() {
        assert!(scalar(l_ent(tensor([[1.0, 1.0]; 3]), None)).abs() < 1e-6);
        assert!(scalar(l_ent(tensor([[90.0, 0.0]; 3]), None)).abs() < 1e-6);
    }

    #[test]
    fn a_uniform_prior_given_is_the_uniform_prior() {
        let pi = Tensor::from_data(TensorData::from([[0.25f32; 4]]), &device());
        let t_t = noise(6, 4, 16) * 3.0;
        let given = scalar(l_ent(t_t.clone(), Some(&pi)));
        assert!((given - scalar(l_ent(t_t, None))).abs() < 1e-5);
    }

    #[test]
    fn stays_between_minus_log_m_and_zero() {
        for seed in 0..20 {
            let loss = scalar(l_ent(noise(7, 5, seed) * 10.0, None));
            assert!((-5f32.ln() - 1e-5..=1e-5).contains(&loss), "{loss}");
        }
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        gradient(noise(4, 3, 17), |t| l_ent(t, None));
        let pi = Tensor::from_data(TensorData::from([[0.6f32, 0.3, 0.1]]), &device());
        gradient(noise(4, 3, 18), |t| l_ent(t, Some(&pi)));
    }
}
