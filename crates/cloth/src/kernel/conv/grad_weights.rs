//! The gradient of the weights: `dw[filter][channel][tap] += sum over pixels and images of d * x`.
//!
//! A tile is a few filters x the five taps of one kernel row; its sums stay in registers over a band of rows.

use super::Shape;
use super::grad_output::{PAD, columns, rows};
use super::tiles::{KERNEL, TAPS};
use pulp::Simd;

/// Bytes of gradient and input of one band: they are read five times over, so they should stay in the
/// nearest cache (32 KiB or more).
const BAND_BYTES: usize = 24 << 10;

/// Adds the gradient of a tile of `N` filters to `dw` (`[filter][channel][tap]`, of this tile only; filters
/// past the last have no room in it). `d` is from `Pooled::spread`, `x` is `[channel][row][column]`.
#[inline(always)]
pub(super) fn add_weight_gradient<S: Simd, const N: usize>(
    simd: S,
    shape: &Shape,
    d: &[S::f32s],
    x: &[S::f32s],
    dw: &mut [f32],
) {
    let stride = (columns(shape) + 2 * PAD) * N;
    let bytes = size_of::<S::f32s>();
    let band = (BAND_BYTES / ((stride + shape.width) * bytes)).clamp(1, rows(shape));
    for (d, first) in d.chunks(band * stride).zip((0..).step_by(band)) {
        for (channel, plane) in x.chunks_exact(shape.height * shape.width).enumerate() {
            for ky in 0..KERNEL {
                let x = &plane[(first + ky) * shape.width..];
                let sums = kernel_row::<S, N>(simd, shape, d, x);
                for (sums, dw) in sums.iter().zip(dw.chunks_exact_mut(shape.channels * TAPS)) {
                    let dw = &mut dw[channel * TAPS + ky * KERNEL..][..KERNEL];
                    for (sum, dw) in sums.iter().zip(dw) {
                        *dw += simd.reduce_sum_f32s(*sum);
                    }
                }
            }
        }
    }
}

/// The sums of one kernel row over the rows of a band, still one per lane.
#[inline(always)]
fn kernel_row<S: Simd, const N: usize>(
    simd: S,
    shape: &Shape,
    d: &[S::f32s],
    x: &[S::f32s],
) -> [[S::f32s; KERNEL]; N] {
    let columns = columns(shape);
    let mut sums = [[simd.splat_f32s(0.0); KERNEL]; N];
    for (d, x) in d.chunks_exact((columns + 2 * PAD) * N).zip(x.chunks(shape.width)) {
        let d = d.as_chunks::<N>().0[PAD..PAD + columns].iter();
        for (d, x) in d.zip(x.windows(KERNEL)) {
            for (sums, &d) in sums.iter_mut().zip(d) {
                for (sum, &x) in sums.iter_mut().zip(x) {
                    *sum = simd.mul_add_e_f32s(d, x, *sum);
                }
            }
        }
    }
    sums
}
