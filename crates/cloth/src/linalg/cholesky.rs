//! The Cholesky factor of a positive definite matrix, and solving with it.

use super::dot;
use crate::threads::share;

/// Rows in one unit of work of a thread.
const ROWS: usize = 32;

/// The lower factor L of a positive definite `n × n` matrix, `L Lᵀ`. A matrix that is not positive definite gives a
/// factor with NaN in it.
///
/// ```
/// assert_eq!(cloth::linalg::cholesky(vec![4.0, 2.0, 2.0, 10.0], 2), [2.0, 0.0, 1.0, 3.0]);
/// ```
///
/// # Panics
/// If `a` is not `n × n`.
pub fn cholesky(mut a: Vec<f64>, n: usize) -> Vec<f64> {
    assert_eq!(a.len(), n * n, "the matrix must be {n} × {n}");
    for j in 0..n {
        let (above, below) = a.split_at_mut((j + 1) * n);
        let row_j = &mut above[j * n..];
        let diagonal = (row_j[j] - row_j[..j].iter().map(|v| v * v).sum::<f64>()).sqrt();
        row_j[j] = diagonal;
        row_j[j + 1..].fill(0.0);
        let row_j = &*row_j;
        // The rows below are independent, and the order of each sum is fixed: threads cannot change the result.
        share(below.chunks_mut(ROWS * n), |rows| {
            for row_i in rows.chunks_exact_mut(n) {
                row_i[j] = (row_i[j] - dot(&row_i[..j], &row_j[..j])) / diagonal;
            }
        });
    }
    a
}

/// (L⁻¹)ᵀ of a lower factor L, in f32: row k is the k-th column of L⁻¹.
///
/// # Panics
/// If `l` is not `n × n`.
pub fn inverse_transposed(l: &[f64], n: usize) -> Vec<f32> {
    assert_eq!(l.len(), n * n, "the factor must be {n} × {n}");
    let mut inverse = vec![0f32; n * n];
    if n == 0 {
        return inverse;
    }
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

/// Replaces each row r of `m` by L⁻¹ r. `m` may have any number of rows.
///
/// # Panics
/// If `l` is not `n × n`.
pub fn forward_substituted(l: &[f64], m: &[f64], n: usize) -> Vec<f64> {
    assert_eq!(l.len(), n * n, "the factor must be {n} × {n}");
    let mut solved = m.to_vec();
    if n == 0 {
        return solved;
    }
    share(solved.chunks_exact_mut(n), |x| {
        for i in 0..n {
            x[i] = (x[i] - dot(&l[i * n..][..i], &x[..i])) / l[i * n + i];
        }
    });
    solved
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: [f64; 9] = [4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0];

    #[test]
    fn a_factor_times_itself_is_the_matrix() {
        let l = cholesky(A.to_vec(), 3);
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| l[i * 3 + k] * l[j * 3 + k]).sum();
                assert!((product - A[i * 3 + j]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_not_passed_off_as_one() {
        assert!(cholesky(vec![1.0, 2.0, 2.0, 1.0], 2)[3].is_nan());
        assert!(cholesky(Vec::new(), 0).is_empty() && inverse_transposed(&[], 0).is_empty());
    }

    proptest! {
        #[test]
        fn what_is_solved_with_a_factor_solves_the_equation(
            n in 1usize..9,
            noise in prop::collection::vec(-1.0..1.0f64, 64),
        ) {
            let x = |i: usize| &noise[(i * 7) % 56..][..8];
            let a: Vec<f64> = (0..n * n)
                .map(|k| dot(x(k / n), x(k % n)) + if k / n == k % n { 1.0 } else { 0.0 })
                .collect();
            let l = cholesky(a, n);
            let inverse = inverse_transposed(&l, n);
            let solved = forward_substituted(&l, &noise[..n], n);
            for i in 0..n {
                // L (L⁻¹ r) = r, and L⁻¹ r by the inverse is the same.
                prop_assert!((dot(&l[i * n..][..n], &solved) - noise[i]).abs() < 1e-10);
                let by_inverse: f64 = (0..n).map(|k| f64::from(inverse[k * n + i]) * noise[k]).sum();
                prop_assert!((by_inverse - solved[i]).abs() < 1e-4);
            }
        }
    }
}
