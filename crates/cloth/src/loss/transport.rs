//! The transport loss: class-aware optimal transport, amortised by T or solved by Sinkhorn.

use burn::tensor::Tensor;
use burn::tensor::activation::{log_softmax, softmax};
use serde::{Deserialize, Serialize};

use super::classification::cross_entropy;
use super::discriminator::{Discriminator, log_d_source, mean_log_source};
use super::l_c;
use crate::kernel::{self, Softmax};

/// How the losses of a batch's rows are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduction {
    /// The mean over the rows.
    Mean,
    /// The sum over the rows, as in the paper.
    Sum,
}

/// Options of [`l_t`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TransportOptions {
    /// The classes of D, which determine the cost of a class.
    pub kind: Discriminator,
    /// How rows are combined.
    pub reduction: Reduction,
    /// Label smoothing of the source part, as in [`l_c`].
    pub smoothing: f64,
}

impl Default for TransportOptions {
    /// Means over rows, a multi-class D, no label smoothing.
    fn default() -> Self {
        Self { kind: Discriminator::MultiClass, reduction: Reduction::Mean, smoothing: 0.0 }
    }
}

impl TransportOptions {
    /// Replaces the kind of D.
    pub fn with_kind(self, kind: Discriminator) -> Self {
        Self { kind, ..self }
    }

    /// Replaces the reduction.
    pub fn with_reduction(self, reduction: Reduction) -> Self {
        Self { reduction, ..self }
    }

    /// Replaces the label smoothing.
    pub fn with_smoothing(self, smoothing: f64) -> Self {
        Self { smoothing, ..self }
    }
}

/// The transport loss, `L^t`, Eq. (5) and, with D as the cost, Eq. (8).
///
/// ```text
/// l_t = mean_t Σ_m τ_m (−log D_m) + mean_s CE(T(z_s), y_s),   τ = softmax(t_t)
/// ```
///
/// # Shapes
/// - `t_s`: `[b_s, M]`, `t_t`: `[b_t, M]`, `d_t`: `[b_t, M + 1]`, `y_s`: `b_s` class indices
/// - returns `[1]`
///
/// # Deviations
/// The paper sums over rows ([`Reduction::Sum`]), so that the weight α depends on the batch size; [`Reduction::Mean`]
/// does not. With a binary D the cost is −log D_source for every class.
pub fn l_t(
    t_s: Tensor<2>,
    t_t: Tensor<2>,
    d_t: Tensor<2>,
    y_s: &[u32],
    options: TransportOptions,
) -> Tensor<1> {
    if !kernel::reach(&t_s) {
        return plain(t_s, t_t, d_t, y_s, options);
    }
    let TransportOptions { kind, reduction, smoothing } = options;
    let [b_s, width] = t_s.dims();
    let [b_t, _] = t_t.dims();
    let y_s = y_s.to_vec();
    kernel::scalar([t_s, t_t, d_t], move |[t_s, t_t, d_t]| {
        let (source, mut by_t_s) = cross_entropy(t_s, width, &y_s, smoothing);
        let (target, mut by_t_t, mut by_d_t) = match kind {
            Discriminator::MultiClass => mean_cost(t_t, d_t, width),
            // The same cost for every class: the plan does not matter.
            Discriminator::Binary => {
                let (mean, mut by_d_t) = mean_log_source(d_t, 2);
                by_d_t.iter_mut().for_each(|g| *g = -*g);
                (-mean, vec![0.0; t_t.len()], by_d_t)
            }
        };
        let (of_source, of_target) = match reduction {
            Reduction::Mean => (1.0, 1.0),
            Reduction::Sum => (b_s as f32, b_t as f32),
        };
        by_t_s.iter_mut().for_each(|g| *g *= of_source);
        by_t_t.iter_mut().chain(&mut by_d_t).for_each(|g| *g *= of_target);
        let value = target * f64::from(of_target) + source * f64::from(of_source);
        (value as f32, [by_t_s, by_t_t, by_d_t])
    })
}

fn plain(
    t_s: Tensor<2>,
    t_t: Tensor<2>,
    d_t: Tensor<2>,
    y_s: &[u32],
    options: TransportOptions,
) -> Tensor<1> {
    let TransportOptions { kind, reduction, smoothing } = options;
    let [b_s, _] = t_s.dims();
    let [b_t, _] = t_t.dims();
    let target = plan_cost(softmax(t_t, 1), d_t, kind);
    let source = l_c(t_s, y_s, smoothing);
    match reduction {
        Reduction::Mean => target.div_scalar(b_t as f32) + source,
        Reduction::Sum => target + source.mul_scalar(b_s as f32),
    }
}

/// mean_t Σ_m τ_m (−log D_m), and its gradients by the logits of T and of D.
fn mean_cost(t_t: &[f32], d_t: &[f32], n_classes: usize) -> (f64, Vec<f32>, Vec<f32>) {
    let mut tau = Softmax::of(t_t, n_classes).p;
    let Softmax { log: log_d, p: mut by_d, width, .. } = Softmax::of(d_t, n_classes + 1);
    let each = 1.0 / (t_t.len() / n_classes) as f32;
    let mut sum = 0.0;
    let rows =
        tau.chunks_exact_mut(n_classes).zip(log_d.chunks_exact(width)).zip(by_d.chunks_exact_mut(width));
    for ((tau, log_d), by_d) in rows {
        let cost: f32 = -tau.iter().zip(log_d).map(|(t, l)| t * l).sum::<f32>();
        sum += f64::from(cost);
        for ((tau, log_d), by_d) in tau.iter_mut().zip(log_d).zip(&mut *by_d) {
            *by_d -= *tau;
            // A class without mass in the plan has no gradient, even if its cost is infinite.
            *tau = if *tau > 0.0 { *tau * each * (-log_d - cost) } else { 0.0 };
        }
        by_d.iter_mut().for_each(|g| *g *= each);
    }
    (sum * f64::from(each), tau, by_d)
}

/// The cost of a transport plan for the target rows: Σ_jm plan_jm (−log D_m(z_j)).
///
/// # Shapes
/// - `plan`: `[b_t, M]`, of any total mass; `d_t`: `[b_t, M + 1]`, or `[b_t, 2]` for a binary D
/// - returns `[1]`
pub fn plan_cost(plan: Tensor<2>, d_t: Tensor<2>, kind: Discriminator) -> Tensor<1> {
    (plan * cost(d_t, kind)).sum()
}

/// The cost −log D_m of moving each target row to each class: `[b_t, M]`, or `[b_t, 1]` for a binary D.
pub(crate) fn cost(d_t: Tensor<2>, kind: Discriminator) -> Tensor<2> {
    match kind {
        Discriminator::Binary => log_d_source(d_t).neg(),
        Discriminator::MultiClass => {
            let [rows, width] = d_t.dims();
            log_softmax(d_t, 1).slice([0..rows, 0..width - 1]).neg()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Discriminator::{Binary, MultiClass};
    use super::*;
    use crate::testing::{agree, gradient, noise, scalar, tensor};

    #[test]
    fn equal_logits_of_two_classes() {
        // τ = (1/2, 1/2), D = 1/3 each: log 3; T on the source: log 2.
        let loss = |reduction| {
            let options = TransportOptions::default().with_reduction(reduction);
            l_t(tensor([[0.0; 2]]), tensor([[0.0; 2]; 2]), tensor([[0.0; 3]; 2]), &[1], options)
        };
        assert!((scalar(loss(Reduction::Mean)) - (3f32.ln() + 2f32.ln())).abs() < 1e-6);
        assert!((scalar(loss(Reduction::Sum)) - (2.0 * 3f32.ln() + 2f32.ln())).abs() < 1e-6);
    }

    #[test]
    fn the_cheapest_plan_takes_the_likeliest_class_of_each_row() {
        let d_t = noise(5, 4, 9) * 3.0;
        let cheapest = cost(d_t.clone(), MultiClass).min_dim(1).sum();
        for seed in 0..20 {
            let plan = softmax(noise(5, 3, 100 + seed) * 4.0, 1);
            assert!(scalar(plan_cost(plan, d_t.clone(), MultiClass)) >= scalar(cheapest.clone()) - 1e-5);
        }
    }

    #[test]
    fn a_binary_discriminator_costs_every_class_the_same() {
        let d_t = noise(4, 2, 10);
        let a = scalar(plan_cost(softmax(noise(4, 3, 11), 1), d_t.clone(), Binary));
        let b = scalar(plan_cost(softmax(noise(4, 3, 12), 1), d_t, Binary));
        assert!((a - b).abs() < 1e-5);
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let y = [0u32, 2];
        let [t_s, t_t, d_t] = [noise(2, 3, 13), noise(4, 3, 14), noise(4, 4, 15)];
        let loss = |a, b, c| l_t(a, b, c, &y, TransportOptions::default());
        gradient(t_s.clone(), |x| loss(x, t_t.clone(), d_t.clone()));
        gradient(t_t.clone(), |x| loss(t_s.clone(), x, d_t.clone()));
        gradient(d_t, |x| loss(t_s.clone(), t_t.clone(), x));
    }

    #[test]
    fn the_kernel_is_the_plain_expression() {
        for (kind, width) in [(MultiClass, 4), (Binary, 2)] {
            for reduction in [Reduction::Mean, Reduction::Sum] {
                let options = TransportOptions { kind, reduction, smoothing: 0.1 };
                let inputs = [noise(2, 3, 30) * 5.0, noise(4, 3, 31) * 5.0, noise(4, width, 32) * 5.0];
                agree(
                    inputs,
                    |[a, b, c]| l_t(a, b, c, &[0, 2], options),
                    |[a, b, c]| plain(a, b, c, &[0, 2], options),
                );
            }
        }
    }
}
