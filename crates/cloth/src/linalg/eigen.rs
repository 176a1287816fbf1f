//! Eigenvalues and eigenvectors of symmetric matrices.

use super::{cholesky, dot, forward_substituted};
use crate::threads::share;

/// Rows in one unit of work of a thread.
const ROWS: usize = 16;

/// Maximum number of QL sweeps for one eigenvalue; far more than are ever needed.
const MOST_SWEEPS: usize = 60;

/// Eigenvalues from largest to smallest, and the eigenvector of each as a row of a row-major matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigen {
    /// Largest first.
    pub values: Vec<f64>,
    /// Row k belongs to `values[k]`.
    pub vectors: Vec<f64>,
}

/// Solves `A v = λ v` for a symmetric `n × n` matrix, by Householder's reduction to tridiagonal form and implicit QL
/// sweeps (Golub and Van Loan, *Matrix Computations*, 8.3).
///
/// Rows are independent in every parallel step, so threads cannot change the result.
///
/// ```
/// let eigen = cloth::linalg::eigen::symmetric(vec![2.0, 1.0, 1.0, 2.0], 2);
/// assert!((eigen.values[0] - 3.0).abs() < 1e-12 && (eigen.values[1] - 1.0).abs() < 1e-12);
/// ```
///
/// # Panics
/// If `a` is not `n × n`.
pub fn symmetric(a: Vec<f64>, n: usize) -> Eigen {
    assert_eq!(a.len(), n * n, "the matrix must be {n} × {n}");
    if n == 0 {
        return Eigen { values: Vec::new(), vectors: Vec::new() };
    }
    let (mut diagonal, mut beside, mut rows) = three_diagonals(a, n);
    sweep(&mut diagonal, &mut beside, &mut rows, n);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| diagonal[j].total_cmp(&diagonal[i]));
    Eigen {
        values: order.iter().map(|&k| diagonal[k]).collect(),
        vectors: order.iter().flat_map(|&k| &rows[k * n..][..n]).copied().collect(),
    }
}

/// The `count` leading solutions of `A v = λ B v` for symmetric A and positive definite B, with `vᵀ B v = 1`.
///
/// With `B = L Lᵀ` it is the ordinary problem of `L⁻¹ A L⁻ᵀ`, whose eigenvectors are `Lᵀ v`.
///
/// # Panics
/// If `a` and `b` are not `n × n`.
pub fn generalised(a: &[f64], b: Vec<f64>, n: usize, count: usize) -> Eigen {
    assert_eq!((a.len(), b.len()), (n * n, n * n), "both matrices must be {n} × {n}");
    let l = cholesky(b, n);
    let half = transposed(&forward_substituted(&l, a, n), n);
    let mut eigen = symmetric(forward_substituted(&l, &half, n), n);
    eigen.values.truncate(count);
    eigen.vectors.truncate(count * n);
    share(eigen.vectors.chunks_exact_mut(n), |v| {
        for i in (0..n).rev() {
            let (before, rest) = v.split_at_mut(i);
            rest[0] /= l[i * n + i];
            before.iter_mut().zip(&l[i * n..]).for_each(|(x, l)| *x -= rest[0] * l);
        }
    });
    eigen
}

fn transposed(m: &[f64], n: usize) -> Vec<f64> {
    (0..n * n).map(|k| m[(k % n) * n + k / n]).collect()
}

/// Tridiagonal T and Qᵀ with `A = Q T Qᵀ`: T's diagonal, its off-diagonal, and Qᵀ row by row.
fn three_diagonals(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut beside = vec![0f64; n];
    let mut reflections: Vec<(usize, f64, Vec<f64>)> = Vec::new();
    for k in 0..n.saturating_sub(1) {
        let first = k + 1;
        // The reflection I − β v vᵀ turns column k below the diagonal into (α, 0, 0, …).
        let mut v: Vec<f64> = a[k * n + first..(k + 1) * n].to_vec();
        let length = dot(&v, &v).sqrt();
        let alpha = if v[0] > 0.0 { -length } else { length };
        beside[k] = alpha;
        v[0] -= alpha;
        let square = dot(&v, &v);
        if square == 0.0 {
            continue;
        }
        let beta = 2.0 / square;
        let block = &mut a[first * n..];
        let mut w = vec![0f64; block.len() / n];
        share(w.chunks_mut(ROWS).zip(block.chunks(ROWS * n)), |(w, rows)| {
            for (w, row) in w.iter_mut().zip(rows.chunks_exact(n)) {
                *w = beta * dot(&row[first..], &v);
            }
        });
        let half = 0.5 * beta * dot(&v, &w);
        w.iter_mut().zip(&v).for_each(|(w, v)| *w -= half * v);
        share(block.chunks_mut(ROWS * n).enumerate(), |(part, rows)| {
            for (i, row) in (part * ROWS..).zip(rows.chunks_exact_mut(n)) {
                let (v_i, w_i) = (v[i], w[i]);
                row[first..].iter_mut().zip(&v).zip(&w).for_each(|((x, v), w)| *x -= v_i * w + w_i * v);
            }
        });
        reflections.push((first, beta, v));
    }
    let diagonal = (0..n).map(|i| a[i * n + i]).collect();
    let mut rows = a;
    share(rows.chunks_exact_mut(n).enumerate(), |(i, row)| {
        row.fill(0.0);
        row[i] = 1.0;
        // Qᵀ is the product of the reflections from last to first.
        for (first, beta, v) in reflections.iter().rev() {
            let by = beta * dot(&row[*first..], v);
            row[*first..].iter_mut().zip(v).for_each(|(x, v)| *x -= by * v);
        }
    });
    (diagonal, beside, rows)
}

/// Makes the off-diagonal zero by rotations, which are also applied to the rows.
fn sweep(d: &mut [f64], e: &mut [f64], rows: &mut [f64], n: usize) {
    for l in 0..n {
        for _ in 0..MOST_SWEEPS {
            let small = |m: usize| e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs());
            let m = (l..n - 1).find(|&m| small(m)).unwrap_or(n - 1);
            if m == l {
                break;
            }
            let mut g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            g = d[m] - d[l] + e[l] / (g + g.hypot(1.0).copysign(g));
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut cut = false;
            for i in (l..m).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = f.hypot(g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[m] = 0.0;
                    cut = true;
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - p;
                let r = (d[i] - g) * s + 2.0 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                let (above, below) = rows.split_at_mut((i + 1) * n);
                for (x, y) in above[i * n..].iter_mut().zip(&mut below[..n]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
            if !cut {
                d[l] -= p;
                e[l] = g;
                e[m] = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// A random symmetric matrix; `definite` makes it positive definite.
    fn matrix(n: usize, seed: u64, definite: bool) -> Vec<f64> {
        let mut rng = crate::rng::stream(seed, crate::rng::Purpose::WEIGHTS, 0);
        let x: Vec<f64> = (0..n * n).map(|_| rng.random_range(-1.0..1.0)).collect();
        (0..n * n)
            .map(|k| (k / n, k % n))
            .map(|(i, j)| match definite {
                true => dot(&x[i * n..][..n], &x[j * n..][..n]) + f64::from(u8::from(i == j)),
                false => x[i * n + j] + x[j * n + i],
            })
            .collect()
    }

    fn times(a: &[f64], v: &[f64]) -> Vec<f64> {
        a.chunks_exact(v.len()).map(|row| dot(row, v)).collect()
    }

    #[test]
    fn vectors_are_orthonormal_and_solve_the_equation() {
        for n in [1, 2, 3, 10, 41] {
            let a = matrix(n, n as u64, false);
            let Eigen { values, vectors } = symmetric(a.clone(), n);
            assert!(values.windows(2).all(|w| w[0] >= w[1]));
            for (k, v) in vectors.chunks_exact(n).enumerate() {
                let off =
                    times(&a, v).iter().zip(v).map(|(x, y)| (x - values[k] * y).abs()).fold(0.0, f64::max);
                assert!(off < 1e-10, "n = {n}, pair {k}: {off}");
                for (j, u) in vectors.chunks_exact(n).enumerate() {
                    assert!((dot(u, v) - f64::from(u8::from(j == k))).abs() < 1e-10);
                }
            }
        }
    }

    #[test]
    fn repeated_and_zero_eigenvalues_do_no_harm() {
        // The projection on (1, 1, 1): 1, 0, 0. And nothing but zeros.
        let third = symmetric(vec![1.0 / 3.0; 9], 3);
        assert!((third.values[0] - 1.0).abs() < 1e-12 && third.values[1].abs() < 1e-12);
        assert!(third.vectors[..3].iter().all(|v| (v.abs() - 1.0 / 3f64.sqrt()).abs() < 1e-12));
        assert_eq!(symmetric(vec![0.0; 16], 4).values, [0.0; 4]);
        assert!(symmetric(Vec::new(), 0).values.is_empty());
    }

    #[test]
    fn the_generalised_problem_is_solved_and_normalised_by_b() {
        let n = 12;
        let (a, b) = (matrix(n, 1, false), matrix(n, 2, true));
        let Eigen { values, vectors } = generalised(&a, b.clone(), n, 5);
        assert_eq!((values.len(), vectors.len()), (5, 5 * n));
        for (k, v) in vectors.chunks_exact(n).enumerate() {
            let (av, bv) = (times(&a, v), times(&b, v));
            assert!(av.iter().zip(&bv).all(|(x, y)| (x - values[k] * y).abs() < 1e-9));
            assert!((dot(v, &bv) - 1.0).abs() < 1e-10);
        }
    }
}
