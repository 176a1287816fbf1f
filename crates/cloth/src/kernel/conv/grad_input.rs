//! The gradient of the input: the full correlation of the output's gradient with the kernels.
//!
//! A tile is a few channels x two columns of one row. Rows and taps outside the gradient are skipped, not
//! multiplied by zero: a padded correlation would nearly double the work on small images.

use super::Shape;
use super::grad_output::{PAD, columns, rows};
use super::tiles::{KERNEL, TAPS};
use pulp::Simd;

/// Columns per tile.
const COLUMNS: usize = 2;
/// Filters whose gradients are summed before the tile goes back to memory: more would push the gradient's
/// rows out of the nearest cache, fewer would move the tile too often.
const FILTERS_PER_PASS: usize = 10;

/// Reorders `[filter][channel][ky][kx]` to `[channel tile][filter tile][ky][4 - kx][filter][channel]`, padded
/// with zeros to whole tiles: the order in which [`input_gradient`] reads it.
pub(super) fn pack_weights(weights: &[f32], shape: &Shape, filters: usize, channels: usize) -> Vec<f32> {
    let (filter_tiles, channel_tiles) = (shape.filters.div_ceil(filters), shape.channels.div_ceil(channels));
    let mut packed = Vec::with_capacity(channel_tiles * channels * filter_tiles * filters * TAPS);
    for channel_tile in 0..channel_tiles {
        for filter_tile in 0..filter_tiles {
            for tap in 0..TAPS {
                let tap = tap / KERNEL * KERNEL + (KERNEL - 1 - tap % KERNEL);
                for filter in filter_tile * filters..(filter_tile + 1) * filters {
                    for channel in channel_tile * channels..(channel_tile + 1) * channels {
                        let exists = filter < shape.filters && channel < shape.channels;
                        let at = (filter * shape.channels + channel) * TAPS + tap;
                        packed.push(if exists { weights[at] } else { 0.0 });
                    }
                }
            }
        }
    }
    packed
}

/// Writes `dx`, `[channel][row][column]`. `d` holds all tiles of `N` filters from `Pooled::spread`, `weights`
/// are from [`pack_weights`].
#[inline(always)]
pub(super) fn input_gradient<S: Simd, const N: usize, const C: usize>(
    simd: S,
    shape: &Shape,
    d: &[S::f32s],
    weights: &[f32],
    dx: &mut [S::f32s],
) {
    dx.fill(simd.splat_f32s(0.0));
    let plane = shape.height * shape.width;
    let d_tile = rows(shape) * (columns(shape) + 2 * PAD);
    let kernels = weights.as_chunks::<C>().0.as_chunks::<N>().0.as_chunks::<KERNEL>().0;
    let kernels = kernels.as_chunks::<KERNEL>().0;
    let d = d.as_chunks::<N>().0;
    let tiles = d.len() / d_tile;
    let per_pass = FILTERS_PER_PASS.div_ceil(N);
    for (pass, d) in d.chunks(per_pass * d_tile).enumerate() {
        for (kernels, dx) in kernels.chunks_exact(tiles).zip(dx.chunks_mut(C * plane)) {
            let tile = Tile { simd, shape, d, kernels: &kernels[pass * per_pass..] };
            for row in 0..rows(shape) + KERNEL - 1 {
                for column in (0..columns(shape) + KERNEL - 1).step_by(COLUMNS) {
                    tile.add::<COLUMNS>(row, column, dx);
                }
            }
        }
    }
}

/// `[ky][4 - kx][filter][channel]`
type Kernels<const N: usize, const C: usize> = [[[[f32; C]; N]; KERNEL]; KERNEL];

/// The operands of the tiles of one pass: some filter tiles, one channel tile.
struct Tile<'a, S: Simd, const N: usize, const C: usize> {
    simd: S,
    shape: &'a Shape,
    d: &'a [[S::f32s; N]],
    kernels: &'a [Kernels<N, C>],
}

impl<S: Simd, const N: usize, const C: usize> Tile<'_, S, N, C> {
    /// Adds the pass's filters to two columns of one row of `C` channels of `dx`.
    #[inline(always)]
    fn add<const X: usize>(&self, row: usize, column: usize, dx: &mut [S::f32s]) {
        let (simd, shape) = (self.simd, self.shape);
        let (height, width) = (rows(shape), columns(shape) + 2 * PAD);
        let plane = shape.height * shape.width;
        let at = row * shape.width + column;
        let mut sums = [[simd.splat_f32s(0.0); X]; C];
        for (sums, dx) in sums.iter_mut().zip(dx.chunks_exact(plane)) {
            sums.copy_from_slice(&dx[at..at + X]);
        }
        // The rows of d that meet this row, and the columns (counted with the padding) of which either of
        // the two columns of the tile has a tap.
        let first_row = row.saturating_sub(KERNEL - 1);
        let last_row = row.min(height - 1);
        let first = column.saturating_sub(KERNEL - 2);
        let last = (column + 1).min(width - 2);
        let tap = first + KERNEL - 2 - column;
        for (d, kernels) in self.d.chunks_exact(height * width).zip(self.kernels) {
            for d_row in first_row..=last_row {
                let taps = &kernels[row - d_row][tap..];
                let d = &d[d_row * width + first..=d_row * width + last + 1];
                for (d, weights) in d.windows(X).zip(taps) {
                    for (filter, weights) in weights.iter().enumerate() {
                        for (sums, &weight) in sums.iter_mut().zip(weights) {
                            let weight = simd.splat_f32s(weight);
                            for (sum, d) in sums.iter_mut().zip(d) {
                                *sum = simd.mul_add_e_f32s(d[filter], weight, *sum);
                            }
                        }
                    }
                }
            }
        }
        for (sums, dx) in sums.iter().zip(dx.chunks_exact_mut(plane)) {
            dx[at..at + X].copy_from_slice(sums);
        }
    }
}
