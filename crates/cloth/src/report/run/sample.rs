//! Selects the rows of a map.

use rand::seq::SliceRandom;

use crate::rng::{Purpose, stream};

/// Fewest rows drawn from each class, if it has them.
const FEWEST: usize = 5;

/// Numbers of source and target rows on a map: half of `points` each, more of one domain if the other has fewer.
pub(super) fn shares(points: usize, source: usize, target: usize) -> (usize, usize) {
    let half = points / 2;
    let of_source = source.min(half.max(points.saturating_sub(target)));
    (of_source, target.min(points - of_source))
}

/// About `wanted` rows in data order, drawn at random from each class in proportion to its size, at least 5 per class.
pub(super) fn fair(class_of: &[u32], n_classes: usize, wanted: usize, seed: u64, side: u64) -> Vec<u32> {
    let all = 0..class_of.len() as u32;
    if class_of.len() <= wanted {
        return all.collect();
    }
    let mut classes = vec![Vec::new(); n_classes];
    all.for_each(|row| classes[class_of[row as usize] as usize].push(row));
    let mut rng = stream(seed, Purpose::REPORT, side);
    let mut drawn = Vec::new();
    for rows in &mut classes {
        rows.shuffle(&mut rng);
        let share = rows.len() * wanted / class_of.len();
        drawn.extend(rows.iter().take(share.max(FEWEST)));
    }
    drawn.sort_unstable();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_domain_leaves_its_places_to_the_other() {
        assert_eq!(shares(4000, 2000, 1797), (2000, 1797));
        assert_eq!(shares(4000, 9000, 500), (3500, 500));
        assert_eq!(shares(4000, 500, 9000), (500, 3500));
        assert_eq!(shares(4000, 9000, 9000), (2000, 2000));
    }

    #[test]
    fn classes_keep_their_shares_and_small_ones_some_rows() {
        let class_of: Vec<u32> =
            (0..10_000).map(|i| if i < 9_000 { 0 } else { 1 + u32::from(i >= 9_996) }).collect();
        let rows = fair(&class_of, 3, 1000, 7, 0);
        let shown = |class: u32| rows.iter().filter(|&&row| class_of[row as usize] == class).count();
        assert_eq!((shown(0), shown(1), shown(2)), (900, 99, 4));
        assert!(rows.is_sorted());
        assert_eq!(rows, fair(&class_of, 3, 1000, 7, 0));
        assert_ne!(rows, fair(&class_of, 3, 1000, 8, 0));
    }
}
