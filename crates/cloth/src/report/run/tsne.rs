//! t-SNE of some rows, by the `bhtsne` crate.
//!
//! The crate sums in an order that depends on threads, and seeds its neighbour search from the system. So that the
//! result depends on the rows alone, neighbours are found here, exactly; the initialisation is spectral, which draws no
//! random numbers; and each map is computed in a pool of one thread. The two maps are computed in parallel.

use bhtsne::{Neighbor, tSNE};

use crate::linalg::{Near, nearest_rows};

const PERPLEXITY: f32 = 30.0;
/// Neighbours of each row, as a multiple of the perplexity.
const REACH: usize = 3;
const EPOCHS: usize = 350;
/// Epochs of early exaggeration, which pulls neighbours together more strongly.
const EARLY_EPOCHS: usize = 100;
/// Approximation of the Barnes-Hut algorithm; 0 is exact.
const THETA: f32 = 0.7;
/// Fewest rows for a map.
const FEWEST: usize = 10;

/// Rows of `width` values each.
pub(super) struct MapRows {
    pub(super) values: Vec<f32>,
    pub(super) width: usize,
}

/// The positions of the rows on a map of each set; none if a set has too few rows.
pub(super) fn maps(both: [MapRows; 2]) -> Option<[Vec<[f32; 2]>; 2]> {
    // All threads find the neighbours, one set after the other; one thread computes each map.
    let [first, second] = both.map(|rows| neighbours(&rows));
    let (first, second) = (first?, second?);
    let [a, b] = std::thread::scope(|scope| {
        [&first, &second].map(|near| scope.spawn(|| map(near))).map(|thread| thread.join().ok())
    });
    Some([a?, b?])
}

fn map(neighbours: &[Vec<Neighbor<f32>>]) -> Vec<[f32; 2]> {
    let rows: Vec<usize> = (0..neighbours.len()).collect();
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    let embedding = one_thread.install(|| {
        let mut tsne: tSNE<'_, f32, usize> = tSNE::new(&rows);
        tsne.perplexity((neighbours[0].len() / REACH) as f32)
            .epochs(EPOCHS)
            .stop_lying_epoch(EARLY_EPOCHS)
            .momentum_switch_epoch(EARLY_EPOCHS)
            .spectral_init()
            .barnes_hut_with_neighbors(THETA, neighbours)
            .embedding()
    });
    // If all rows are equal, positions are not finite.
    let place = |v: f32| if v.is_finite() { v } else { 0.0 };
    embedding.chunks_exact(2).map(|point| [place(point[0]), place(point[1])]).collect()
}

/// The nearest rows of each row, nearest first, ties to the lower row; none if there are too few rows.
fn neighbours(rows: &MapRows) -> Option<Vec<Vec<Neighbor<f32>>>> {
    let n = rows.values.len() / rows.width;
    if n < FEWEST {
        return None;
    }
    let k = (REACH * PERPLEXITY as usize).min((n - 1) / REACH * REACH);
    let squares: Vec<f32> =
        rows.values.chunks_exact(rows.width).map(|row| row.iter().map(|v| v * v).sum()).collect();
    let near = nearest_rows(&rows.values, rows.width, k, |i, j, product| {
        (squares[i] + squares[j] - 2.0 * product).max(0.0)
    });
    let neighbour = |near: Near| Neighbor { index: near.row, distance: near.distance.sqrt() };
    Some(near.into_iter().map(|near| near.into_iter().map(neighbour).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads;
    use rand::RngExt;

    /// Three clouds far apart.
    fn clouds(n: usize) -> MapRows {
        let mut rng = crate::rng::stream(3, crate::rng::Purpose::WEIGHTS, 0);
        let mut at =
            |i: usize, j: usize| f32::from(u8::from(i % 3 == j % 3)) * 9.0 + rng.random_range(-1.0..1.0);
        MapRows { values: (0..n * 6).map(|v| at(v / 6, v % 6)).collect(), width: 6 }
    }

    #[test]
    fn clouds_stay_apart_and_together() {
        let [map, _] = maps([clouds(150), clouds(150)]).unwrap();
        let distance = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let right = (0..150).filter(|&i| {
            let others = (0..150).filter(|&j| j != i);
            let nearest =
                others.min_by(|&a, &b| distance(map[i], map[a]).total_cmp(&distance(map[i], map[b])));
            nearest.unwrap() % 3 == i % 3
        });
        assert_eq!(right.count(), 150);
    }

    #[test]
    fn is_the_same_for_any_number_of_threads() {
        let with = |threads: usize| threads::with(threads, || maps([clouds(700), clouds(90)])).unwrap();
        let one = with(1);
        assert_eq!(with(2), one);
        assert_eq!(with(5), one);
        assert_eq!(one[1].len(), 90);
    }

    #[test]
    fn few_rows_equal_rows_and_rows_of_nothing_but_zeros_are_no_trouble() {
        assert_eq!(maps([clouds(9), clouds(50)]), None);
        let same = || MapRows { values: vec![0.0; 40 * 2], width: 2 };
        let [map, other] = maps([same(), clouds(11)]).unwrap();
        assert_eq!((map.len(), other.len()), (40, 11));
        assert!(map.iter().chain(&other).flatten().all(|v| v.is_finite()), "{map:?}");
    }
}
