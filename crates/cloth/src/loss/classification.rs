//! The classification loss.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

use super::column;
use crate::kernel::{self, Softmax};

/// The classification loss, `L^C`, Eq. (11).
///
/// ```text
/// l_c = mean_s CE(C(z_s), y_s) = − mean_s Σ_m ỹ_m log softmax(c_s)_m,   ỹ = (1 − λ) one-hot(y_s) + λ / M
/// ```
///
/// # Shapes
/// - `c_s`: `[b, M]`, logits of C, or of T for the source part of [`l_t`](super::l_t)
/// - `y_s`: `b` class indices
/// - `smoothing`: λ, 0 for the plain cross-entropy
/// - returns `[1]`
///
/// # Deviations
/// The paper has λ = 0. A little smoothing keeps source logits from growing without bound. Predictions of target rows,
/// which lie further out, are then less overconfident.
pub fn l_c(c_s: Tensor<2>, y_s: &[u32], smoothing: f64) -> Tensor<1> {
    if !kernel::reach(&c_s) {
        return plain(c_s, y_s, smoothing);
    }
    let [_, width] = c_s.dims();
    let y_s = y_s.to_vec();
    kernel::scalar([c_s], move |[c_s]| {
        let (value, gradient) = cross_entropy(c_s, width, &y_s, smoothing);
        (value as f32, [gradient])
    })
}

fn plain(c_s: Tensor<2>, y_s: &[u32], smoothing: f64) -> Tensor<1> {
    let device = c_s.device();
    let log_p = log_softmax(c_s, 1);
    let of_labels = log_p.clone().gather(1, column(y_s, &device)).mean().neg();
    of_labels.mul_scalar(1.0 - smoothing) - log_p.mean().mul_scalar(smoothing)
}

/// The mean cross-entropy of rows of logits, and its gradient (softmax − ỹ) / b.
pub(super) fn cross_entropy(logits: &[f32], width: usize, y: &[u32], smoothing: f64) -> (f64, Vec<f32>) {
    let Softmax { log, mut p, .. } = Softmax::of(logits, width);
    let each = 1.0 / y.len() as f64;
    let (on, off) = (1.0 - smoothing, smoothing / width as f64);
    let mut value = 0.0;
    for ((p, log), &y) in p.chunks_exact_mut(width).zip(log.chunks_exact(width)).zip(y) {
        value -= on * f64::from(log[y as usize]);
        if off > 0.0 {
            value -= off * log.iter().map(|&l| f64::from(l)).sum::<f64>();
        }
        p[y as usize] -= on as f32;
        p.iter_mut().for_each(|p| *p = (*p - off as f32) * each as f32);
    }
    (value * each, p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{agree, gradient, noise, scalar, tensor};

    #[test]
    fn equal_logits_cost_log_of_the_number_of_classes() {
        let loss = scalar(l_c(tensor([[1.0, 1.0, 1.0], [-7.0, -7.0, -7.0]]), &[0, 2], 0.0));
        assert!((loss - 3f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn smoothing_mixes_in_the_mean_over_classes_by_hand() {
        // log p = (−log 4, −log 4/3): 0.8·log 4 + 0.2·(log 4 + log 4/3)/2.
        let c_s = tensor([[0.0, 3f32.ln()]]);
        let by_hand = 0.8 * 4f32.ln() + 0.1 * (4f32.ln() + (4f32 / 3.0).ln());
        assert!((scalar(l_c(c_s, &[0], 0.2)) - by_hand).abs() < 1e-6);
    }

    #[test]
    fn a_constant_added_to_a_row_changes_nothing() {
        let c_s = noise(4, 3, 1);
        let y = [0, 1, 2, 1];
        let plain = scalar(l_c(c_s.clone(), &y, 0.0));
        let shifted = scalar(l_c(c_s + 5.0, &y, 0.0));
        assert!((plain - shifted).abs() < 1e-5);
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        gradient(noise(4, 3, 2), |c_s| l_c(c_s, &[2, 0, 1, 1], 0.0));
        gradient(noise(4, 3, 2), |c_s| l_c(c_s, &[2, 0, 1, 1], 0.1));
    }

    #[test]
    fn the_kernel_is_the_plain_expression() {
        for smoothing in [0.0, 0.3] {
            let y = [2, 0, 1, 1];
            agree([noise(4, 19, 3) * 30.0], |[c]| l_c(c, &y, smoothing), |[c]| plain(c, &y, smoothing));
        }
    }
}
