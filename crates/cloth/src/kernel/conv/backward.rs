//! The backward pass of one group of images.

use super::Shape;
use super::buffer::Buffer;
use super::grad_input::input_gradient;
use super::grad_output::{Pooled, tile_len};
use super::grad_weights::add_weight_gradient;
use super::tiles::{TAPS, Tiles, is_wide, narrow, wide};
use pulp::{Simd, WithSimd};

/// Working memory of one part, reused for each of its groups.
pub(super) struct Scratch {
    /// The pooled gradient in lanes.
    pub(super) dy: Buffer,
    /// The convolution's gradient: of all filters if the input's gradient is wanted, else of one tile.
    d: Buffer,
    /// The input's gradient in lanes.
    pub(super) dx: Buffer,
}

impl Scratch {
    pub(super) fn take(shape: &Shape, tiles: &Tiles, want_dx: bool) -> Self {
        let filter_tiles = if want_dx { shape.filters.div_ceil(tiles.backward_filters) } else { 1 };
        let d = tile_len(shape, tiles.backward_filters) * filter_tiles;
        let dx = if want_dx { shape.input_len() } else { 0 };
        Self {
            dy: Buffer::take(shape.output_len() * tiles.lanes),
            d: Buffer::take(d * tiles.lanes),
            dx: Buffer::take(dx * tiles.lanes),
        }
    }
}

/// One group: reads `scratch.dy`, adds to `dw` and `db`, writes `scratch.dx` if weights are given.
pub(super) struct BackwardGroup<'a> {
    pub(super) shape: &'a Shape,
    pub(super) x: &'a [f32],
    pub(super) winners: &'a [u32],
    /// The weights as `grad_input::pack_weights` orders them, if the input's gradient is wanted.
    pub(super) weights: Option<&'a [f32]>,
    pub(super) scratch: &'a mut Scratch,
    pub(super) dw: &'a mut [f32],
    pub(super) db: &'a mut [f32],
}

impl WithSimd for BackwardGroup<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if is_wide::<S>() {
            use wide::*;
            self.run::<S, FORWARD_FILTERS, BACKWARD_FILTERS, BACKWARD_CHANNELS>(simd);
        } else {
            use narrow::*;
            self.run::<S, FORWARD_FILTERS, BACKWARD_FILTERS, BACKWARD_CHANNELS>(simd);
        }
    }
}

impl BackwardGroup<'_> {
    #[inline(always)]
    fn run<S: Simd, const FORWARD: usize, const N: usize, const C: usize>(self, simd: S) {
        let shape = self.shape;
        let pooled = Pooled::<S> {
            shape,
            dy: S::as_simd_f32s(&self.scratch.dy).0,
            winners: S::as_simd_u32s(self.winners).0,
            forward_tile: FORWARD,
        };
        let x = S::as_simd_f32s(self.x).0;
        let d_all = S::as_mut_simd_f32s(&mut self.scratch.d).0;
        let len = tile_len(shape, N);
        for (tile, dw) in self.dw.chunks_mut(N * shape.channels * TAPS).enumerate() {
            let at = if self.weights.is_some() { tile * len } else { 0 };
            let d = &mut d_all[at..at + len];
            pooled.spread::<N>(simd, tile, d, self.db);
            add_weight_gradient::<S, N>(simd, shape, d, x, dw);
        }
        if let Some(weights) = self.weights {
            let dx = S::as_mut_simd_f32s(&mut self.scratch.dx).0;
            input_gradient::<S, N, C>(simd, shape, d_all, weights, dx);
        }
    }
}
