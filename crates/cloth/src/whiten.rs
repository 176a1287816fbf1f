//! Whitening by the spread within classes, so that variation inside a class counts less when rows are compared.
//!
//! This is the metric of linear discriminant analysis. The module is independent of domains.

use burn::tensor::{Tensor, TensorData};

use crate::linalg::{LabelledRows, cholesky, inverse_transposed};

/// With more features than this, only the diagonal of the spread is used: the full matrix would take too long.
const FULL: usize = 2048;

/// A linear map after which the rows of a class have the same spread in every direction.
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
    /// Fits to rows and their classes. The spread is `S + shrinkage · I`, with the covariance within classes S scaled
    /// to a mean variance of 1. Few rows do not determine all directions; shrinkage keeps the undetermined ones
    /// unchanged.
    ///
    /// ```
    /// use cloth::linalg::LabelledRows;
    /// use cloth::whiten::Whitening;
    /// // Within both classes only the second value varies, so it counts less.
    /// let rows = [1.0, -5.0, 1.0, 5.0, 2.0, -5.0, 2.0, 5.0];
    /// let white = Whitening::fit(LabelledRows::new(&rows, 2, &[0, 0, 1, 1], 2)?, 1.0).apply(&[1.0, 1.0]);
    /// assert!(white[1] < 0.6 && white[0] == 1.0);
    /// # Ok::<(), cloth::Error>(())
    /// ```
    pub fn fit(rows: LabelledRows<'_>, shrinkage: f32) -> Self {
        let (residuals, width) = (rows.residuals(), rows.width);
        let map = if width <= FULL {
            Map::Full(full(residuals, width, shrinkage))
        } else {
            Map::Diagonal(diagonal(&residuals, width, shrinkage))
        };
        Self { map, width }
    }

    /// The whitened rows, row-major like `values`.
    pub fn apply(&self, values: &[f32]) -> Vec<f32> {
        match &self.map {
            Map::Full(map) => {
                let rows = values.len() / self.width;
                let device = crate::device::cpu();
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

fn full(residuals: Vec<f32>, width: usize, shrinkage: f32) -> Vec<f32> {
    let device = crate::device::cpu();
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
        let mut rng = crate::rng::stream(0, crate::rng::Purpose::WEIGHTS, 0);
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

    fn fit(values: &[f32], width: usize, labels: &[u32], shrinkage: f32) -> Whitening {
        Whitening::fit(LabelledRows::new(values, width, labels, 2).unwrap(), shrinkage)
    }

    #[test]
    fn classes_spread_alike_in_every_direction_afterwards() {
        let (values, labels) = rows();
        let white = fit(&values, 3, &labels, 1e-6).apply(&values);
        let r = LabelledRows::new(&white, 3, &labels, 2).unwrap().residuals();
        let spread = |a: usize, b: usize| r.chunks(3).map(|v| v[a] * v[b]).sum::<f32>();
        for j in 0..3 {
            assert!((spread(j, j) / spread(0, 0) - 1.0).abs() < 1e-2);
            assert!((spread(j, (j + 1) % 3) / spread(0, 0)).abs() < 1e-2);
        }
    }

    #[test]
    fn strong_shrinkage_changes_only_the_scale() {
        let (values, labels) = rows();
        let white = fit(&values, 3, &labels, 1e6).apply(&values);
        for (w, v) in white.iter().zip(&values) {
            assert!((w * 1000.0 - v).abs() < 1e-2, "{w} {v}");
        }
    }

    #[test]
    fn equal_rows_do_no_harm() {
        let white = fit(&[1.0; 12], 3, &[0, 0, 1, 1], 1.0).apply(&[1.0; 3]);
        assert!(white.iter().all(|v| (v - 1.0).abs() < 1e-6));
    }

    #[test]
    fn many_features_are_scaled_one_by_one() {
        let values: Vec<f32> = (0..4 * 3000).map(|i| (i % 7) as f32).collect();
        let white = fit(&values, 3000, &[0, 1, 0, 1], 1.0).apply(&values);
        assert!(white.len() == values.len() && white.iter().all(|v| v.is_finite()));
    }
}
