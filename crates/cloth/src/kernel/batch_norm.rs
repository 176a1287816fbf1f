//! Batch normalisation of parts of a batch: each part, such as the rows of one domain, by its own statistics.

use std::sync::{Arc, Mutex, PoisonError};

use burn::backend::flex::FlexTensor;
use burn::tensor::Tensor;

use super::flex::{dims, into_values, tensor, values};
use super::{node::Kernels, reach, vectorised};

/// Added to each variance, against division by zero.
pub(crate) const EPSILON: f32 = 1e-5;

/// Mean and variance of each column of one part. The variance is divided by the number of rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statistics {
    pub(crate) mean: Vec<f32>,
    pub(crate) variance: Vec<f32>,
}

/// Where a forward pass leaves the statistics that it computes.
pub(super) type Found = Arc<Mutex<Vec<Statistics>>>;

/// (x − mean) / √(variance + ε) · scale + offset, with the statistics of each part's own rows, which are returned too.
///
/// # Shapes
/// - `x`: `[rows, width]`, `scale` and `offset`: `[width]`, `parts`: numbers of rows, `rows` in total, none of them 0
/// - returns `[rows, width]`
pub(crate) fn batch_norm(
    x: Tensor<2>,
    scale: Tensor<1>,
    offset: Tensor<1>,
    parts: &[usize],
) -> (Tensor<2>, Vec<Statistics>) {
    if !reach(&x) {
        return plain(x, scale, offset, parts);
    }
    let found = Found::default();
    let [x, scale, offset] = [x.into_dispatch(), scale.into_dispatch(), offset.into_dispatch()];
    let y = <burn::backend::Dispatch as Kernels>::batch_norm(x, scale, offset, parts.to_vec(), found.clone());
    let statistics = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    (Tensor::from_dispatch(y), statistics)
}

fn plain(x: Tensor<2>, scale: Tensor<1>, offset: Tensor<1>, parts: &[usize]) -> (Tensor<2>, Vec<Statistics>) {
    let row = |t: Tensor<2>| t.into_data().try_into_vec().expect("statistics are f32");
    let (mut normalised, mut statistics, mut first) = (Vec::new(), Vec::new(), 0);
    for &rows in parts {
        let x = x.clone().narrow(0, first, rows);
        let mean = x.clone().mean_dim(0);
        let centred = x - mean.clone();
        let variance = centred.clone().square().mean_dim(0);
        normalised.push(centred / variance.clone().add_scalar(EPSILON).sqrt());
        statistics.push(Statistics { mean: row(mean), variance: row(variance) });
        first += rows;
    }
    (Tensor::cat(normalised, 0) * scale.unsqueeze() + offset.unsqueeze(), statistics)
}

/// What the backward pass needs.
#[derive(Debug, Clone)]
pub(super) struct Past {
    parts: Vec<usize>,
    /// (x − mean) / √(variance + ε)
    normalised: FlexTensor,
    /// 1 / √(variance + ε), part after part.
    factors: Vec<f32>,
}

pub(super) fn forward(
    x: FlexTensor,
    scale: &FlexTensor,
    offset: &FlexTensor,
    parts: &[usize],
    found: &Found,
) -> (FlexTensor, Past) {
    let [rows, width] = dims(&x);
    let (scale, offset) = (values(scale), values(offset));
    let mut normalised = into_values(x);
    let mut y = vec![0f32; rows * width];
    let mut factors = Vec::with_capacity(parts.len() * width);
    let mut statistics = Vec::with_capacity(parts.len());
    let (mut x, mut out) = (normalised.as_mut_slice(), y.as_mut_slice());
    for &part in parts {
        let (here, after) = x.split_at_mut(part * width);
        let (y, y_after) = out.split_at_mut(part * width);
        let Statistics { mean, variance } = moments(here, width);
        let factor: Vec<f32> = variance.iter().map(|v| 1.0 / (v + EPSILON).sqrt()).collect();
        vectorised(
            #[inline(always)]
            || {
                for (row, y) in here.chunks_exact_mut(width).zip(y.chunks_exact_mut(width)) {
                    for j in 0..width {
                        row[j] = (row[j] - mean[j]) * factor[j];
                        y[j] = row[j] * scale[j] + offset[j];
                    }
                }
            },
        );
        factors.extend(factor);
        statistics.push(Statistics { mean, variance });
        (x, out) = (after, y_after);
    }
    *found.lock().unwrap_or_else(PoisonError::into_inner) = statistics;
    let past = Past { parts: parts.to_vec(), normalised: tensor(normalised, [rows, width]), factors };
    (tensor(y, [rows, width]), past)
}

/// Row after row, so that the order of the sums does not depend on the number of threads.
fn moments(rows: &[f32], width: usize) -> Statistics {
    let n = (rows.len() / width) as f32;
    let (mut mean, mut variance) = (vec![0f32; width], vec![0f32; width]);
    vectorised(
        #[inline(always)]
        || {
            for row in rows.chunks_exact(width) {
                mean.iter_mut().zip(row).for_each(|(m, v)| *m += v);
            }
            mean.iter_mut().for_each(|m| *m /= n);
            for row in rows.chunks_exact(width) {
                for ((s, m), v) in variance.iter_mut().zip(&mean).zip(row) {
                    *s += (v - m) * (v - m);
                }
            }
            variance.iter_mut().for_each(|s| *s /= n);
        },
    );
    Statistics { mean, variance }
}

/// Gradients of x, scale and offset. With u = (x − mean) / √(variance + ε), for each part:
///
/// ```text
/// dx = scale / √(variance + ε) · (dy − mean(dy) − u mean(dy · u))
/// ```
pub(super) fn backward(
    past: &Past,
    scale: &FlexTensor,
    dy: FlexTensor,
) -> (FlexTensor, FlexTensor, FlexTensor) {
    let scale = values(scale);
    let width = scale.len();
    let normalised = values(&past.normalised);
    let mut dy = into_values(dy);
    let (mut dscale, mut doffset) = (vec![0f32; width], vec![0f32; width]);
    let (mut first, rows) = (0, normalised.len() / width);
    for (&part, factor) in past.parts.iter().zip(past.factors.chunks_exact(width)) {
        let here = first * width..(first + part) * width;
        let (u, dy) = (&normalised[here.clone()], &mut dy[here]);
        let (mut sum, mut product) = (vec![0f32; width], vec![0f32; width]);
        vectorised(
            #[inline(always)]
            || {
                for (dy, u) in dy.chunks_exact(width).zip(u.chunks_exact(width)) {
                    for j in 0..width {
                        sum[j] += dy[j];
                        product[j] += dy[j] * u[j];
                    }
                }
                for j in 0..width {
                    doffset[j] += sum[j];
                    dscale[j] += product[j];
                    sum[j] /= part as f32;
                    product[j] /= part as f32;
                }
                for (dy, u) in dy.chunks_exact_mut(width).zip(u.chunks_exact(width)) {
                    for j in 0..width {
                        dy[j] = scale[j] * factor[j] * (dy[j] - sum[j] - u[j] * product[j]);
                    }
                }
            },
        );
        first += part;
    }
    (tensor(dy, [rows, width]), tensor(dscale, [width]), tensor(doffset, [width]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gradient, noise, tensor};

    fn parameters(width: usize) -> [Tensor<1>; 2] {
        [noise(1, width, 8).reshape([width]) + 1.0, noise(1, width, 9).reshape([width])]
    }

    #[test]
    fn two_parts_by_hand() {
        // Columns of the first part: 1, 3 (mean 2, variance 1); of the second: 10, 10, 16 (mean 12, variance 8).
        let x = tensor([[1.0], [3.0], [10.0], [10.0], [16.0]]);
        let [scale, offset] = [2.0, 5.0].map(|v| tensor([[v]]).reshape([1]));
        let (y, statistics) = batch_norm(x, scale, offset, &[2, 3]);
        let y: Vec<f32> = y.into_data().try_into_vec().unwrap();
        let second = 2.0 * 2.0 / 8f32.sqrt();
        let wanted = [3.0, 7.0, 5.0 - second, 5.0 - second, 5.0 + 2.0 * second];
        assert!(y.iter().zip(wanted).all(|(y, w)| (y - w).abs() < 1e-4), "{y:?} {wanted:?}");
        assert_eq!(statistics[1], Statistics { mean: vec![12.0], variance: vec![8.0] });
    }

    #[test]
    fn value_gradients_and_statistics_are_those_of_the_plain_expression() {
        for (rows, width, parts) in [(7, 3, vec![4, 3]), (64, 33, vec![64]), (90, 20, vec![30, 1, 59])] {
            let run = |norm: fn(Tensor<2>, Tensor<1>, Tensor<1>, &[usize]) -> _| {
                let x = noise(rows, width, 1).require_grad();
                let [scale, offset] = parameters(width).map(|p| p.detach().require_grad());
                let (y, statistics): (Tensor<2>, Vec<Statistics>) =
                    norm(x.clone(), scale.clone(), offset.clone(), &parts);
                let gradients = (y.clone() * noise(rows, width, 4)).sum().backward();
                let parameters = [scale, offset].map(|p| p.grad(&gradients).expect("a gradient").unsqueeze());
                let [dscale, doffset] = parameters;
                let dx = x.grad(&gradients).expect("a gradient");
                ([y.inner(), dx, dscale, doffset], statistics)
            };
            let ((ours, found), (oracle, wanted)) = (run(batch_norm), run(plain));
            for (ours, oracle) in ours.into_iter().zip(oracle) {
                let difference: f32 = (ours - oracle.clone()).abs().max().into_scalar();
                let size: f32 = oracle.abs().max().into_scalar();
                assert!(difference <= 2e-5 * size.max(1.0), "{difference} of {size}");
            }
            for (found, wanted) in found.iter().zip(&wanted) {
                let pairs =
                    found.mean.iter().chain(&found.variance).zip(wanted.mean.iter().chain(&wanted.variance));
                assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-5), "{found:?} {wanted:?}");
            }
            assert_eq!(found.len(), parts.len());
        }
    }

    #[test]
    fn the_gradient_is_the_finite_difference() {
        let [scale, offset] = parameters(3);
        gradient(noise(6, 3, 2), |x| {
            (batch_norm(x, scale.clone(), offset.clone(), &[4, 2]).0 * noise(6, 3, 5)).sum()
        });
    }

    #[test]
    fn each_part_has_mean_0_and_variance_1_whatever_it_had_before() {
        let x = Tensor::cat(vec![noise(40, 5, 1) * 9.0 + 100.0, noise(50, 5, 2) * 0.1 - 3.0], 0);
        let (one, zero) = (Tensor::ones([5], &x.device()), Tensor::zeros([5], &x.device()));
        let y = batch_norm(x, one, zero, &[40, 50]).0;
        for part in [y.clone().narrow(0, 0, 40), y.narrow(0, 40, 50)] {
            let values: Vec<f32> = part.into_data().try_into_vec().unwrap();
            let Statistics { mean, variance } = moments(&values, 5);
            assert!(mean.iter().all(|m| m.abs() < 1e-3), "{mean:?}");
            assert!(variance.iter().all(|v| (0.99..1.001).contains(v)), "{variance:?}");
        }
    }
}
