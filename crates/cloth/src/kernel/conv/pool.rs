//! 2x2 max pooling with the ReLU, on registers; and its reverse.
//!
//! The winner of a window is one bit out of four, set if its value is above zero (else the ReLU stops the
//! gradient). The bits of the filters of one forward tile share a `u32` per image: see [`Winners`].

use pulp::Simd;

/// Bits per filter in a word of winners.
const BITS: usize = 4;

/// The four sums of one pooling window, in row-major order.
pub(super) type Window<V> = [V; 4];

/// The pooled value and the position that won: the first of equal maxima.
///
/// A window of NaNs gives NaN (a network that diverged must show it), and no winner.
#[inline(always)]
pub(super) fn pool<S: Simd>(simd: S, window: Window<S::f32s>, winners: &mut Winners<S>) -> S::f32s {
    let zero = simd.splat_f32s(0.0);
    let [mut best, others @ ..] = window;
    let mut code = winners.bit(simd, 0);
    for (position, &value) in (1..).zip(&others) {
        let better = simd.greater_than_f32s(value, best);
        best = simd.select_f32s(better, value, best);
        code = simd.select_u32s(better, winners.bit(simd, position), code);
    }
    winners.push(simd, simd.select_u32s(simd.greater_than_f32s(best, zero), code, simd.splat_u32s(0)));
    simd.select_f32s(simd.less_than_f32s(best, zero), zero, best)
}

/// The same, without the winner.
#[inline(always)]
pub(super) fn pool_value<S: Simd>(simd: S, window: Window<S::f32s>) -> S::f32s {
    let zero = simd.splat_f32s(0.0);
    let [mut best, others @ ..] = window;
    for &value in &others {
        best = simd.select_f32s(simd.greater_than_f32s(value, best), value, best);
    }
    simd.select_f32s(simd.less_than_f32s(best, zero), zero, best)
}

/// The winners of the filters of one tile at one pooled pixel, four bits each; one word per image.
pub(super) struct Winners<S: Simd> {
    word: S::u32s,
    filter: usize,
}

impl<S: Simd> Winners<S> {
    #[inline(always)]
    pub(super) fn none(simd: S) -> Self {
        Self { word: simd.splat_u32s(0), filter: 0 }
    }

    #[inline(always)]
    fn bit(&self, simd: S, position: usize) -> S::u32s {
        simd.splat_u32s(1 << (BITS * self.filter + position))
    }

    #[inline(always)]
    fn push(&mut self, simd: S, code: S::u32s) {
        self.word = simd.or_u32s(self.word, code);
        self.filter += 1;
    }

    #[inline(always)]
    pub(super) fn word(self) -> S::u32s {
        self.word
    }
}

/// The gradient of the four sums of a window, of the tile's filter number `filter`.
#[inline(always)]
pub(super) fn unpool<S: Simd>(
    simd: S,
    gradient: S::f32s,
    winners: S::u32s,
    filter: usize,
) -> Window<S::f32s> {
    let zero = simd.splat_f32s(0.0);
    let mut window = [zero; 4];
    for (position, value) in window.iter_mut().enumerate() {
        let bit = simd.splat_u32s(1 << (BITS * filter + position));
        let won = simd.equal_u32s(simd.and_u32s(winners, bit), bit);
        *value = simd.select_f32s(won, gradient, zero);
    }
    window
}
