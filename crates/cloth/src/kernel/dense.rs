//! A dense layer with its activation.

use burn::backend::flex::FlexTensor;
use burn::tensor::Tensor;

use super::flex::{contiguous, dims, into_values, tensor, values};
use super::gemm::{Matrix, product, product_then};
use super::node::Kernels;
use super::recycle::recycle;
use super::{reach, vectorised};
use crate::buffers::give;
use crate::threads::share;

/// act(x·w + b), where act multiplies negative values by `slope`: 0 is ReLU, 1 leaves all as they are.
///
/// # Shapes
/// - `x`: `[rows, inputs]`, `w`: `[inputs, outputs]`, `b`: `[outputs]`
/// - returns `[rows, outputs]`
pub(crate) fn dense(x: Tensor<2>, w: Tensor<2>, b: Tensor<1>, slope: f32) -> Tensor<2> {
    if !reach(&x) {
        return plain(x, w, b, slope);
    }
    let [x, w, b] = [x.into_dispatch(), w.into_dispatch(), b.into_dispatch()];
    Tensor::from_dispatch(<burn::backend::Dispatch as Kernels>::dense(x, w, b, slope))
}

fn plain(x: Tensor<2>, w: Tensor<2>, b: Tensor<1>, slope: f32) -> Tensor<2> {
    let y = x.matmul(w) + b.unsqueeze();
    match slope {
        1.0 => y,
        0.0 => burn::tensor::activation::relu(y),
        _ => burn::tensor::activation::leaky_relu(y, f64::from(slope)),
    }
}

pub(super) fn forward(x: &FlexTensor, w: &FlexTensor, b: FlexTensor, slope: f32) -> FlexTensor {
    let [rows, inputs] = dims(x);
    let [_, outputs] = dims(w);
    let b = contiguous(b);
    let bias = values(&b);
    let y = product_then(Matrix::new(values(x), inputs), Matrix::new(values(w), outputs), |first, row| {
        vectorised(
            #[inline(always)]
            || {
                for (v, b) in row.iter_mut().zip(&bias[first..]) {
                    let sum = *v + b;
                    *v = sum * slope_at(sum, slope);
                }
            },
        );
    });
    tensor(y, [rows, outputs])
}

/// 1 where x > 0, else `slope`. Computed by bits without a branch, so that the compiler vectorises it.
#[inline(always)]
fn slope_at(x: f32, slope: f32) -> f32 {
    let positive = (x.to_bits().cast_signed() > 0) as i32 as f32;
    slope + (1.0 - slope) * positive
}

/// Gradients of x (if wanted), w and b.
pub(super) fn backward(
    (x, w, y): (FlexTensor, FlexTensor, FlexTensor),
    dy: FlexTensor,
    slope: f32,
    want_x: bool,
) -> (Option<FlexTensor>, FlexTensor, FlexTensor) {
    let [rows, inputs] = dims(&x);
    let [_, outputs] = dims(&w);
    let mut dy = into_values(dy);
    if slope != 1.0 {
        let part = 16 * 1024;
        share(dy.chunks_mut(part).zip(values(&y).chunks(part)), |(dy, y)| {
            vectorised(
                #[inline(always)]
                || {
                    for (d, y) in dy.iter_mut().zip(y) {
                        *d *= slope_at(*y, slope);
                    }
                },
            );
        });
    }
    let g = Matrix::new(&dy, outputs);
    let dw = product(Matrix::new(values(&x), inputs).transposed(), g);
    let dx =
        want_x.then(|| tensor(product(g, Matrix::new(values(&w), outputs).transposed()), [rows, inputs]));
    let db = column_sums(&dy, outputs);
    give(dy);
    recycle(x);
    recycle(y);
    (dx, tensor(dw, [inputs, outputs]), tensor(db, [outputs]))
}

fn column_sums(rows: &[f32], columns: usize) -> Vec<f32> {
    let mut sums = vec![0f32; columns];
    vectorised(
        #[inline(always)]
        || {
            for row in rows.chunks_exact(columns) {
                for (sum, v) in sums.iter_mut().zip(row) {
                    *sum += v;
                }
            }
        },
    );
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    #[test]
    fn value_and_gradients_are_those_of_the_plain_expression() {
        for (rows, inputs, outputs) in [(5, 3, 2), (40, 70, 300), (300, 33, 10), (1, 1, 1)] {
            for slope in [0.0, 0.2, 1.0] {
                let run = |layer: fn(Tensor<2>, Tensor<2>, Tensor<1>, f32) -> Tensor<2>| {
                    let x = noise(rows, inputs, 1).require_grad();
                    let w = noise(inputs, outputs, 2).require_grad();
                    let b = noise(1, outputs, 3).reshape([outputs]).detach().require_grad();
                    let y = layer(x.clone(), w.clone(), b.clone(), slope);
                    let gradients = (y.clone() * noise(rows, outputs, 4)).sum().backward();
                    let [dx, dw] = [x, w].map(|v| v.grad(&gradients).expect("a gradient"));
                    let db = b.grad(&gradients).expect("a gradient").unsqueeze::<2>();
                    [y.inner(), dx, dw, db]
                };
                for (ours, oracle) in run(dense).into_iter().zip(run(plain)) {
                    let difference: f32 = (ours - oracle.clone()).abs().max().into_scalar();
                    let size: f32 = oracle.abs().max().into_scalar();
                    assert!(difference <= 1e-5 * size.max(1.0), "{difference} of {size}");
                }
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let run = |threads| {
            crate::threads::with(threads, || {
                let (x, w) = (noise(130, 200, 5).require_grad(), noise(200, 300, 6).require_grad());
                let y = dense(x.clone(), w.clone(), noise(1, 300, 7).reshape([300]), 0.0);
                let gradients = y.clone().square().sum().backward();
                [y.inner(), x.grad(&gradients).expect("dx"), w.grad(&gradients).expect("dw")]
                    .map(Tensor::into_data)
            })
        };
        let one = run(1);
        for threads in [2, 3, 7] {
            assert_eq!(run(threads), one);
        }
    }
}
