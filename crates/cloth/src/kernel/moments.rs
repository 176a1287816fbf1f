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
//! Neither p^q values nor a matrix for each class are computed.

use super::gemm::{Matrix, product_into};
use super::softmax::{exp, log_sum_exp_columns};
use super::vectorised;
use crate::buffers;
use crate::threads::share;

/// The inputs that all rows share.
struct Form<'a> {
    z_s: &'a [f32],
    z_t: &'a [f32],
    /// The class of each source row.
    y_s: &'a [u32],
    /// Weight of a source row in its own class, by class; in other classes the weight is 0.
    w_s: Vec<f32>,
    /// The weights of each target row in all classes.
    w_t: &'a [f32],
    width: usize,
    n_classes: usize,
    q: u32,
    scale: f32,
}

/// Rows of the Gram matrix that are computed at a time; a constant, so that sums do not depend on the threads.
const ROWS: usize = 64;

/// The loss, and its gradients by z (source rows first, then target rows) and by log τ.
///
/// `log_tau` has a row of `n_classes` log probabilities for each target row, whose weight in class m is τ_mj / Σ_j τ_mj
/// where weights are `normalised`, else τ_mj / b_t. Classes that no source row has are left out.
pub(crate) fn moments(
    z: &[f32],
    log_tau: &[f32],
    y_s: &[u32],
    n_classes: usize,
    (q, scale): (u32, f32),
    normalised: bool,
) -> (f32, Vec<f32>, Vec<f32>) {
    let width = z.len() / (y_s.len() + log_tau.len() / n_classes);
    let (z_s, z_t) = z.split_at(y_s.len() * width);
    let mut w_s = vec![0f32; n_classes];
    y_s.iter().for_each(|&y| w_s[y as usize] += 1.0);
    w_s.iter_mut().filter(|n| **n > 0.0).for_each(|n| *n = 1.0 / *n);
    let w_t = target_weights(&w_s, log_tau, normalised);
    let form = Form { z_s, z_t, y_s, w_s, w_t: &w_t, width, n_classes, q, scale };

    let mut dz = buffers::take(z.len());
    let (dz_s, dz_t) = dz.split_at_mut(z_s.len());
    // K w for each row: of its own class on the source, of all classes on the target.
    let (mut k_s, mut k_t) = (vec![0f32; y_s.len()], vec![0f32; w_t.len()]);
    let source = dz_s.chunks_mut(ROWS * width).zip(k_s.chunks_mut(ROWS)).enumerate().map(|p| (true, p));
    let target = dz_t.chunks_mut(ROWS * width).zip(k_t.chunks_mut(ROWS * n_classes)).enumerate();
    share(source.chain(target.map(|p| (false, p))), |(is_source, (i, (dz, k)))| {
        if is_source { form.source_rows(i * ROWS, dz, k) } else { form.target_rows(i * ROWS, dz, k) }
    });

    let on_source: f64 =
        k_s.iter().zip(y_s).map(|(k, &y)| f64::from(form.w_s[y as usize]) * f64::from(*k)).sum();
    let on_target: f64 = k_t.iter().zip(&w_t).map(|(k, w)| f64::from(*w) * f64::from(*k)).sum();
    let loss = ((on_source + on_target) / n_classes as f64) as f32;
    if loss < 0.0 {
        // Rounding may leave a slightly negative value, which becomes 0 with zero gradients. NaN is kept.
        return (0.0, vec![0.0; z.len()], vec![0.0; log_tau.len()]);
    }
    (loss, dz, by_log_tau(&w_t, k_t, n_classes, normalised))
}

impl Form<'_> {
    /// 2 q s / M, which every part of dl/dz has.
    fn factor(&self) -> f32 {
        2.0 * self.q as f32 * self.scale / self.n_classes as f32
    }

    /// For some source rows: K_ss w_s − K_st w_t in each row's own class, and dl/dz.
    fn source_rows(&self, first: usize, dz: &mut [f32], k: &mut [f32]) {
        let (width, rows) = (self.width, k.len());
        let z = &self.z_s[first * width..][..rows * width];
        let y = &self.y_s[first..][..rows];
        let columns = self.z_t.len() / width;
        let (mut gram, mut slope) = (buffers::take(rows * columns), buffers::take(rows * columns));
        product_into(Matrix::new(z, width), Matrix::new(self.z_t, width).transposed(), &mut gram);
        for (slope, &y) in slope.chunks_exact_mut(columns).zip(y) {
            let weights = self.w_t[y as usize..].iter().step_by(self.n_classes);
            slope.iter_mut().zip(weights).for_each(|(s, w)| *s = *w);
        }
        let mut before = vec![0f32; columns];
        for ((gram, slope), (k, &y)) in
            gram.chunks_exact_mut(columns).zip(slope.chunks_exact_mut(columns)).zip(k.iter_mut().zip(y))
        {
            powers(gram, &mut before, self.scale, self.q);
            *k = -dot(gram, slope);
            let factor = -self.factor() * self.w_s[y as usize];
            slope.iter_mut().zip(&before).for_each(|(s, before)| *s *= factor * before);
        }
        product_into(Matrix::new(&slope, columns), Matrix::new(self.z_t, width), dz);
        buffers::give(gram);
        buffers::give(slope);
        // Only pairs of source rows of the same class have a weight: these are few.
        for (((z, dz), k), &y) in z.chunks_exact(width).zip(dz.chunks_exact_mut(width)).zip(k).zip(y) {
            let weight = self.w_s[y as usize];
            for (other, _) in self.z_s.chunks_exact(width).zip(self.y_s).filter(|(_, other)| **other == y) {
                let x = self.scale * dot(z, other);
                let before = x.powi(self.q as i32 - 1);
                *k += weight * before * x;
                let slope = self.factor() * weight * weight * before;
                dz.iter_mut().zip(other).for_each(|(d, z)| *d += slope * z);
            }
        }
    }

    /// For some target rows: K_tt w_t − K_ts w_s in every class, and dl/dz.
    fn target_rows(&self, first: usize, dz: &mut [f32], k: &mut [f32]) {
        let (width, n_classes) = (self.width, self.n_classes);
        let rows = dz.len() / width;
        let z = Matrix::new(&self.z_t[first * width..][..rows * width], width);
        let own = &self.w_t[first * n_classes..][..rows * n_classes];
        let (n_t, n_s) = (self.z_t.len() / width, self.y_s.len());
        let (mut gram, mut slope) = (buffers::take(rows * n_t), buffers::take(rows * n_t));
        let w_t = Matrix::new(self.w_t, n_classes);
        product_into(z, Matrix::new(self.z_t, width).transposed(), &mut gram);
        product_into(Matrix::new(own, n_classes), w_t.transposed(), &mut slope);
        let (scale, q, factor) = (self.scale, self.q, self.factor());
        let mut before = vec![0f32; n_t.max(n_s)];
        for (gram, slope) in gram.chunks_exact_mut(n_t).zip(slope.chunks_exact_mut(n_t)) {
            powers(gram, &mut before[..n_t], scale, q);
            slope.iter_mut().zip(&before).for_each(|(s, before)| *s *= factor * before);
        }
        product_into(Matrix::new(&gram, n_t), w_t, k);
        product_into(Matrix::new(&slope, n_t), Matrix::new(self.z_t, width), dz);
        buffers::give(gram);
        buffers::give(slope);

        let (mut gram, mut slope) = (buffers::take(rows * n_s), buffers::take(rows * n_s));
        let (mut k_s, mut dz_s) = (vec![0f32; k.len()], buffers::take(dz.len()));
        product_into(z, Matrix::new(self.z_s, width).transposed(), &mut gram);
        let rows = gram.chunks_exact_mut(n_s).zip(slope.chunks_exact_mut(n_s));
        for ((gram, slope), (k_s, own)) in
            rows.zip(k_s.chunks_exact_mut(n_classes).zip(own.chunks_exact(n_classes)))
        {
            powers(gram, &mut before[..n_s], scale, q);
            for (((power, before), s), &y) in gram.iter().zip(&before).zip(slope).zip(self.y_s) {
                let weight = self.w_s[y as usize];
                k_s[y as usize] += power * weight;
                *s = factor * before * own[y as usize] * weight;
            }
        }
        product_into(Matrix::new(&slope, n_s), Matrix::new(self.z_s, width), &mut dz_s);
        // Corresponding terms are combined before the sum: less precision is lost if the sides are nearly equal.
        dz.iter_mut().zip(&dz_s).for_each(|(a, b)| *a -= b);
        k.iter_mut().zip(k_s).for_each(|(a, b)| *a -= b);
        buffers::give(gram);
        buffers::give(slope);
        buffers::give(dz_s);
    }
}

/// From ⟨z, z'⟩ to x^q for x = s⟨z, z'⟩, with x^(q−1) in `before`.
fn powers(gram: &mut [f32], before: &mut [f32], scale: f32, q: u32) {
    vectorised(
        #[inline(always)]
        || {
            for (x, before) in gram.iter_mut().zip(&mut *before) {
                *x *= scale;
                *before = 1.0;
            }
            // One pass per factor, because an inner loop would prevent vectorisation.
            for _ in 1..q {
                for (x, before) in gram.iter().zip(&mut *before) {
                    *before *= x;
                }
            }
            for (x, before) in gram.iter_mut().zip(&*before) {
                *x *= before;
            }
        },
    );
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut lanes = [0f32; 8];
    for (a, b) in a.iter().zip(b) {
        for i in 0..8 {
            lanes[i] += a[i] * b[i];
        }
    }
    lanes.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

fn target_weights(w_s: &[f32], log_tau: &[f32], normalised: bool) -> Vec<f32> {
    let n_classes = w_s.len();
    let shift = if normalised {
        // In the log domain even a class without mass has weights that add up to one.
        log_sum_exp_columns(log_tau, n_classes)
    } else {
        vec![((log_tau.len() / n_classes) as f32).ln(); n_classes]
    };
    let mut w_t = log_tau.to_vec();
    vectorised(
        #[inline(always)]
        || {
            for row in w_t.chunks_exact_mut(n_classes) {
                for ((w, shift), w_s) in row.iter_mut().zip(&shift).zip(w_s) {
                    let weight = exp(*w - shift);
                    *w = if *w_s > 0.0 { weight } else { 0.0 };
                }
            }
        },
    );
    w_t
}

/// From half of dl/dw_t to dl/d log τ.
fn by_log_tau(w_t: &[f32], mut k_t: Vec<f32>, n_classes: usize, normalised: bool) -> Vec<f32> {
    let factor = 2.0 / n_classes as f32;
    let mut common = vec![0f32; n_classes];
    if normalised {
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
