//! The forward pass of one group of images: convolution, bias, ReLU and pooling in one go.
//!
//! A tile is one pooled pixel of a few filters: 2x2 sums each stay in registers over all channels and taps,
//! are pooled there, and only the pooled value is written. Any image size fits, with no edge case.

use super::Shape;
use super::pool::{Window, Winners, pool, pool_value};
use super::tiles::{KERNEL, TAPS, is_wide, narrow, wide, window};
use pulp::{Simd, WithSimd};
use std::hint::black_box;

/// Columns of input under one row of a pooling window.
const PATCH: usize = KERNEL + 1;

/// Reorders `[filter][channel][tap]` to `[tile][channel][tap][filter of the tile]`: read in this order.
pub(super) fn pack_weights(weights: &[f32], shape: &Shape, tile: usize) -> Vec<f32> {
    let per_filter = shape.channels * TAPS;
    let mut packed = Vec::with_capacity(weights.len());
    for filters in weights.chunks(tile * per_filter) {
        for tap in 0..per_filter {
            packed.extend(filters.iter().skip(tap).step_by(per_filter));
        }
    }
    packed
}

/// One group of images, in the lane layout.
pub(super) struct ForwardGroup<'a> {
    pub(super) shape: &'a Shape,
    /// `[channel][row][column][lane]`
    pub(super) x: &'a [f32],
    /// From [`pack_weights`].
    pub(super) weights: &'a [f32],
    pub(super) bias: &'a [f32],
    /// `[filter][pooled row][pooled column][lane]`
    pub(super) y: &'a mut [f32],
    /// `[tile of filters][pooled row][pooled column][lane]`, if the backward pass will need it.
    pub(super) winners: Option<&'a mut [u32]>,
}

impl WithSimd for ForwardGroup<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if is_wide::<S>() {
            self.run::<S, { wide::FORWARD_FILTERS }>(simd);
        } else {
            self.run::<S, { narrow::FORWARD_FILTERS }>(simd);
        }
    }
}

impl ForwardGroup<'_> {
    #[inline(always)]
    fn run<S: Simd, const N: usize>(self, simd: S) {
        let shape = self.shape;
        let mut pass = Pass {
            simd,
            plane: shape.height * shape.width,
            width: shape.width,
            pixels: shape.pooled_height() * shape.pooled_width(),
            tile_filters: N,
            x: S::as_simd_f32s(self.x).0,
            y: S::as_mut_simd_f32s(self.y).0,
            winners: self.winners.map(|words| S::as_mut_simd_u32s(words).0),
            taps: black_box(KERNEL),
        };
        let per_filter = shape.channels * TAPS;
        let full = shape.filters / N;
        let (tiles, rest) = self.weights.split_at(full * N * per_filter);
        let (biases, rest_bias) = self.bias.as_chunks::<N>();
        // Pixels outside, filters inside: the patch of input stays in the nearest cache.
        for row in 0..shape.pooled_height() {
            for column in 0..shape.pooled_width() {
                let spot = Spot {
                    patch: 2 * row * shape.width + 2 * column,
                    pixel: row * shape.pooled_width() + column,
                };
                for (tile, (weights, bias)) in tiles.chunks_exact(N * per_filter).zip(biases).enumerate() {
                    pass.tile::<N>(spot, tile, weights, bias);
                }
                match *rest_bias {
                    [a] => pass.tile::<1>(spot, full, rest, &[a]),
                    [a, b] => pass.tile::<2>(spot, full, rest, &[a, b]),
                    [a, b, c] => pass.tile::<3>(spot, full, rest, &[a, b, c]),
                    [a, b, c, d] => pass.tile::<4>(spot, full, rest, &[a, b, c, d]),
                    // Tiles have at most five filters, so no more than four are left.
                    _ => {}
                }
            }
        }
    }
}

/// Where a pooled pixel is.
#[derive(Clone, Copy)]
struct Spot {
    /// The first pixel of its patch, in the input's plane.
    patch: usize,
    /// The pixel itself, in the output's plane.
    pixel: usize,
}

struct Pass<'a, S: Simd> {
    simd: S,
    /// Pixels per plane of the input.
    plane: usize,
    width: usize,
    /// Pixels per plane of the output.
    pixels: usize,
    tile_filters: usize,
    x: &'a [S::f32s],
    y: &'a mut [S::f32s],
    winners: Option<&'a mut [S::u32s]>,
    /// [`KERNEL`], hidden from the compiler: else it unrolls the taps, keeps pixels for the next tap, runs out
    /// of registers and spills the sums. That took twice the time.
    taps: usize,
}

impl<S: Simd> Pass<'_, S> {
    /// One pooled pixel of the `N` filters of a tile.
    #[inline(always)]
    fn tile<const N: usize>(&mut self, spot: Spot, tile: usize, weights: &[f32], bias: &[f32; N]) {
        let simd = self.simd;
        let sums = self.sums(spot.patch, weights, bias);
        let mut out = tile * self.tile_filters * self.pixels + spot.pixel;
        if let Some(words) = &mut self.winners {
            let mut winners = Winners::none(simd);
            for sums in sums {
                self.y[out] = pool(simd, sums, &mut winners);
                out += self.pixels;
            }
            words[tile * self.pixels + spot.pixel] = winners.word();
        } else {
            for sums in sums {
                self.y[out] = pool_value(simd, sums);
                out += self.pixels;
            }
        }
    }

    /// The 2x2 sums of the convolution of `N` filters.
    #[inline(always)]
    fn sums<const N: usize>(&self, patch: usize, weights: &[f32], bias: &[f32; N]) -> [Window<S::f32s>; N] {
        let simd = self.simd;
        let mut sums = [[simd.splat_f32s(0.0); 4]; N];
        for (sums, &bias) in sums.iter_mut().zip(bias) {
            *sums = [simd.splat_f32s(bias); 4];
        }
        let kernels = weights.as_chunks::<N>().0.as_chunks::<TAPS>().0;
        for (kernel, patch) in kernels.iter().zip((patch..).step_by(self.plane)) {
            let patch = &self.x[patch..];
            for (row, taps) in kernel.as_chunks::<KERNEL>().0.iter().enumerate() {
                let upper: &[S::f32s; PATCH] = window(patch, row * self.width);
                let lower: &[S::f32s; PATCH] = window(patch, (row + 1) * self.width);
                let pixels = upper.windows(2).zip(lower.windows(2));
                for ((upper, lower), weights) in pixels.zip(&taps[..self.taps]) {
                    let pixels = [upper[0], upper[1], lower[0], lower[1]];
                    for (position, pixel) in pixels.into_iter().enumerate() {
                        for (sums, &weight) in sums.iter_mut().zip(weights) {
                            let weight = simd.splat_f32s(weight);
                            sums[position] = simd.mul_add_e_f32s(pixel, weight, sums[position]);
                        }
                    }
                }
            }
        }
        sums
    }
}
