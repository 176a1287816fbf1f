//! Transposes a matrix, in blocks of 8x8 that fit the registers of AVX2 if there is AVX2.

const EDGE: usize = 8;
type Square = [[f32; EDGE]; EDGE];

/// Writes `to[column][row] = from[row][column]` for all of `rows x columns`; the strides are the distances
/// from row to row in `from` and in `to`.
pub(super) fn transpose(
    from: &[f32],
    (rows, columns): (usize, usize),
    from_stride: usize,
    to: &mut [f32],
    to_stride: usize,
) {
    let job = Job { from, from_stride, to, to_stride, rows, columns };
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return pulp::Simd::vectorize(simd, avx2::OnAvx2 { simd, job });
    }
    job.run(|square| {
        let mut out = [[0.0; EDGE]; EDGE];
        for (column, out) in out.iter_mut().enumerate() {
            for (row, out) in square.iter().zip(out) {
                *out = row[column];
            }
        }
        out
    });
}

struct Job<'a> {
    from: &'a [f32],
    from_stride: usize,
    to: &'a mut [f32],
    to_stride: usize,
    rows: usize,
    columns: usize,
}

impl Job<'_> {
    #[inline(always)]
    fn run(mut self, turn: impl Fn(Square) -> Square) {
        let (full_rows, full_columns) = (self.rows / EDGE * EDGE, self.columns / EDGE * EDGE);
        for row in (0..full_rows).step_by(EDGE) {
            for column in (0..full_columns).step_by(EDGE) {
                let mut square = [[0.0; EDGE]; EDGE];
                for (i, line) in square.iter_mut().enumerate() {
                    *line = *super::tiles::window(self.from, (row + i) * self.from_stride + column);
                }
                for (i, line) in turn(square).into_iter().enumerate() {
                    let at = (column + i) * self.to_stride + row;
                    self.to[at..at + EDGE].copy_from_slice(&line);
                }
            }
        }
        self.one_by_one(0..full_rows, full_columns..self.columns);
        self.one_by_one(full_rows..self.rows, 0..self.columns);
    }

    /// What is left at the edges.
    #[inline(always)]
    fn one_by_one(&mut self, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) {
        for row in rows {
            for column in columns.clone() {
                self.to[column * self.to_stride + row] = self.from[row * self.from_stride + column];
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Job, Square};
    use pulp::{Simd, WithSimd, cast, x86::V3};
    use std::arch::x86_64::__m256;

    pub(super) struct OnAvx2<'a> {
        pub(super) simd: V3,
        pub(super) job: Job<'a>,
    }

    impl WithSimd for OnAvx2<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            let simd = self.simd;
            self.job.run(
                #[inline(always)]
                |square| turn(simd, square),
            );
        }
    }

    /// 8x8 in three rounds of shuffles: pairs, fours, halves.
    #[inline(always)]
    fn turn(simd: V3, square: Square) -> Square {
        let avx = simd.avx;
        let r: [__m256; 8] = cast(square);
        let (mut pairs, mut fours, mut out) = (r, r, r);
        for i in 0..4 {
            pairs[2 * i] = avx._mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
            pairs[2 * i + 1] = avx._mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
        }
        for i in [0, 4] {
            fours[i] = avx._mm256_shuffle_ps::<0b01_00_01_00>(pairs[i], pairs[i + 2]);
            fours[i + 1] = avx._mm256_shuffle_ps::<0b11_10_11_10>(pairs[i], pairs[i + 2]);
            fours[i + 2] = avx._mm256_shuffle_ps::<0b01_00_01_00>(pairs[i + 1], pairs[i + 3]);
            fours[i + 3] = avx._mm256_shuffle_ps::<0b11_10_11_10>(pairs[i + 1], pairs[i + 3]);
        }
        for i in 0..4 {
            out[i] = avx._mm256_permute2f128_ps::<0x20>(fours[i], fours[i + 4]);
            out[i + 4] = avx._mm256_permute2f128_ps::<0x31>(fours[i], fours[i + 4]);
        }
        cast(out)
    }
}
