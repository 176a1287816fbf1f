//! Exact nearest rows of each row, computed for a block of rows at a time.

use burn::tensor::{Tensor, TensorData};

use crate::threads;

/// Rows compared with all others at a time; bounds the memory to this many rows of inner products.
const BLOCK: usize = 512;
/// Rows in one unit of work of a thread.
const ROWS: usize = 16;

/// A neighbour of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Index of the neighbour.
    pub row: usize,
    /// Its distance, as `distance` of [`nearest_rows`] returned it.
    pub distance: f32,
}

/// The `k` nearest other rows of each row, or all of them if there are fewer. They are sorted by distance, ties by
/// index. `values` is row-major with `width` columns. `distance(i, j, product)` returns the distance of rows i and j,
/// whose inner product is `product`.
///
/// The result does not depend on the number of threads: rows are independent.
///
/// ```
/// use cloth::linalg::nearest_rows;
/// // By angle: the larger the cosine, the nearer.
/// let near = nearest_rows(&[1.0, 0.0, 0.8, 0.6, 0.0, 1.0], 2, 1, |_, _, cosine| 1.0 - cosine);
/// assert_eq!([near[0][0].row, near[1][0].row, near[2][0].row], [1, 0, 1]);
/// ```
///
/// # Panics
/// If `values` are not whole rows of `width` values.
pub fn nearest_rows(
    values: &[f32],
    width: usize,
    k: usize,
    distance: impl Fn(usize, usize, f32) -> f32 + Sync,
) -> Vec<Vec<Near>> {
    assert!(width > 0 && values.len().is_multiple_of(width), "values must be rows of {width}");
    let n = values.len() / width;
    let device = crate::device::cpu();
    let all = Tensor::<2>::from_data(TensorData::new(values.to_vec(), [n, width]), &device);
    let mut near = Vec::with_capacity(n);
    for start in (0..n).step_by(BLOCK) {
        let end = (start + BLOCK).min(n);
        let products = all.clone().narrow(0, start, end - start).matmul(all.clone().transpose());
        let products: Vec<f32> = products.into_data().try_into_vec().expect("products are f32");
        let some = threads::map(products.chunks(ROWS * n).enumerate(), |(part, products)| {
            // One list of candidates is reused for all of these rows: allocating it takes longer than filling it.
            let mut others = Vec::with_capacity(n);
            let rows = (start + part * ROWS..).zip(products.chunks_exact(n));
            rows.map(|(own, products)| {
                others.clear();
                others.extend((0..n).filter(|&j| j != own).map(|j| {
                    let distance = distance(own, j, products[j]);
                    Near { row: j, distance }
                }));
                first(&mut others, k).to_vec()
            })
            .collect::<Vec<_>>()
        });
        near.extend(some.into_iter().flatten());
    }
    near
}

/// The `k` nearest candidates, sorted.
fn first(others: &mut [Near], k: usize) -> &[Near] {
    let nearer = |a: &Near, b: &Near| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row));
    if k < others.len() {
        others.select_nth_unstable_by(k, nearer);
    }
    let k = k.min(others.len());
    let nearest = &mut others[..k];
    nearest.sort_unstable_by(nearer);
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn squared(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
    }

    /// Whole numbers, so that distances by products are exact and there are many ties.
    fn rows(n: usize, width: usize) -> Vec<f32> {
        let mut rng = crate::rng::stream(n as u64, crate::rng::Purpose::WEIGHTS, 0);
        (0..n * width).map(|_| rng.random_range(-3i8..=3).into()).collect()
    }

    fn by_products(values: &[f32], width: usize, k: usize) -> Vec<Vec<Near>> {
        let squares: Vec<f32> = values.chunks(width).map(|row| squared(row, &vec![0.0; width])).collect();
        nearest_rows(values, width, k, |i, j, product| squares[i] + squares[j] - 2.0 * product)
    }

    #[test]
    fn are_those_that_sorting_all_others_finds() {
        for (n, width, k) in [(1, 2, 3), (2, 1, 1), (20, 3, 4), (20, 3, 100), (600, 4, 7), (20, 2, 0)] {
            let values = rows(n, width);
            let near = by_products(&values, width, k);
            assert_eq!(near.len(), n);
            for (i, near) in near.iter().enumerate() {
                let row = |j: usize| &values[j * width..][..width];
                let mut all: Vec<(f32, usize)> =
                    (0..n).filter(|&j| j != i).map(|j| (squared(row(i), row(j)), j)).collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                all.truncate(k);
                assert_eq!(near.iter().map(|near| (near.distance, near.row)).collect::<Vec<_>>(), all);
            }
        }
    }

    #[test]
    fn are_the_same_for_any_number_of_threads() {
        let values = rows(700, 5);
        let with = |n_threads| threads::with(n_threads, || by_products(&values, 5, 9));
        let one = with(1);
        assert_eq!(with(2), one);
        assert_eq!(with(5), one);
    }

    #[test]
    fn no_rows_have_no_neighbours() {
        assert!(nearest_rows(&[], 3, 2, |_, _, product| product).is_empty());
    }
}
