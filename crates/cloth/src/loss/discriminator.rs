//! The discriminator's loss, and the probabilities that other losses take from its logits.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;
use serde::{Deserialize, Serialize};

use super::classification::cross_entropy;
use super::{column, log_sum_exp};
use crate::kernel::{self, Softmax};
use crate::linalg::argmax;

/// The classes of D.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Discriminator {
    /// Each source class, and the target: M + 1 logits (the paper).
    MultiClass,
    /// Source and target only: 2 logits (the paper's ablation).
    Binary,
}

/// The discriminator's loss, `L^D`, Eq. (7).
///
/// ```text
/// l_d = − mean_t log D_{M+1} − mean_s log(1 − D_{M+1}) − mean_s log D_y
/// ```
///
/// With two logits (a [`Discriminator::Binary`]) D predicts no class, so the last term is left out.
///
/// # Shapes
/// - `d_s`: `[b_s, M + 1]`, `d_t`: `[b_t, M + 1]`, `y_s`: `b_s` class indices
/// - returns `[1]`
pub fn l_d(d_s: Tensor<2>, d_t: Tensor<2>, y_s: &[u32], kind: Discriminator) -> Tensor<1> {
    if !kernel::reach(&d_s) {
        return plain(d_s, d_t, y_s, kind);
    }
    let [_, width] = d_s.dims();
    let y_s = y_s.to_vec();
    kernel::scalar([d_s, d_t], move |[d_s, d_t]| {
        let (target, mut by_t) = mean_log_target(d_t, width);
        let (source, mut by_s) = mean_log_source(d_s, width);
        by_t.iter_mut().chain(&mut by_s).for_each(|g| *g = -*g);
        let mut value = -target - source;
        if kind == Discriminator::MultiClass {
            let (classes, gradient) = cross_entropy(d_s, width, &y_s, 0.0);
            value += classes;
            by_s.iter_mut().zip(gradient).for_each(|(a, b)| *a += b);
        }
        (value as f32, [by_s, by_t])
    })
}

fn plain(d_s: Tensor<2>, d_t: Tensor<2>, y_s: &[u32], kind: Discriminator) -> Tensor<1> {
    let domain = log_d_target(d_t).mean().neg() - log_d_source(d_s.clone()).mean();
    match kind {
        Discriminator::Binary => domain,
        Discriminator::MultiClass => {
            let y_s = column(y_s, &d_s.device());
            domain - log_softmax(d_s, 1).gather(1, y_s).mean()
        }
    }
}

/// mean log D_target over rows of logits, and its gradient.
pub(super) fn mean_log_target(logits: &[f32], width: usize) -> (f64, Vec<f32>) {
    let all = Softmax::of(logits, width);
    let each = 1.0 / all.rows() as f32;
    let mean =
        all.log.chunks_exact(width).map(|row| f64::from(row[width - 1])).sum::<f64>() * f64::from(each);
    let mut gradient = all.p;
    for row in gradient.chunks_exact_mut(width) {
        row[width - 1] -= 1.0;
        row.iter_mut().for_each(|p| *p *= -each);
    }
    (mean, gradient)
}

/// mean log(1 − D_target) over rows of logits, and its gradient.
pub(super) fn mean_log_source(logits: &[f32], width: usize) -> (f64, Vec<f32>) {
    let all = Softmax::of(logits, width);
    let each = 1.0 / all.rows() as f32;
    let classes: Vec<f32> =
        logits.chunks_exact(width).flat_map(|row| row[..width - 1].iter().copied()).collect();
    let classes = Softmax::of(&classes, width - 1);
    let mut gradient = all.p;
    let mut sum = 0.0;
    let rows = gradient.chunks_exact_mut(width).zip(all.log.chunks_exact(width));
    let of_classes = classes.p.chunks_exact(width - 1).zip(classes.log.chunks_exact(width - 1));
    for ((g, log), (p, log_p)) in rows.zip(of_classes) {
        // log(1 − D) is the same difference for every class; the most probable class has no cancellation.
        let likeliest = argmax(p);
        sum += f64::from(log[likeliest]) - f64::from(log_p[likeliest]);
        g.iter_mut().for_each(|g| *g *= -each);
        g.iter_mut().zip(p).for_each(|(g, p)| *g += each * p);
    }
    (sum * f64::from(each), gradient)
}

/// log D_{M+1}: the log-probability that a row is from the target. `[b, 1]`.
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
    use super::*;
    use crate::testing::{agree, gradient, noise, scalar, tensor};

    #[test]
    fn equal_logits_of_two_classes() {
        // D = 1/3 everywhere: −log 1/3 − log 2/3 − log 1/3.
        let loss = l_d(tensor([[0.0; 3]]), tensor([[0.0; 3]]), &[1], Discriminator::MultiClass);
        assert!((scalar(loss) - (3f32.ln() + 1.5f32.ln() + 3f32.ln())).abs() < 1e-6);
    }

    #[test]
    fn binary_has_no_class_term() {
        let loss = l_d(tensor([[0.0; 2]]), tensor([[0.0; 2]]), &[0], Discriminator::Binary);
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
        gradient(noise(3, 4, 4), |d| l_d(d, noise(3, 4, 5), &y, Discriminator::MultiClass));
        gradient(noise(3, 4, 4), |d| l_d(noise(3, 4, 5), d, &y, Discriminator::MultiClass));
    }

    #[test]
    fn the_kernel_is_the_plain_expression() {
        for (kind, width) in [(Discriminator::MultiClass, 4), (Discriminator::Binary, 2)] {
            for size in [1.0, 40.0] {
                let (inputs, y) = ([noise(3, width, 6) * size, noise(5, width, 7) * size], [2, 0, 1]);
                agree(inputs, |[a, b]| l_d(a, b, &y, kind), |[a, b]| plain(a, b, &y, kind));
            }
        }
    }
}
