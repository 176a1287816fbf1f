//! The graph of nearest neighbours by cosine.

use crate::linalg::{nearest_rows, unit_rows};

/// The similarity is this power of the cosine, so that near neighbours count far more than distant ones.
const SHARPNESS: i32 = 3;

/// A symmetric graph with weights `D^{-1/2} (S + Sᵀ) D^{-1/2}`, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// For each row, its neighbours and the weights of the edges.
    pub edges: Vec<Vec<(u32, f32)>>,
}

/// Connects each of the `values.len() / width` rows with the `k` rows of the largest cosine.
///
/// The result does not depend on the number of threads: rows are independent, and ties go to the lower row.
pub fn nearest_neighbours(values: &[f32], width: usize, k: usize) -> Graph {
    let near = nearest_rows(&unit_rows(values, width), width, k, |_, _, cosine| -cosine);
    let directed = near.into_iter().map(|near| {
        let weight = |distance: f32| (-distance).max(0.0).powi(SHARPNESS);
        let mut edges: Vec<(u32, f32)> = near.iter().map(|to| (to.row as u32, weight(to.distance))).collect();
        edges.sort_unstable_by_key(|edge| edge.0);
        edges
    });
    normalise(symmetric(directed.collect()))
}

/// S + Sᵀ.
fn symmetric(directed: Vec<Vec<(u32, f32)>>) -> Vec<Vec<(u32, f32)>> {
    let mut edges = directed.clone();
    for (i, out) in directed.iter().enumerate() {
        for &(j, weight) in out {
            edges[j as usize].push((i as u32, weight));
        }
    }
    for row in &mut edges {
        row.sort_by_key(|edge| edge.0);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
    edges
}

fn normalise(mut edges: Vec<Vec<(u32, f32)>>) -> Graph {
    let scale: Vec<f32> = edges
        .iter()
        .map(|row| row.iter().map(|edge| edge.1).sum::<f32>())
        .map(|degree| if degree > 0.0 { 1.0 / degree.sqrt() } else { 0.0 })
        .collect();
    for (i, row) in edges.iter_mut().enumerate() {
        for (j, weight) in row {
            *weight *= scale[i] * scale[*j as usize];
        }
    }
    Graph { edges }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bundles of directions at right angles.
    const ROWS: [f32; 10] = [1.0, 0.0, 5.0, 0.5, 2.0, -0.1, 0.0, 1.0, 0.1, 3.0];

    #[test]
    fn neighbours_are_those_at_small_angles_whatever_their_length() {
        let graph = nearest_neighbours(&ROWS, 2, 1);
        for (i, row) in graph.edges.iter().enumerate() {
            for &(j, _) in row {
                assert_eq!(i < 3, j < 3, "{i} is joined with {j}");
            }
        }
    }

    #[test]
    fn weights_are_symmetric_and_have_no_loops() {
        let graph = nearest_neighbours(&ROWS, 2, 2);
        for (i, row) in graph.edges.iter().enumerate() {
            for &(j, weight) in row {
                assert_ne!(i as u32, j);
                let back = graph.edges[j as usize].iter().find(|e| e.0 == i as u32).unwrap().1;
                assert!((weight - back).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn few_rows_are_all_joined() {
        assert!(nearest_neighbours(&ROWS, 2, 100).edges.iter().all(|row| row.len() == 4));
        assert!(nearest_neighbours(&[1.0, 2.0], 2, 5).edges[0].is_empty());
    }
}
