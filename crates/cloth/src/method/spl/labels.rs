//! SPL's pseudo-labels in the subspace: by class means, by clusters, and the selection of the most certain.

use burn::tensor::{Int, Tensor, TensorData};

use crate::linalg::{argmax, argmin};
use crate::nets::unit_rows;
use crate::ot::assignment;

/// Maximum number of k-means iterations; it usually converges earlier.
const ROUNDS: usize = 100;

/// The class index of each row, and its probability.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PseudoLabels {
    pub(super) classes: Vec<u32>,
    pub(super) certainties: Vec<f32>,
}

/// Labels each row of `z_t` by the source's class means or by the target's clusters, whichever is more certain.
/// Clusters start at the class means and are matched to the classes one to one, at the least total distance. (In the
/// authors' published code each cluster keeps the class that it started at.)
///
/// ```text
/// p(m | z) = max( softmax_m(−‖z − μ_m‖), softmax_m(−‖z − ν_m‖) ),   μ: class means, ν: cluster means, of length 1
/// ```
///
/// # Shapes
/// - `z_t`: `[n, d]`, rows of length 1; `means`: `[M, d]`, from `class_means`
pub(super) fn label(z_t: &Tensor<2>, means: &Tensor<2>) -> PseudoLabels {
    let n_classes = means.dims()[0];
    let clusters = matched(cluster_means(z_t, means.clone()), means);
    let by_means = probabilities(z_t, means);
    let by_clusters = probabilities(z_t, &clusters);
    let both = by_means.into_iter().zip(by_clusters).map(|(a, b)| a.max(b)).collect::<Vec<f32>>();
    let (classes, certainties) = both
        .chunks_exact(n_classes)
        .map(argmax)
        .zip(both.chunks_exact(n_classes))
        .map(|(m, p)| (m as u32, p[m]))
        .unzip();
    PseudoLabels { classes, certainties }
}

/// Mean of the rows of each class, normalised to length 1: `[M, d]`; zero for a class without rows.
pub(super) fn class_means(z: &Tensor<2>, classes: &[u32], n_classes: usize) -> Tensor<2> {
    let [n, _] = z.dims();
    let mut members = vec![0f32; n_classes * n];
    for (i, &m) in classes.iter().enumerate() {
        members[m as usize * n + i] = 1.0;
    }
    let members = Tensor::<2>::from_data(TensorData::new(members, [n_classes, n]), &z.device());
    unit_rows(members.matmul(z.clone()))
}

/// The clusters, reordered so that cluster m is matched to class m.
fn matched(clusters: Tensor<2>, means: &Tensor<2>) -> Tensor<2> {
    let n_classes = means.dims()[0];
    let costs: Vec<f64> = distances(&clusters, means).into_iter().map(f64::from).collect();
    let mut cluster_of = vec![0i32; n_classes];
    for (cluster, class) in assignment(&costs, n_classes).into_iter().enumerate() {
        cluster_of[class] = cluster as i32;
    }
    let index = Tensor::<1, Int>::from_data(TensorData::new(cluster_of, [n_classes]), &clusters.device());
    clusters.select(0, index)
}

/// Keeps the labels of the most certain rows of each class, the part `share` rounded up; the other rows get `None`.
pub(super) fn select(labels: &PseudoLabels, n_classes: usize, share: f64) -> Vec<Option<u32>> {
    let mut by_class = vec![Vec::new(); n_classes];
    labels.classes.iter().enumerate().for_each(|(row, &m)| by_class[m as usize].push(row));
    let mut selected = vec![None; labels.classes.len()];
    for (m, mut rows) in by_class.into_iter().enumerate() {
        let sure = |row: usize| labels.certainties[row];
        rows.sort_by(|&a, &b| sure(b).total_cmp(&sure(a)).then(a.cmp(&b)));
        let kept = (share * rows.len() as f64).ceil() as usize;
        rows.iter().take(kept).for_each(|&row| selected[row] = Some(m as u32));
    }
    selected
}

/// Lloyd's k-means from the given means. The resulting means have length 1. An empty cluster keeps its mean.
fn cluster_means(z: &Tensor<2>, start: Tensor<2>) -> Tensor<2> {
    let n_classes = start.dims()[0];
    let mut means = start;
    let mut nearest = Vec::new();
    for _ in 0..ROUNDS {
        let now = nearest_of(z, &means);
        if now == nearest {
            break;
        }
        means = plain_means(z, &now, means, n_classes);
        nearest = now;
    }
    unit_rows(means)
}

fn plain_means(z: &Tensor<2>, classes: &[u32], old: Tensor<2>, n_classes: usize) -> Tensor<2> {
    let [n, width] = z.dims();
    let mut sizes = vec![0f32; n_classes];
    classes.iter().for_each(|&m| sizes[m as usize] += 1.0);
    let mut weights = vec![0f32; n_classes * n];
    for (i, &m) in classes.iter().enumerate() {
        weights[m as usize * n + i] = 1.0 / sizes[m as usize];
    }
    let weights = Tensor::<2>::from_data(TensorData::new(weights, [n_classes, n]), &z.device());
    let empty: Vec<bool> = sizes.iter().map(|&s| s == 0.0).collect();
    let empty =
        Tensor::<2, burn::tensor::Bool>::from_data(TensorData::new(empty, [n_classes, 1]), &z.device());
    weights.matmul(z.clone()).mask_where(empty.expand([n_classes, width]), old)
}

fn nearest_of(z: &Tensor<2>, means: &Tensor<2>) -> Vec<u32> {
    let n_classes = means.dims()[0];
    distances(z, means).chunks_exact(n_classes).map(|d| argmin(d) as u32).collect()
}

/// softmax(−‖z − mean‖), row by row.
fn probabilities(z: &Tensor<2>, means: &Tensor<2>) -> Vec<f32> {
    let mut values: Vec<f32> = distances(z, means).into_iter().map(|d| (-d).exp()).collect();
    for row in values.chunks_exact_mut(means.dims()[0]) {
        let sum: f32 = row.iter().sum();
        row.iter_mut().for_each(|v| *v /= sum);
    }
    values
}

fn distances(z: &Tensor<2>, means: &Tensor<2>) -> Vec<f32> {
    let squares = |x: &Tensor<2>| x.clone().square().sum_dim(1);
    let products = z.clone().matmul(means.clone().transpose());
    let squared = squares(z) + squares(means).transpose() - products.mul_scalar(2.0);
    let squared: Vec<f32> = squared.into_data().try_into_vec().expect("distances are f32");
    squared.into_iter().map(|d| d.max(0.0).sqrt()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(angles: &[f32]) -> Tensor<2> {
        let values: Vec<f32> =
            angles.iter().flat_map(|a| [a.to_radians().cos(), a.to_radians().sin()]).collect();
        Tensor::from_data(TensorData::new(values, [angles.len(), 2]), &crate::device::cpu())
    }

    #[test]
    fn class_means_have_length_one_and_absent_classes_are_zero() {
        let means: Vec<f32> =
            class_means(&unit(&[0.0, 90.0, 180.0]), &[0, 0, 2], 3).into_data().try_into_vec().unwrap();
        let half = 0.5f32.sqrt();
        let by_hand = [half, half, 0.0, 0.0, -1.0, 0.0];
        assert!(means.iter().zip(by_hand).all(|(a, b)| (a - b).abs() < 1e-6), "{means:?}");
    }

    #[test]
    fn clusters_correct_what_class_means_get_wrong() {
        // The class means are at 0° and 90°; the target's two bundles are rotated by 40°. The rows up to 44° are nearer
        // to the first mean. The row at 50° is nearer to the second mean, until the clusters have moved.
        let z_t = unit(&[36.0, 38.0, 40.0, 44.0, 50.0, 125.0, 130.0, 135.0]);
        let PseudoLabels { classes, certainties } = label(&z_t, &unit(&[0.0, 90.0]));
        assert_eq!(classes, [0, 0, 0, 0, 0, 1, 1, 1]);
        assert!(certainties.iter().all(|&p| p > 0.5 && p < 1.0));
    }

    #[test]
    fn clusters_that_changed_places_are_matched_to_their_classes() {
        let clusters: Vec<f32> = matched(unit(&[100.0, 10.0, 200.0]), &unit(&[0.0, 90.0, 180.0]))
            .into_data()
            .try_into_vec()
            .unwrap();
        let by_hand: Vec<f32> = unit(&[10.0, 100.0, 200.0]).into_data().try_into_vec().unwrap();
        assert_eq!(clusters, by_hand);
    }

    #[test]
    fn a_cluster_without_rows_stays_where_it_was() {
        let means = cluster_means(&unit(&[1.0, 2.0]), unit(&[0.0, 180.0]));
        let means: Vec<f32> = means.into_data().try_into_vec().unwrap();
        assert!((means[2] + 1.0).abs() < 1e-6 && means[3].abs() < 1e-6, "{means:?}");
    }

    #[test]
    fn the_surest_of_each_class_are_selected() {
        let labels =
            PseudoLabels { classes: vec![0, 0, 0, 1, 1], certainties: vec![0.5, 0.9, 0.7, 0.2, 0.2] };
        let of = |share| select(&labels, 3, share);
        assert_eq!(of(0.1), [None, Some(0), None, Some(1), None]);
        assert_eq!(of(0.5), [None, Some(0), Some(0), Some(1), None]);
        assert_eq!(of(1.0), [Some(0), Some(0), Some(0), Some(1), Some(1)]);
        assert_eq!(of(0.0), [None; 5]);
    }
}
