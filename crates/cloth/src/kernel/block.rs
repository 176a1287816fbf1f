//! The block of LeNet as a tensor operation: convolution, ReLU and pooling.

use std::sync::Arc;

use burn::backend::Dispatch;
use burn::backend::flex::FlexTensor;
use burn::tensor::Tensor;
use burn::tensor::activation::relu;
use burn::tensor::module::{conv2d, max_pool2d};
use burn::tensor::ops::{ConvOptions, MaxPoolOptions};

use super::conv::{self, Saved, Shape};
use super::flex::{contiguous, dims, tensor, values};
use super::node::Kernels;
use super::reach;
use super::recycle::recycle;

/// maxpool2(relu(conv(x, w) + b)): an unpadded 5×5 convolution, and the largest of each 2×2 of its outputs.
///
/// # Shapes
/// - `x`: `[images, channels, height, width]`, `w`: `[filters, channels, 5, 5]`, `b`: `[filters]`
/// - returns `[images, filters, (height − 4) / 2, (width − 4) / 2]`
pub(crate) fn conv_block(x: Tensor<4>, w: Tensor<4>, b: Tensor<1>) -> Tensor<4> {
    if !reach(&x) {
        return plain(x, w, b);
    }
    let [x, w, b] = [x.into_dispatch(), w.into_dispatch(), b.into_dispatch()];
    Tensor::from_dispatch(<Dispatch as Kernels>::conv_block(x, w, b))
}

fn plain(x: Tensor<4>, w: Tensor<4>, b: Tensor<1>) -> Tensor<4> {
    let y = conv2d(x, w, Some(b), ConvOptions::new([1, 1], [0, 0], [1, 1], 1));
    let options = MaxPoolOptions {
        kernel_size: [2, 2],
        stride: [2, 2],
        padding: [(0, 0); 2],
        dilation: [1, 1],
        ceil_mode: false,
    };
    max_pool2d(relu(y), options)
}

/// What the backward pass needs of the forward one.
#[derive(Clone)]
pub(super) struct Past {
    shape: Shape,
    saved: Arc<Saved>,
}

impl std::fmt::Debug for Past {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.shape.fmt(f)
    }
}

pub(super) fn forward(
    x: FlexTensor,
    w: &FlexTensor,
    b: FlexTensor,
    keep: bool,
) -> (FlexTensor, Option<Past>) {
    let [images, channels, height, width] = dims(&x);
    let [filters, ..] = dims::<4>(w);
    let shape = Shape { images, channels, height, width, filters };
    let (x, b) = (contiguous(x), contiguous(b));
    let (y, saved) = conv::forward(values(&x), values(w), values(&b), &shape, keep);
    recycle(x);
    let y = tensor(y, [images, filters, shape.pooled_height(), shape.pooled_width()]);
    (y, saved.map(|saved| Past { shape, saved: Arc::new(saved) }))
}

/// Gradients of x (if wanted), w and b.
pub(super) fn backward(
    past: &Past,
    w: &FlexTensor,
    dy: FlexTensor,
    want_x: bool,
) -> (Option<FlexTensor>, FlexTensor, FlexTensor) {
    let Shape { images, channels, height, width, filters } = past.shape;
    let dy = contiguous(dy);
    let (dx, dw, db) = conv::backward(values(&dy), &past.saved, values(w), &past.shape, want_x);
    recycle(dy);
    let dx = dx.map(|dx| tensor(dx, [images, channels, height, width]));
    (dx, tensor(dw, [filters, channels, 5, 5]), tensor(db, [filters]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    #[test]
    fn value_and_gradients_are_those_of_the_plain_expression() {
        for [images, channels, height, width, filters] in
            [[5, 1, 9, 12, 3], [9, 3, 14, 14, 4], [17, 2, 32, 11, 6]]
        {
            let run = |block: fn(Tensor<4>, Tensor<4>, Tensor<1>) -> Tensor<4>| {
                let x =
                    noise(images, channels * height * width, 1).reshape([images, channels, height, width]);
                let w = noise(filters, channels * 25, 2).reshape([filters, channels, 5, 5]);
                let b = noise(1, filters, 3).reshape([filters]);
                let (x, w) = (x.detach().require_grad(), w.detach().require_grad());
                let b = b.detach().require_grad();
                let y = block(x.clone(), w.clone(), b.clone()).flatten::<2>(1, 3);
                let [_, outputs] = y.dims();
                let gradients = (y.clone() * noise(images, outputs, 4)).sum().backward();
                let [dx, dw] = [x, w].map(|v| v.grad(&gradients).expect("a gradient").flatten::<2>(1, 3));
                [y.inner(), dx, dw, b.grad(&gradients).expect("a gradient").unsqueeze()]
            };
            for (ours, oracle) in run(conv_block).into_iter().zip(run(plain)) {
                let difference: f32 = (ours - oracle.clone()).abs().max().into_scalar();
                let size: f32 = oracle.abs().max().into_scalar();
                assert!(difference <= 1e-5 * size.max(1.0), "{difference} of {size}");
            }
        }
    }
}
