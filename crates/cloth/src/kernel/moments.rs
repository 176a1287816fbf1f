//! The class-aware moment loss and its gradients, from Gram matrices.
//!
//! With weights w_im of row i in class m (positive on the source, negative on the target) and k(z, z') = (s⟨z, z'⟩)^q:
//!
//! ```text
//! l      = 1/M Σ_ij k(z_i, z_j) ⟨w_i, w_j⟩
//! dl/dz_i = 2 q s / M Σ_j (s⟨z_i, z_j⟩)^(q−1) ⟨w_i, w_j⟩ z_j
//! dl/dw_i = 2 / M Σ_j k(z_i, z_j) w_j
//! ```
//!
//! Neither p^q values nor a matrix for each class are ever made.

use rayon::prelude::*;

use super::gemm::{Matrix, product_into};
use super::softmax::{exp, log_sum_exp_columns};
use super::vectorised;

/// The weight of target row j in class m, from log τ_mj.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MomentWeights {
    /// τ_mj / b_t.
    OverRows,
    /// τ_mj / Σ_j τ_mj.
    Normalised,
}

/// One side of the comparison: rows z of `width` values and their weights in each class.
#[derive(Clone, Copy)]
struct Side<'a> {
    z: &'a [f32],
    w: &'a [f32],
}

/// The numbers that do not change from row to row.
#[derive(Clone, Copy)]
struct Form {
    width: usize,
    n_classes: usize,
    q: u32,
    scale: f32,
}

/// Rows whose part of the Gram matrix is made at once: fixed, so that sums do not depend on threads.
const ROWS: usize = 64;

/// The loss, and its gradients by z_s, z_t and log τ.
///
/// `w_s` has a row of weights for each source row; `log_tau` a row of log probabilities for each target row. Classes
/// without weight on the source are left out.
pub(crate) fn moments(
    [z_s, z_t, log_tau]: [&[f32]; 3],
    w_s: &[f32],
    n_classes: usize,
    (q, scale): (u32, f32),
    weights: MomentWeights,
) -> (f32, [Vec<f32>; 3]) {
    let b_t = log_tau.len() / n_classes;
    let form = Form { width: z_t.len() / b_t.max(1), n_classes, q, scale };
    let w_t = target_weights(w_s, log_tau, n_classes, weights);
    let (source, target) = (Side { z: z_s, w: w_s }, Side { z: z_t, w: &w_t });

    let (mut dz_s, mut dz_t) = (vec![0f32; z_s.len()], vec![0f32; z_t.len()]);
    let (mut k_s, mut k_t) = (vec![0f32; w_s.len()], vec![0f32; w_t.len()]);
    let rows = |dz, k| part_rows(dz, k, form);
    let of_source = rows(&mut dz_s, &mut k_s).map(|(i, dz, k)| (source, target, i, dz, k));
    let of_target = rows(&mut dz_t, &mut k_t).map(|(i, dz, k)| (target, source, i, dz, k));
    of_source.chain(of_target).for_each(|(own, other, i, dz, k)| part(own, other, i, dz, k, form));

    let dot = |w: &[f32], k: &[f32]| w.iter().zip(k).map(|(w, k)| f64::from(*w) * f64::from(*k)).sum::<f64>();
    let loss = ((dot(w_s, &k_s) + dot(&w_t, &k_t)) / n_classes as f64) as f32;
    if loss < 0.0 {
        // Rounding may leave a little less than zero, where there is no slope either. NaN is not less.
        return (0.0, [vec![0.0; z_s.len()], vec![0.0; z_t.len()], vec![0.0; log_tau.len()]]);
    }
    (loss, [dz_s, dz_t, by_log_tau(&w_t, k_t, n_classes, weights)])
}

/// The parts of `dz` and `k`, each with its first row.
fn part_rows<'a>(
    dz: &'a mut [f32],
    k: &'a mut [f32],
    form: Form,
) -> impl ParallelIterator<Item = (usize, &'a mut [f32], &'a mut [f32])> {
    dz.par_chunks_mut(ROWS * form.width)
        .zip(k.par_chunks_mut(ROWS * form.n_classes))
        .enumerate()
        .map(|(i, (dz, k))| (i * ROWS, dz, k))
}

/// For some rows i of `own`: K_own w_own − K_other w_other into `k`, and dl/dz into `dz`.
fn part(own: Side<'_>, other: Side<'_>, first: usize, dz: &mut [f32], k: &mut [f32], form: Form) {
    let Form { width, n_classes, q, scale } = form;
    let n = dz.len() / width;
    let z = Matrix::new(&own.z[first * width..][..n * width], width);
    let w = Matrix::new(&own.w[first * n_classes..][..n * n_classes], n_classes);
    let factor = 2.0 * q as f32 * scale / n_classes as f32;
    let longest = (own.w.len() / n_classes).max(other.w.len() / n_classes);
    let (mut gram, mut slope) = (vec![0f32; n * longest], vec![0f32; n * longest]);
    let (mut dz_other, mut k_other) = (vec![0f32; dz.len()], vec![0f32; k.len()]);

    for (side, dz, k) in [(own, &mut *dz, &mut *k), (other, &mut dz_other[..], &mut k_other[..])] {
        let (z_side, w_side) = (Matrix::new(side.z, width), Matrix::new(side.w, n_classes));
        let columns = side.w.len() / n_classes;
        let (gram, slope) = (&mut gram[..n * columns], &mut slope[..n * columns]);
        product_into(z, z_side.transposed(), gram);
        product_into(w, w_side.transposed(), slope);
        vectorised(
            #[inline(always)]
            || powers(gram, slope, scale, q, factor),
        );
        product_into(Matrix::new(gram, columns), w_side, k);
        product_into(Matrix::new(slope, columns), z_side, dz);
    }
    // Like terms meet before anything is summed, so that equal sides cancel exactly instead of in the last digits.
    dz.iter_mut().zip(dz_other).for_each(|(a, b)| *a -= b);
    k.iter_mut().zip(k_other).for_each(|(a, b)| *a -= b);
}

/// ⟨z, z'⟩ becomes k(z, z'), and ⟨w, w'⟩ becomes factor · (s⟨z, z'⟩)^(q−1) ⟨w, w'⟩.
#[inline(always)]
fn powers(gram: &mut [f32], slope: &mut [f32], scale: f32, q: u32, factor: f32) {
    for (g, w) in gram.iter_mut().zip(slope) {
        let x = scale * *g;
        let mut before = 1.0;
        for _ in 1..q {
            before *= x;
        }
        *w *= factor * before;
        *g = before * x;
    }
}

fn target_weights(w_s: &[f32], log_tau: &[f32], n_classes: usize, weights: MomentWeights) -> Vec<f32> {
    let mut present = vec![false; n_classes];
    for row in w_s.chunks_exact(n_classes) {
        row.iter().zip(&mut present).for_each(|(w, present)| *present |= *w > 0.0);
    }
    let shift = match weights {
        // In the log domain a class that no row takes still has weights that add up to one.
        MomentWeights::Normalised => log_sum_exp_columns(log_tau, n_classes),
        MomentWeights::OverRows => vec![((log_tau.len() / n_classes) as f32).ln(); n_classes],
    };
    let mut w_t = log_tau.to_vec();
    vectorised(
        #[inline(always)]
        || {
            for row in w_t.chunks_exact_mut(n_classes) {
                for ((w, shift), present) in row.iter_mut().zip(&shift).zip(&present) {
                    let weight = exp(*w - shift);
                    *w = if *present { weight } else { 0.0 };
                }
            }
        },
    );
    w_t
}

/// From half of dl/dw_t to dl/d log τ.
fn by_log_tau(w_t: &[f32], mut k_t: Vec<f32>, n_classes: usize, weights: MomentWeights) -> Vec<f32> {
    let factor = 2.0 / n_classes as f32;
    let mut common = vec![0f32; n_classes];
    if weights == MomentWeights::Normalised {
        for (w, k) in w_t.chunks_exact(n_classes).zip(k_t.chunks_exact(n_classes)) {
            for ((sum, w), k) in common.iter_mut().zip(w).zip(k) {
                *sum += w * k;
            }
        }
    }
    for (w, k) in w_t.chunks_exact(n_classes).zip(k_t.chunks_exact_mut(n_classes)) {
        for ((k, w), common) in k.iter_mut().zip(w).zip(&common) {
            *k = factor * w * (*k - common);
        }
    }
    k_t
}
