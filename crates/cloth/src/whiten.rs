//! Whitening by the spread within classes: what varies inside a class counts less when rows are compared.
//!
//! This is the metric of linear discriminant analysis. A leaf that knows nothing of domains.

use burn::tensor::{Tensor, TensorData};

use crate::threads::share;

/// Above this many features only each feature's own spread is used: the full matrix would take too long.
const FULL: usize = 2048;
/// Rows that one thread takes at a time.
const ROWS: usize = 32;

/// A linear map after which rows of one class spread alike in every direction.
pub struct Whitening {
    map: Map,
    width: usize,
}

enum Map {
    /// The inverse of the Cholesky factor, transposed: `width × width`, applied from the right.
    Full(Vec<f32>),
    /// One factor for each feature.
    Diagonal(Vec<f32>),
}

impl Whitening {
    /// Fits to rows and their classes. The spread is `S + shrinkage · I`, with S scaled to a mean variance of 1: few
    /// rows cannot tell all directions apart, and shrinkage keeps those they say nothing about as they are.
    pub fn fit(values: &[f32], width: usize, labels: &[u32], n_classes: usize, shrinkage: f32) -> Self {
        let residuals = residuals(values, width, labels, n_classes);
        let map = if width <= FULL {
            Map::Full(full(residuals, width, shrinkage))
        } else {
            Map::Diagonal(diagonal(&residuals, width, shrinkage))
        };
        Self { map, width }
    }

    /// Whitened rows.
    pub fn apply(&self, values: &[f32]) -> Vec<f32> {
        match &self.map {
            Map::Full(map) => {
                let rows = values.len() / self.width;
                let device = crate::device::compute();
                let x = Tensor::<2>::from_data(TensorData::new(values.to_vec(), [rows, self.width]), &device);
                let map = Tensor::<2>::from_data(TensorData::new(map.clone(), [self.width; 2]), &device);
                x.matmul(map).into_data().try_into_vec().expect("rows are f32")
            }
            Map::Diagonal(factors) => {
                values.iter().zip(factors.iter().cycle()).map(|(v, factor)| v * factor).collect()
            }
        }
    }
}

/// Rows less the mean of their class.
fn residuals(values: &[f32], width: usize, labels: &[u32], n_classes: usize) -> Vec<f32> {
    let mut means = vec![0f64; n_classes * width];
    let mut counts = vec![0f64; n_classes];
    for (row, &y) in values.chunks_exact(width).zip(labels) {
        counts[y as usize] += 1.0;
        let mean = &mut means[y as usize * width..][..width];
        mean.iter_mut().zip(row).for_each(|(m, &v)| *m += f64::from(v));
    }
    let mut residuals = values.to_vec();
    for (row, &y) in residuals.chunks_exact_mut(width).zip(labels) {
        let mean = &means[y as usize * width..][..width];
        row.iter_mut().zip(mean).for_each(|(v, m)| *v -= (m / counts[y as usize]) as f32);
    }
    residuals
}

fn full(residuals: Vec<f32>, width: usize, shrinkage: f32) -> Vec<f32> {
    let device = crate::device::compute();
    let rows = residuals.len() / width;
    let r = Tensor::<2>::from_data(TensorData::new(residuals, [rows, width]), &device);
    let spread = r.clone().transpose().matmul(r);
    let spread: Vec<f32> = spread.into_data().try_into_vec().expect("spreads are f32");
    let trace: f64 = (0..width).map(|j| f64::from(spread[j * width + j])).sum();
    let scale = if trace > 0.0 { width as f64 / trace } else { 0.0 };
    let mut matrix: Vec<f64> = spread.iter().map(|&s| f64::from(s) * scale).collect();
    for j in 0..width {
        matrix[j * width + j] += f64::from(shrinkage);
    }
    let factor = cholesky(matrix, width);
    inverse_transposed(&factor, width)
}

/// The lower factor L of a positive definite matrix, `L Lᵀ`, in place.
pub(crate) fn cholesky(mut a: Vec<f64>, n: usize) -> Vec<f64> {
    for j in 0..n {
        let (above, below) = a.split_at_mut((j + 1) * n);
        let row_j = &mut above[j * n..];
        let diagonal = (row_j[j] - row_j[..j].iter().map(|v| v * v).sum::<f64>()).sqrt();
        row_j[j] = diagonal;
        row_j[j + 1..].fill(0.0);
        let row_j = &*row_j;
        // Rows below are independent of each other, and each sum has one order: threads cannot change the result.
        share(below.chunks_mut(ROWS * n), |rows| {
            for row_i in rows.chunks_exact_mut(n) {
                row_i[j] = (row_i[j] - dot(&row_i[..j], &row_j[..j])) / diagonal;
            }
        });
    }
    a
}

/// (L⁻¹)ᵀ: row k is the k-th column of L⁻¹.
fn inverse_transposed(l: &[f64], n: usize) -> Vec<f32> {
    let mut inverse = vec![0f32; n * n];
    share(inverse.chunks_exact_mut(n).enumerate(), |(k, out)| {
        let mut column = vec![0f64; n];
        column[k] = 1.0 / l[k * n + k];
        for i in k + 1..n {
            column[i] = -dot(&l[i * n + k..i * n + i], &column[k..i]) / l[i * n + i];
        }
        out.iter_mut().zip(&column).for_each(|(o, &c)| *o = c as f32);
    });
    inverse
}

/// Eight sums side by side: the compiler may not reorder one, and one alone waits for itself.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0f64; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a8.zip(b8) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn diagonal(residuals: &[f32], width: usize, shrinkage: f32) -> Vec<f32> {
    let mut variance = vec![0f64; width];
    for row in residuals.chunks_exact(width) {
        variance.iter_mut().zip(row).for_each(|(s, &v)| *s += f64::from(v) * f64::from(v));
    }
    let mean = variance.iter().sum::<f64>() / width as f64;
    let scale = if mean > 0.0 { 1.0 / mean } else { 0.0 };
    variance.iter().map(|v| (1.0 / (v * scale + f64::from(shrinkage)).sqrt()) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Two classes apart along feature 0, both wide along feature 1.
    fn rows() -> (Vec<f32>, Vec<u32>) {
        let mut rng = crate::rng::stream(0, crate::rng::Purpose::Weights, 0);
        let labels: Vec<u32> = (0..400).map(|i| i % 2).collect();
        let values = labels
            .iter()
            .flat_map(|&y| {
                [
                    y as f32 + rng.random_range(-0.1..0.1),
                    rng.random_range(-3.0..3.0),
                    rng.random_range(-1.0..1.0),
                ]
            })
            .collect();
        (values, labels)
    }

    #[test]
    fn classes_spread_alike_in_every_direction_afterwards() {
        let (values, labels) = rows();
        let white = Whitening::fit(&values, 3, &labels, 2, 1e-6).apply(&values);
        let r = residuals(&white, 3, &labels, 2);
        let spread = |a: usize, b: usize| r.chunks(3).map(|v| v[a] * v[b]).sum::<f32>();
        for j in 0..3 {
            assert!((spread(j, j) / spread(0, 0) - 1.0).abs() < 1e-2);
            assert!((spread(j, (j + 1) % 3) / spread(0, 0)).abs() < 1e-2);
        }
    }

    #[test]
    fn strong_shrinkage_changes_only_the_scale() {
        let (values, labels) = rows();
        let white = Whitening::fit(&values, 3, &labels, 2, 1e6).apply(&values);
        for (w, v) in white.iter().zip(&values) {
            assert!((w * 1000.0 - v).abs() < 1e-2, "{w} {v}");
        }
    }

    #[test]
    fn a_factor_times_itself_is_the_matrix() {
        let a = [4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0];
        let l = cholesky(a.to_vec(), 3);
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| l[i * 3 + k] * l[j * 3 + k]).sum();
                assert!((product - a[i * 3 + j]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn equal_rows_do_no_harm() {
        let white = Whitening::fit(&[1.0; 12], 3, &[0, 0, 1, 1], 2, 1.0).apply(&[1.0; 3]);
        assert!(white.iter().all(|v| (v - 1.0).abs() < 1e-6));
    }

    #[test]
    fn many_features_are_scaled_one_by_one() {
        let values: Vec<f32> = (0..4 * 3000).map(|i| (i % 7) as f32).collect();
        let white = Whitening::fit(&values, 3000, &[0, 1, 0, 1], 2, 1.0).apply(&values);
        assert!(white.len() == values.len() && white.iter().all(|v| v.is_finite()));
    }
}
