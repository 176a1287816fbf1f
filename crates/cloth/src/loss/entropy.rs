//! The entropy loss: predictions should be certain for each row and spread over the classes on average.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Tensor, TensorData};

use super::log_sum_exp;
use crate::kernel::{self, Softmax, log_sum_exp_columns};

/// The entropy loss, `L^ent`, Eq. (6).
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
/// - `prior`: π, M values, or `None` for the uniform one
/// - returns `[1]`
///
/// # Deviations
/// The paper has only the uniform prior, which spreads the target evenly over the classes, whatever its true
/// proportions. A `prior` replaces it.
pub fn l_ent(t_t: Tensor<2>, prior: Option<&[f32]>) -> Tensor<1> {
    if !kernel::reach(&t_t) {
        return plain(t_t, prior);
    }
    let [_, n_classes] = t_t.dims();
    let log_prior: Option<Vec<f32>> = prior.map(|pi| pi.iter().map(|p| p.ln()).collect());
    kernel::scalar([t_t], move |[t_t]| {
        let (value, gradient) = by_slices(t_t, n_classes, log_prior.as_deref());
        (value as f32, [gradient])
    })
}

fn by_slices(t_t: &[f32], n_classes: usize, log_prior: Option<&[f32]>) -> (f64, Vec<f32>) {
    let Softmax { log, p: mut tau, .. } = Softmax::of(t_t, n_classes);
    let b_t = (t_t.len() / n_classes) as f32;
    // The mean is computed in the log domain: for a class without mass it is very negative, not log 0.
    let mut log_ratio: Vec<f32> = log_sum_exp_columns(&log, n_classes).iter().map(|l| l - b_t.ln()).collect();
    let mean: Vec<f32> = log_ratio.iter().map(|l| l.exp()).collect();
    if let Some(log_prior) = log_prior {
        log_ratio.iter_mut().zip(log_prior).for_each(|(l, pi)| *l -= pi);
    }
    let mut value: f64 = mean.iter().zip(&log_ratio).map(|(m, l)| f64::from(*m) * f64::from(*l)).sum();
    if log_prior.is_some() {
        value -= (n_classes as f64).ln();
    }
    let mut rows = 0f64;
    for (tau, log) in tau.chunks_exact_mut(n_classes).zip(log.chunks_exact(n_classes)) {
        // b_t dl/dτ_m is log mean_m − log π_m − log τ_m up to a constant; the softmax subtracts its mean over the row.
        let worth = |m: usize| log_ratio[m] - log[m];
        let entropy: f32 = tau.iter().zip(log).map(|(t, l)| t * l).sum();
        rows -= f64::from(entropy);
        let common: f32 = tau.iter().enumerate().map(|(m, t)| t * worth(m)).sum();
        for (m, tau) in tau.iter_mut().enumerate() {
            *tau *= (worth(m) - common) / b_t;
        }
    }
    (value + rows / f64::from(b_t), tau)
}

fn plain(t_t: Tensor<2>, prior: Option<&[f32]>) -> Tensor<1> {
    let [b_t, n_classes] = t_t.dims();
    let log_tau = log_softmax(t_t, 1);
    let each_row = (log_tau.clone().exp() * log_tau.clone()).sum().div_scalar(-(b_t as f32));
    // The mean is computed in the log domain: for a class without mass it is very negative, not log 0.
    let log_mean = log_sum_exp(log_tau, 0) - (b_t as f32).ln();
    let mean = log_mean.clone().exp();
    match prior {
        None => each_row + (mean * log_mean).sum(),
        Some(pi) => {
            let pi = Tensor::from_data(TensorData::new(pi.to_vec(), [1, n_classes]), &mean.device());
            each_row + (mean * (log_mean - pi.log())).sum() - (n_classes as f32).ln()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{agree, gradient, noise, scalar, tensor};

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
        let pi = [0.25; 4];
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
        gradient(noise(4, 3, 18), |t| l_ent(t, Some(&[0.6, 0.3, 0.1])));
    }

    #[test]
    fn the_kernel_is_the_plain_expression() {
        for prior in [None, Some(&[0.2f32, 0.5, 0.3][..])] {
            for size in [1.0, 20.0] {
                agree([noise(7, 3, 9) * size], |[t]| l_ent(t, prior), |[t]| plain(t, prior));
            }
        }
    }
}
