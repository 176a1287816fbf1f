//! Products of matrices, on the `gemm` crate.

use crate::buffers;
use crate::threads::share;

/// A matrix in a slice, row by row or, transposed, column by column.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// `values` row by row.
    pub(super) fn new(values: &'a [f32], columns: usize) -> Self {
        let rows = values.len() / columns.max(1);
        assert_eq!(values.len(), rows * columns, "whole rows");
        Self { values, rows, columns, row_stride: columns, column_stride: 1 }
    }

    /// The same matrix with rows and columns exchanged; nothing moves.
    pub(super) fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }

    fn rows_from(self, first: usize, count: usize) -> Self {
        let values = &self.values[(first * self.row_stride).min(self.values.len())..];
        Self { values, rows: count.min(self.rows - first), ..self }
    }

    fn columns_from(self, first: usize, count: usize) -> Self {
        self.transposed().rows_from(first, count).transposed()
    }
}

/// Start and length of each part that rows or columns are split into: eighths, with the last two halved, so that a
/// delayed thread does not delay the others and the wait for the last part is short. No part is too short to pay for
/// `gemm`'s copies of the other operand.
fn parts(whole: usize, shortest: usize) -> impl Iterator<Item = (usize, usize)> {
    let long = whole.div_ceil(8).next_multiple_of(16).clamp(shortest, 256);
    let short = (long / 2).next_multiple_of(16).max(shortest);
    let mut first = 0;
    std::iter::from_fn(move || {
        let left = whole - first;
        let length = left.min(if left > 2 * long { long } else { short });
        first += length;
        (length > 0).then(|| (first - length, length))
    })
}

/// a·b, row by row.
pub(super) fn product(a: Matrix<'_>, b: Matrix<'_>) -> Vec<f32> {
    product_then(a, b, |_, _| {})
}

/// a·b, row by row, where `finish(first column, values)` sees each part of a row while it is still in the cache.
pub(super) fn product_then(
    a: Matrix<'_>,
    b: Matrix<'_>,
    finish: impl Fn(usize, &mut [f32]) + Sync,
) -> Vec<f32> {
    assert_eq!(a.columns, b.rows, "inner lengths of a product");
    let (rows, columns) = (a.rows, b.columns);
    let mut out = buffers::take(rows * columns);
    let whole = Raw(out.as_mut_ptr());
    let part = |first_row: usize, n_rows: usize, first_column: usize, n_columns: usize| {
        let (a, b) = (a.rows_from(first_row, n_rows), b.columns_from(first_column, n_columns));
        let start = whole.offset(first_row * columns + first_column);
        // SAFETY: parts do not overlap, and each lies inside the `rows * columns` values of `out`.
        #[allow(unsafe_code)]
        unsafe {
            gemm_into(a, b, start, columns);
            for row in 0..a.rows {
                finish(first_column, std::slice::from_raw_parts_mut(start.add(row * columns), b.columns));
            }
        }
    };
    // The split depends only on the shape of the product, so its value cannot depend on the threads.
    let small = rows * columns * a.columns < 1 << 18;
    if small {
        part(0, rows, 0, columns);
    } else if columns < 256 || a.row_stride < a.column_stride {
        share(parts(rows, 64), |(first, length)| part(first, length, 0, columns));
    } else {
        share(parts(columns, 32), |(first, length)| part(0, rows, first, length));
    }
    out
}

/// a·b into `out`, on this thread.
pub(super) fn product_into(a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32]) {
    assert_eq!(a.columns, b.rows, "inner lengths of a product");
    assert_eq!(out.len(), a.rows * b.columns, "room for the product");
    // SAFETY: `out` has exactly the length of the product.
    #[allow(unsafe_code)]
    unsafe {
        gemm_into(a, b, out.as_mut_ptr(), b.columns);
    }
}

/// # Safety
/// `out` must be writable at `row * stride + column` for every row of `a` and column of `b`.
#[allow(unsafe_code)]
unsafe fn gemm_into(a: Matrix<'_>, b: Matrix<'_>, out: *mut f32, stride: usize) {
    let reach = |m: &Matrix<'_>| (m.rows - 1) * m.row_stride + (m.columns - 1) * m.column_stride;
    if a.rows == 0 || b.columns == 0 {
        return;
    }
    assert!(a.columns > 0 && reach(&a) < a.values.len() && reach(&b) < b.values.len(), "whole matrices");
    // SAFETY: both matrices lie inside their slices (asserted above); the caller answers for `out`.
    unsafe {
        gemm::gemm(
            a.rows,
            b.columns,
            a.columns,
            out,
            1,
            stride as isize,
            false,
            a.values.as_ptr(),
            a.column_stride as isize,
            a.row_stride as isize,
            b.values.as_ptr(),
            b.column_stride as isize,
            b.row_stride as isize,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// A pointer that threads may share, because they write to different places behind it.
#[derive(Clone, Copy)]
struct Raw(*mut f32);

// SAFETY: only `product_then` makes one, and its parts do not overlap.
#[allow(unsafe_code)]
unsafe impl Sync for Raw {}

impl Raw {
    #[allow(unsafe_code)]
    fn offset(&self, by: usize) -> *mut f32 {
        // SAFETY: `by` is the place of a value inside the buffer.
        unsafe { self.0.add(by) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 37 + 11) % 17) as f32 - 8.0).collect()
    }

    fn by_hand(a: &[f32], b: &[f32], rows: usize, inner: usize, columns: usize) -> Vec<f32> {
        let entry = |i: usize, j: usize| (0..inner).map(|k| a[i * inner + k] * b[k * columns + j]).sum();
        (0..rows * columns).map(|at| entry(at / columns, at % columns)).collect()
    }

    #[test]
    fn every_way_of_cutting_gives_the_product() {
        // Small whole numbers: sums are exact, whatever their order.
        for (rows, inner, columns) in
            [(3, 5, 4), (300, 40, 30), (1100, 9, 33), (70, 20, 300), (1, 8, 513), (513, 8, 1)]
        {
            let (a, b) = (numbers(rows * inner), numbers(inner * columns));
            let expected = by_hand(&a, &b, rows, inner, columns);
            let (a, b) = (Matrix::new(&a, inner), Matrix::new(&b, columns));
            assert_eq!(product(a, b), expected, "{rows} x {inner} x {columns}");
            let mut out = vec![0.0; rows * columns];
            product_into(a, b, &mut out);
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn parts_are_the_whole_and_the_last_are_short() {
        for whole in [1, 31, 32, 64, 90, 256, 1000, 1024, 2048, 100_001] {
            let end = parts(whole, 32).fold(0, |end, (first, length)| {
                assert!(first == end && (1..=256).contains(&length), "{first} {length} of {whole}");
                end + length
            });
            assert_eq!(end, whole);
        }
        let lengths = |whole, shortest| parts(whole, shortest).map(|(_, length)| length).collect::<Vec<_>>();
        assert_eq!(lengths(1024, 32), [128, 128, 128, 128, 128, 128, 64, 64, 64, 64]);
        assert_eq!(lengths(256, 64), [64; 4]);
    }

    #[test]
    fn transposed_means_transposed() {
        let (a, b) = (numbers(6), numbers(12));
        let product = product(Matrix::new(&a, 2).transposed(), Matrix::new(&b, 4));
        let flipped: Vec<f32> = (0..6).map(|i| a[(i % 3) * 2 + i / 3]).collect();
        assert_eq!(product, by_hand(&flipped, &b, 2, 3, 4));
    }

    #[test]
    fn finish_sees_every_value_once_with_its_column() {
        let (a, b) = (vec![0.0; 50 * 2], vec![0.0; 2 * 400]);
        let out = product_then(Matrix::new(&a, 2), Matrix::new(&b, 400), |first, values| {
            values.iter_mut().enumerate().for_each(|(i, v)| *v += (first + i) as f32);
        });
        assert!(out.iter().enumerate().all(|(at, &v)| v == (at % 400) as f32));
    }
}
