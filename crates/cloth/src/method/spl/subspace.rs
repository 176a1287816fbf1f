//! The subspace in which SPL compares rows, computed on numbers and tensors without gradients.

use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::linalg::dot;
use crate::linalg::eigen::generalised;
use crate::threads::share;

/// Subspace iterations: the leading directions converge first, and the last directions carry little variance.
const ROUNDS: usize = 4;
/// Rows in one unit of work of a thread.
const ROWS: usize = 16;
/// A direction is linearly dependent on the others if less than this share of its length remains without them.
const DEPENDENT: f64 = 1e-10;
/// Rounding error of products in f32, as a share of their trace. If it exceeds 1, it replaces I in `X L Xᵀ + I`, which
/// would be too small to matter.
const ROUNDING: f64 = 1e-6;

/// An orthonormal basis of the `count` leading principal directions of centred rows, as columns: `[width, count]`.
///
/// Computed by subspace iteration, `Q ← orthonormal(Xᵀ X Q)` (Halko, Martinsson and Tropp, 2011), which handles rows of
/// any width. SPL does not depend on which basis of the subspace it is.
pub(super) fn leading_directions(x: &Tensor<2>, count: usize, rng: &mut ChaCha8Rng) -> Tensor<2> {
    let ([_, width], device) = (x.dims(), x.device());
    let mut rows: Vec<f64> = (0..count * width).map(|_| rng.random_range(-1.0..1.0)).collect();
    orthonormalise(&mut rows, width);
    for _ in 0..ROUNDS {
        let q_t = basis(&rows, width, &device);
        let next = q_t.matmul(x.clone().transpose()).matmul(x.clone());
        let next: Vec<f32> = next.into_data().try_into_vec().expect("directions are f32");
        rows = next.into_iter().map(f64::from).collect();
        orthonormalise(&mut rows, width);
    }
    basis(&rows, width, &device).transpose()
}

fn basis(rows: &[f64], width: usize, device: &Device) -> Tensor<2> {
    let values: Vec<f32> = rows.iter().map(|&v| v as f32).collect();
    let count = values.len() / width;
    Tensor::from_data(TensorData::new(values, [count, width]), device)
}

/// Gram–Schmidt orthonormalisation of the rows; a row that depends linearly on the rows before it becomes zero.
fn orthonormalise(rows: &mut [f64], width: usize) {
    let lengths: Vec<f64> = rows.chunks_exact(width).map(|r| dot(r, r).sqrt()).collect();
    for (k, length) in lengths.into_iter().enumerate() {
        let (done, later) = rows.split_at_mut((k + 1) * width);
        let row = &mut done[k * width..];
        let left = dot(row, row).sqrt();
        let by = if left > DEPENDENT * length { 1.0 / left } else { 0.0 };
        row.iter_mut().for_each(|v| *v *= by);
        let row = &*row;
        // Each later row is updated on its own, so the number of threads cannot change the result.
        share(later.chunks_mut(ROWS * width), |others| {
            for other in others.chunks_exact_mut(width) {
                let along = dot(other, row);
                other.iter_mut().zip(row).for_each(|(o, r)| *o -= along * r);
            }
        });
    }
}

/// Supervised locality-preserving projection: `[k, count]`, the leading solutions of
///
/// ```text
/// X D Xᵀ p = λ (X L Xᵀ + I) p,   W_ij = 1 where rows i and j have one class, D_ii = Σ_j W_ij, L = D − W
/// ```
///
/// With this W, D_ii is the size n_m of row i's class, and X L Xᵀ = Σ_m n_m Σ_{i in m} (x_i − μ_m)(x_i − μ_m)ᵀ, so no
/// `n × n` matrix is needed.
///
/// # Shapes
/// - `x`: `[n, k]`, `classes`: `n` class indices
pub(super) fn locality_preserving(
    x: &Tensor<2>,
    classes: &[u32],
    n_classes: usize,
    count: usize,
) -> Tensor<2> {
    let [n, k] = x.dims();
    let device = x.device();
    let mut sizes = vec![0f32; n_classes];
    classes.iter().for_each(|&m| sizes[m as usize] += 1.0);
    let mut members = vec![0f32; n * n_classes];
    for (row, &m) in members.chunks_exact_mut(n_classes).zip(classes) {
        row[m as usize] = 1.0;
    }
    let members = Tensor::<2>::from_data(TensorData::new(members, [n, n_classes]), &device);
    let inverse: Vec<f32> = sizes.iter().map(|s| 1.0 / s.max(1.0)).collect();
    let inverse = Tensor::<2>::from_data(TensorData::new(inverse, [n_classes, 1]), &device);
    let means = members.clone().transpose().matmul(x.clone()) * inverse;
    let roots: Vec<f32> = classes.iter().map(|&m| sizes[m as usize].sqrt()).collect();
    let roots = Tensor::<2>::from_data(TensorData::new(roots, [n, 1]), &device);
    let product = |rows: Tensor<2>| -> Vec<f64> {
        let weighted = rows * roots.clone();
        let square = weighted.clone().transpose().matmul(weighted);
        let square: Vec<f32> = square.into_data().try_into_vec().expect("products are f32");
        square.into_iter().map(f64::from).collect()
    };
    let spread = product(x.clone());
    let mut within = product(x.clone() - members.matmul(means));
    let trace: f64 = (0..k).map(|i| within[i * k + i]).sum();
    (0..k).for_each(|i| within[i * k + i] += (ROUNDING * trace).max(1.0));
    let directions = generalised(&spread, within, k, count);
    basis(&directions.vectors, k, &device).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    fn tensor<const R: usize, const C: usize>(rows: [[f32; C]; R]) -> Tensor<2> {
        Tensor::from_data(TensorData::from(rows), &crate::device::cpu())
    }

    fn values(x: Tensor<2>) -> Vec<f32> {
        x.into_data().try_into_vec().unwrap()
    }

    #[test]
    fn the_widest_direction_leads() {
        // Wide along (3, 4, 0)/5, narrow along the others.
        let x = tensor([[3.0, 4.0, 0.1], [-3.0, -4.0, 0.1], [6.0, 8.0, -0.1], [-6.0, -8.0, -0.1]]);
        let q = values(leading_directions(&x, 1, &mut stream(0, Purpose::SUBSPACE, 0)));
        assert!((q[0].abs() - 0.6).abs() < 1e-3 && (q[1].abs() - 0.8).abs() < 1e-3, "{q:?}");
    }

    #[test]
    fn more_directions_than_rows_have_are_zero_or_harmless() {
        let x = tensor([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]);
        let q = leading_directions(&x, 3, &mut stream(0, Purpose::SUBSPACE, 0));
        let z = values(x.matmul(q));
        assert!(z.iter().all(|v| v.is_finite()));
        let length: f32 = z[..3].iter().map(|v| v * v).sum();
        assert!((length - 1.0).abs() < 1e-4, "{z:?}");
    }

    #[test]
    fn the_direction_between_classes_comes_first_however_wide_the_others_are() {
        // The classes differ by 2 in the first feature; the second feature is ±10 within each class.
        let x = tensor([[1.0, 10.0], [1.0, -10.0], [-1.0, 10.0], [-1.0, -10.0]]);
        let p = values(locality_preserving(&x, &[0, 0, 1, 1], 2, 1));
        assert!(p[1].abs() < 1e-4 * p[0].abs(), "{p:?}");
        // X D Xᵀ = 2·4 and X L Xᵀ + I = 1 there, so p has length 1.
        assert!((p[0].abs() - 1.0).abs() < 1e-5, "{p:?}");
    }
}
