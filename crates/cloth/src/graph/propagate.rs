//! Label propagation along a graph.

use super::Graph;
use crate::threads::share;

/// Rows in one unit of work of a thread; a single row would be too little work.
const ROWS: usize = 64;

/// Label propagation (Zhou et al., NIPS 2003): repeats `Z ← α W Z + (1 − α) Y` from `Z = Y`, then normalises each row
/// to the sum 1.
///
/// `labels` are rows of `n_classes` masses. A row without neighbours keeps its own.
pub fn propagate(graph: &Graph, labels: &[f32], n_classes: usize, alpha: f32, iterations: usize) -> Vec<f32> {
    let mut z = labels.to_vec();
    let mut next = vec![0f32; labels.len()];
    for _ in 0..iterations {
        let parts = next.chunks_mut(ROWS * n_classes).zip(labels.chunks(ROWS * n_classes));
        share(parts.zip(graph.edges.chunks(ROWS)), |((out, own), edges)| {
            let rows = out.chunks_exact_mut(n_classes).zip(own.chunks_exact(n_classes));
            for ((out, own), edges) in rows.zip(edges) {
                out.iter_mut().zip(own).for_each(|(o, y)| *o = (1.0 - alpha) * y);
                for &(j, weight) in edges {
                    let neighbour = &z[j as usize * n_classes..][..n_classes];
                    out.iter_mut().zip(neighbour).for_each(|(o, v)| *o += alpha * weight * v);
                }
            }
        });
        std::mem::swap(&mut z, &mut next);
    }
    z.chunks_exact_mut(n_classes).for_each(|row| {
        let total: f32 = row.iter().sum();
        if total > 0.0 {
            row.iter_mut().for_each(|v| *v /= total);
        }
    });
    z
}

#[cfg(test)]
mod tests {
    use super::super::nearest_neighbours;
    use super::*;

    #[test]
    fn an_undecided_row_takes_the_label_of_its_neighbours() {
        let rows = [1.0, 0.0, 1.0, 0.1, 1.0, 0.05, 0.0, 1.0, 0.1, 1.0];
        let labels = [1.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0, 1.0, 0.0, 1.0];
        let out = propagate(&nearest_neighbours(&rows, 2, 2), &labels, 2, 0.9, 20);
        assert!(out[4] > 0.8 && out[7] > 0.8, "{out:?}");
    }

    #[test]
    fn rows_add_up_to_one() {
        let rows: Vec<f32> = (0..40).map(|i| ((i * 37) % 11) as f32 - 5.0).collect();
        let labels: Vec<f32> = (0..30).map(|i| (i % 3) as f32 / 3.0).collect();
        let out = propagate(&nearest_neighbours(&rows, 4, 3), &labels, 3, 0.9, 10);
        assert!(out.chunks(3).all(|row| (row.iter().sum::<f32>() - 1.0).abs() < 1e-5));
    }

    #[test]
    fn no_iterations_only_normalise() {
        let graph = nearest_neighbours(&[1.0, 0.0, 0.0, 1.0], 2, 1);
        assert_eq!(propagate(&graph, &[2.0, 2.0, 1.0, 3.0], 2, 0.9, 0), [0.5, 0.5, 0.25, 0.75]);
    }
}
