//! The gradient of the convolution's output: the pooled gradient put back where the maximum was.

use super::Shape;
use super::pool::unpool;
use pulp::Simd;

/// Zero columns left and right of each row: the input gradient's tiles of two columns stick out by one.
pub(super) const PAD: usize = 1;

/// Rows of the convolution that were pooled (an odd last row was dropped: its gradient is zero).
pub(super) fn rows(shape: &Shape) -> usize {
    2 * shape.pooled_height()
}

/// Columns that were pooled.
pub(super) fn columns(shape: &Shape) -> usize {
    2 * shape.pooled_width()
}

/// Elements (of one lane group) of the gradient of a tile of filters.
pub(super) fn tile_len(shape: &Shape, tile: usize) -> usize {
    rows(shape) * (columns(shape) + 2 * PAD) * tile
}

/// Where a group's pooled gradient is read from.
pub(super) struct Pooled<'a, S: Simd> {
    pub(super) shape: &'a Shape,
    /// `[filter][pooled row][pooled column]`
    pub(super) dy: &'a [S::f32s],
    /// `[forward tile][pooled row][pooled column]`
    pub(super) winners: &'a [S::u32s],
    /// Filters per forward tile.
    pub(super) forward_tile: usize,
}

impl<S: Simd> Pooled<'_, S> {
    /// Writes the gradient of the tile's `N` filters to `out`, `[row][PAD + column + PAD][filter]`, and adds
    /// their bias gradients to `db`. Filters past the last are zero.
    #[inline(always)]
    pub(super) fn spread<const N: usize>(&self, simd: S, tile: usize, out: &mut [S::f32s], db: &mut [f32]) {
        let pixels = self.shape.pooled_height() * self.shape.pooled_width();
        out.fill(simd.splat_f32s(0.0));
        for (filter, db) in db.iter_mut().enumerate().skip(tile * N).take(N) {
            let dy = &self.dy[filter * pixels..][..pixels];
            let winners = &self.winners[filter / self.forward_tile * pixels..][..pixels];
            let place = filter % self.forward_tile;
            *db += self.spread_filter::<N>(simd, dy, winners, place, filter % N, out);
        }
    }

    /// One filter; returns its bias gradient.
    #[inline(always)]
    fn spread_filter<const N: usize>(
        &self,
        simd: S,
        dy: &[S::f32s],
        winners: &[S::u32s],
        place: usize,
        slot: usize,
        out: &mut [S::f32s],
    ) -> f32 {
        let pooled = self.shape.pooled_width();
        let row = (columns(self.shape) + 2 * PAD) * N;
        let mut sum = simd.splat_f32s(0.0);
        let lines = dy.chunks_exact(pooled).zip(winners.chunks_exact(pooled));
        for ((dy, winners), rows) in lines.zip(out.chunks_exact_mut(2 * row)) {
            let (upper, lower) = rows.split_at_mut(row);
            let upper = upper[PAD * N..].chunks_exact_mut(2 * N);
            let lower = lower[PAD * N..].chunks_exact_mut(2 * N);
            for (((&dy, &winners), upper), lower) in dy.iter().zip(winners).zip(upper).zip(lower) {
                let window = unpool(simd, dy, winners, place);
                upper[slot] = window[0];
                upper[N + slot] = window[1];
                lower[slot] = window[2];
                lower[N + slot] = window[3];
                // At most one of the four is not zero.
                let (top, bottom) =
                    (simd.add_f32s(window[0], window[1]), simd.add_f32s(window[2], window[3]));
                sum = simd.add_f32s(sum, simd.add_f32s(top, bottom));
            }
        }
        simd.reduce_sum_f32s(sum)
    }
}
