//! SHOT's pseudo-labels: the nearest class centroid by cosine, computed on slices.

use crate::linalg::{argmax, unit_rows};
use crate::threads::{map, share};

/// The pseudo-label of each row of `z`: first by centroids weighted with the probabilities, then by the centroids of
/// the labels found.
///
/// ```text
/// μ_m = Σ_i p_im z_i / Σ_i p_im,   ŷ_i = argmax_m cos(z_i, μ_m);   then p_im = 1[ŷ_i = m] and once more
/// ```
///
/// As in the authors' code, a 1 is appended to each z, which is then normalised to length 1. As in their code for
/// Office, a class that is predicted for no row has no centroid.
pub(super) fn pseudo_labels(z: &[f32], probabilities: &[f32], n_classes: usize) -> Vec<u32> {
    let rows = probabilities.len() / n_classes;
    if rows == 0 {
        return Vec::new();
    }
    let width = z.len() / rows + 1;
    let unit = unit_rows(&with_ones(z, width), width);
    let mut labels: Vec<u32> = probabilities.chunks_exact(n_classes).map(|p| argmax(p) as u32).collect();
    let mut weights = probabilities.to_vec();
    for _ in 0..2 {
        let mut called = vec![false; n_classes];
        labels.iter().for_each(|&y| called[y as usize] = true);
        labels = nearest(&unit, width, &centroids(&unit, width, &weights, n_classes), &called);
        weights.fill(0.0);
        for (row, &y) in weights.chunks_exact_mut(n_classes).zip(&labels) {
            row[y as usize] = 1.0;
        }
    }
    labels
}

/// (z, 1), row by row.
fn with_ones(z: &[f32], width: usize) -> Vec<f32> {
    z.chunks_exact(width - 1).flat_map(|row| row.iter().copied().chain([1.0])).collect()
}

/// Weighted sum of each class, normalised to length 1, since only its direction matters: `n_classes × width`.
fn centroids(unit: &[f32], width: usize, weights: &[f32], n_classes: usize) -> Vec<f32> {
    let mut sums = vec![0f64; n_classes * width];
    // Class by class, so that the order of each sum does not depend on the number of threads.
    share(sums.chunks_exact_mut(width).enumerate(), |(m, sum)| {
        for (row, w) in unit.chunks_exact(width).zip(weights.chunks_exact(n_classes)) {
            if w[m] > 0.0 {
                sum.iter_mut().zip(row).for_each(|(s, v)| *s += f64::from(w[m]) * f64::from(*v));
            }
        }
        let length = sum.iter().map(|s| s * s).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        sum.iter_mut().for_each(|s| *s /= length);
    });
    sums.into_iter().map(|s| s as f32).collect()
}

/// The class of the nearest centroid by cosine, among the classes that are predicted for some row (`called`).
fn nearest(unit: &[f32], width: usize, centroids: &[f32], called: &[bool]) -> Vec<u32> {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    map(unit.chunks_exact(width), |row| {
        let cosine = |(mu, &called)| if called { dot(row, mu) } else { f32::NEG_INFINITY };
        let cosines: Vec<f32> = centroids.chunks_exact(width).zip(called).map(cosine).collect();
        argmax(&cosines) as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_the_classifier_gets_wrong_is_called_like_its_neighbours() {
        // Two bundles of rows; C narrowly predicts class 0 for the last row of the second bundle.
        let z = [9.0, 0.0, 8.0, 0.5, 9.0, 1.0, 0.0, 9.0, 0.5, 8.0, 1.0, 9.0];
        let p = [0.9, 0.1, 0.8, 0.2, 0.9, 0.1, 0.2, 0.8, 0.1, 0.9, 0.51, 0.49];
        assert_eq!(pseudo_labels(&z, &p, 2), [0, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn a_class_that_is_called_nowhere_gets_no_row() {
        let z = [9.0, 0.0, 0.0, 9.0, 5.0, 5.0];
        let p = [0.8, 0.0, 0.2, 0.0, 0.8, 0.2, 0.5, 0.1, 0.4];
        assert!(pseudo_labels(&z, &p, 3).iter().all(|&y| y < 2));
    }

    #[test]
    fn the_weighted_centroid_by_hand() {
        // (3, 1) and (0, 1) normalised to length 1 and weighted 1 and 3: (3, 1)/√10 + 3 (0, 1), normalised again.
        let unit = unit_rows(&with_ones(&[3.0, 0.0], 2), 2);
        let mu = centroids(&unit, 2, &[0.25, 0.75], 1);
        let (x, y) = (3.0 / 10f32.sqrt(), 1.0 / 10f32.sqrt() + 3.0);
        assert!((mu[0] / mu[1] - x / y).abs() < 1e-6);
    }

    #[test]
    fn no_rows_no_labels() {
        assert!(pseudo_labels(&[], &[], 2).is_empty());
    }
}
