//! The register tiles: how many sums are kept in registers at once, chosen by the register count.
//!
//! x86 with AVX2 has 16 SIMD registers, AVX-512 and NEON have 32. A tile must leave room for its operands; it
//! must hold at least 8 independent sums, else the latency of the multiply-add shows (4 cycles, 2 units).

use pulp::{Arch, Simd, WithSimd};

/// Edge of the convolution kernel.
pub(super) const KERNEL: usize = 5;
/// Taps of one kernel plane.
pub(super) const TAPS: usize = KERNEL * KERNEL;

/// Tile sizes with 16 registers. Forward: 3 filters x 4 pixels. Weight gradient: 2 filters x 5 taps. Input
/// gradient: 5 channels x 2 columns.
pub(super) mod narrow {
    pub(in crate::kernel::conv) const FORWARD_FILTERS: usize = 3;
    pub(in crate::kernel::conv) const BACKWARD_FILTERS: usize = 2;
    pub(in crate::kernel::conv) const BACKWARD_CHANNELS: usize = 5;
}

/// The same with 32 registers.
pub(super) mod wide {
    pub(in crate::kernel::conv) const FORWARD_FILTERS: usize = 5;
    pub(in crate::kernel::conv) const BACKWARD_FILTERS: usize = 5;
    pub(in crate::kernel::conv) const BACKWARD_CHANNELS: usize = 10;
}

/// Machine-dependent sizes that the code outside the kernels needs for the memory layout.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    /// Images per group: one SIMD lane each.
    pub(super) lanes: usize,
    /// Filters per tile of the forward pass.
    pub(super) forward_filters: usize,
    /// Filters per tile of the backward pass.
    pub(super) backward_filters: usize,
    /// Channels per tile of the input's gradient.
    pub(super) backward_channels: usize,
}

/// True if the machine has the registers for the wide tiles. A constant in each monomorphic kernel.
///
/// In tests 16 lanes made of scalars stand for AVX-512, so that the wide tiles are tested on any machine.
#[inline(always)]
pub(super) fn is_wide<S: Simd>() -> bool {
    S::REGISTER_COUNT >= 32 || (cfg!(test) && S::F32_LANES == 16)
}

/// What runs the kernels: the best instruction set there is, or in tests a given one.
///
/// Everything that runs inside must be `inline(always)`, and loops rather than closures or array methods such
/// as `map`: a function that is not inlined is not compiled for the instruction set, and is very slow.
pub(super) trait Machine: Copy + Send + Sync {
    fn run<Op: WithSimd>(self, op: Op) -> Op::Output;

    fn tiles(self) -> Tiles {
        self.run(Detect)
    }
}

impl Machine for Arch {
    fn run<Op: WithSimd>(self, op: Op) -> Op::Output {
        self.dispatch(op)
    }
}

struct Detect;

impl WithSimd for Detect {
    type Output = Tiles;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Tiles {
        let lanes = S::F32_LANES;
        if is_wide::<S>() {
            use wide::*;
            Tiles {
                lanes,
                forward_filters: FORWARD_FILTERS,
                backward_filters: BACKWARD_FILTERS,
                backward_channels: BACKWARD_CHANNELS,
            }
        } else {
            use narrow::*;
            Tiles {
                lanes,
                forward_filters: FORWARD_FILTERS,
                backward_filters: BACKWARD_FILTERS,
                backward_channels: BACKWARD_CHANNELS,
            }
        }
    }
}

/// `N` neighbours of a row, as an array: one bounds check for all of them.
#[inline(always)]
pub(super) fn window<T, const N: usize>(row: &[T], at: usize) -> &[T; N] {
    &row[at..at + N].as_chunks().0[0]
}
