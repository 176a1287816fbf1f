//! A LeNet block: `maxpool2x2(relu(conv5x5(x, w) + b))`, forward and backward, f32, NCHW.
//!
//! Stride 1, no padding; pooling drops an odd last row or column. Images are worked on in groups of one image
//! per SIMD lane (see `lanes`), the groups in parallel. The instruction set is chosen at run time.
//!
//! On one machine the results are the same bits for any number of threads: what a group computes does not
//! depend on the others, and the weight gradients are summed over a fixed partition in a fixed order. Machines
//! with other instruction sets round differently.

mod backward;
mod batch;
mod buffer;
mod forward;
mod grad_input;
mod grad_output;
mod grad_weights;
mod lanes;
mod pool;
#[cfg(test)]
mod tests;
mod tiles;
mod transpose;

use buffer::Buffer;
use pulp::Arch;
use tiles::{KERNEL, TAPS};

/// The sizes of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Images in the batch.
    pub(crate) images: usize,
    /// Channels of the input.
    pub(crate) channels: usize,
    /// Height of the input, at least 6.
    pub(crate) height: usize,
    /// Width of the input, at least 6.
    pub(crate) width: usize,
    /// Filters, the channels of the output.
    pub(crate) filters: usize,
}

impl Shape {
    /// Height of the output.
    pub(crate) fn pooled_height(&self) -> usize {
        (self.height + 1 - KERNEL) / 2
    }

    /// Width of the output.
    pub(crate) fn pooled_width(&self) -> usize {
        (self.width + 1 - KERNEL) / 2
    }

    /// Elements of one input image.
    pub(crate) fn input_len(&self) -> usize {
        self.channels * self.height * self.width
    }

    /// Elements of one output image.
    pub(crate) fn output_len(&self) -> usize {
        self.filters * self.pooled_height() * self.pooled_width()
    }

    /// Elements of the weights.
    pub(crate) fn weights_len(&self) -> usize {
        self.filters * self.channels * TAPS
    }

    fn check(&self) {
        assert!(self.height > KERNEL && self.width > KERNEL, "an image must be at least 6x6: {self:?}");
        assert!(self.channels > 0 && self.filters > 0, "a block needs channels and filters: {self:?}");
    }
}

/// What the backward pass needs of the forward pass.
pub(crate) struct Saved {
    shape: Shape,
    groups: Vec<SavedGroup>,
}

/// The input in lanes, and which pixel of each pooling window won.
struct SavedGroup {
    x: Buffer,
    /// The words of [`pool::Winners`], as bits.
    winners: Buffer,
}

/// `maxpool2x2(relu(conv5x5(x, w) + b))`, `[images, filters, (height - 4) / 2, (width - 4) / 2]`; with what
/// [`backward`] needs if `keep`.
///
/// `x` is `[images, channels, height, width]`, `w` is `[filters, channels, 5, 5]`, `b` is `[filters]`.
///
/// # Panics
/// If a length does not fit the shape, or an image is smaller than 6x6.
pub(crate) fn forward(
    x: &[f32],
    w: &[f32],
    b: &[f32],
    shape: &Shape,
    keep: bool,
) -> (Vec<f32>, Option<Saved>) {
    batch::forward(Arch::new(), x, w, b, shape, keep)
}

/// The gradients `(dx, dw, db)` of [`forward`], given `dy`, the gradient of its result; `dx` only if wanted.
///
/// The first maximum of a pooling window in row-major order gets the gradient, if it is above zero.
///
/// # Panics
/// If a length does not fit the shape, or `saved` is of another shape.
pub(crate) fn backward(
    dy: &[f32],
    saved: &Saved,
    w: &[f32],
    shape: &Shape,
    want_dx: bool,
) -> (Option<Vec<f32>>, Vec<f32>, Vec<f32>) {
    batch::backward(Arch::new(), dy, saved, w, shape, want_dx)
}
