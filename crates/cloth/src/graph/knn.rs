//! The graph of nearest neighbours by angle.

use burn::tensor::{Tensor, TensorData};

use crate::threads;

/// Similarities fall off as this power of the cosine: near neighbours count far more than distant ones.
const SHARPNESS: i32 = 3;
/// Rows compared with all others at a time: bounds the memory to this many rows of similarities.
const BLOCK: usize = 512;

/// A symmetric graph with weights `D^{-1/2} (S + Sᵀ) D^{-1/2}`, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// For each row, its neighbours and the weights of the edges.
    pub edges: Vec<Vec<(u32, f32)>>,
}

/// Joins each of the `values.len() / width` rows with the `k` rows at the smallest angle to it.
///
/// The result does not depend on the number of threads: rows are independent, and ties go to the lower row.
pub fn nearest_neighbours(values: &[f32], width: usize, k: usize) -> Graph {
    let rows = values.len() / width;
    let k = k.min(rows.saturating_sub(1));
    let unit = unit_rows(values, width);
    let device = crate::device::compute();
    let all = Tensor::<2>::from_data(TensorData::new(unit, [rows, width]), &device);
    let mut directed: Vec<Vec<(u32, f32)>> = Vec::with_capacity(rows);
    for start in (0..rows).step_by(BLOCK) {
        let end = (start + BLOCK).min(rows);
        let block = all.clone().narrow(0, start, end - start).matmul(all.clone().transpose());
        let cosines: Vec<f32> = block.into_data().try_into_vec().expect("similarities are f32");
        directed.extend(threads::map(cosines.chunks_exact(rows).enumerate(), |(i, cosines)| {
            nearest(cosines, start + i, k)
        }));
    }
    normalise(symmetric(directed))
}

fn unit_rows(values: &[f32], width: usize) -> Vec<f32> {
    let mut unit = values.to_vec();
    unit.chunks_exact_mut(width).for_each(|row| {
        let length = row.iter().map(|v| v * v).sum::<f32>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|v| *v /= length);
        }
    });
    unit
}

fn nearest(cosines: &[f32], own: usize, k: usize) -> Vec<(u32, f32)> {
    let mut others: Vec<u32> = (0..cosines.len() as u32).filter(|&j| j as usize != own).collect();
    let by_angle = |a: &u32, b: &u32| cosines[*b as usize].total_cmp(&cosines[*a as usize]).then(a.cmp(b));
    if k < others.len() {
        others.select_nth_unstable_by(k, by_angle);
        others.truncate(k);
    }
    others.sort_unstable();
    others.into_iter().map(|j| (j, cosines[j as usize].max(0.0).powi(SHARPNESS))).collect()
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
