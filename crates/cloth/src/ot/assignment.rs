//! The assignment problem.

/// Costs are clamped to ± this, and NaN counts as this, so that sums stay finite.
const LARGEST: f64 = 1e100;

/// The column of each row in the one-to-one assignment of least total cost.
///
/// Shortest augmenting paths with dual prices (Jonker and Volgenant, 1987): rows are added one at a time, and each
/// takes the cheapest chain of reassignments that frees a column for it. O(n³) and deterministic.
///
/// ```
/// use cloth::ot::assignment;
/// // Column 0 is cheapest for both rows; moving the second row to column 1 costs less.
/// assert_eq!(assignment(&[1.0, 9.0, 2.0, 3.0], 2), [0, 1]);
/// ```
///
/// # Panics
/// If `cost` is not `n × n`.
pub fn assignment(cost: &[f64], n: usize) -> Vec<usize> {
    assert_eq!(cost.len(), n * n, "cost must be {n} × {n}");
    let mut row_price = vec![0f64; n];
    let mut column_price = vec![0f64; n];
    let mut row_of: Vec<Option<usize>> = vec![None; n];
    for new_row in 0..n {
        let path = cheapest_path(cost, n, new_row, &mut row_price, &mut column_price, &row_of);
        let mut column = path.end;
        // Each column on the path takes the row of the column before it; the first takes the new row.
        loop {
            match path.before[column] {
                Some(previous) => {
                    row_of[column] = row_of[previous];
                    column = previous;
                }
                None => {
                    row_of[column] = Some(new_row);
                    break;
                }
            }
        }
    }
    let mut columns = vec![0; n];
    for (column, row) in row_of.iter().enumerate() {
        if let Some(row) = row {
            columns[*row] = column;
        }
    }
    columns
}

struct Path {
    /// The free column that the path ends in.
    end: usize,
    /// The column before each column on its cheapest path; `None` if the path starts there, at the new row.
    before: Vec<Option<usize>>,
}

/// Dijkstra's search from a new row to the nearest free column by reduced costs. Prices are updated so that reduced
/// costs stay at least 0.
fn cheapest_path(
    cost: &[f64],
    n: usize,
    new_row: usize,
    row_price: &mut [f64],
    column_price: &mut [f64],
    row_of: &[Option<usize>],
) -> Path {
    let mut distance = vec![f64::INFINITY; n];
    let mut before = vec![None; n];
    let mut done = vec![false; n];
    let (mut row, mut from, mut reached) = (new_row, None, 0.0);
    let end = loop {
        let prices = column_price.iter();
        for (column, (&c, &price)) in cost[row * n..][..n].iter().zip(prices).enumerate() {
            let c = if c.is_nan() { LARGEST } else { c.clamp(-LARGEST, LARGEST) };
            let through = reached + c - row_price[row] - price;
            if !done[column] && through < distance[column] {
                distance[column] = through;
                before[column] = from;
            }
        }
        let open = (0..n).filter(|&j| !done[j]);
        // Ties go to the lower column. A new row means fewer rows than columns so far, so one is always open.
        let Some(nearest) = open.reduce(|a, b| if distance[b] < distance[a] { b } else { a }) else {
            unreachable!("more rows than columns")
        };
        done[nearest] = true;
        reached = distance[nearest];
        match row_of[nearest] {
            None => break nearest,
            Some(next) => (row, from) = (next, Some(nearest)),
        }
    };
    row_price[new_row] += reached;
    for column in (0..n).filter(|&j| done[j] && j != end) {
        let gain = reached - distance[column];
        column_price[column] -= gain;
        if let Some(row) = row_of[column] {
            row_price[row] += gain;
        }
    }
    Path { end, before }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn total(cost: &[f64], n: usize, columns: &[usize]) -> f64 {
        columns.iter().enumerate().map(|(i, &j)| cost[i * n + j]).sum()
    }

    /// The least total over all permutations.
    fn brute_force(cost: &[f64], n: usize, row: usize, used: &mut Vec<bool>) -> f64 {
        if row == n {
            return 0.0;
        }
        let mut least = f64::INFINITY;
        for j in 0..n {
            if !used[j] {
                used[j] = true;
                least = least.min(cost[row * n + j] + brute_force(cost, n, row + 1, used));
                used[j] = false;
            }
        }
        least
    }

    #[test]
    fn as_good_as_the_best_of_all_permutations() {
        let mut rng = crate::rng::stream(0, crate::rng::Purpose::WEIGHTS, 0);
        for n in 1..=7 {
            for round in 0..40 {
                // Whole numbers make ties; negative costs are costs too.
                let cost: Vec<f64> = (0..n * n)
                    .map(|_| {
                        if round % 2 == 0 {
                            rng.random_range(-1.0..1.0)
                        } else {
                            rng.random_range(0..4).into()
                        }
                    })
                    .collect();
                let columns = assignment(&cost, n);
                let mut seen = columns.clone();
                seen.sort_unstable();
                assert_eq!(seen, (0..n).collect::<Vec<_>>(), "every column once");
                let best = brute_force(&cost, n, 0, &mut vec![false; n]);
                assert!((total(&cost, n, &columns) - best).abs() < 1e-9, "{cost:?}");
            }
        }
    }

    #[test]
    fn sorted_points_on_a_line_keep_their_order() {
        let n = 100;
        let cost: Vec<f64> =
            (0..n * n).map(|k| (k / n) as f64 - 1.7 * (k % n) as f64).map(|d| d * d).collect();
        assert_eq!(assignment(&cost, n), (0..n).collect::<Vec<_>>());
    }

    #[test]
    fn costs_that_are_no_numbers_are_avoided_where_possible() {
        assert_eq!(assignment(&[f64::NAN, 1.0, 1.0, f64::INFINITY], 2), [1, 0]);
        assert_eq!(assignment(&[f64::NAN; 4], 2).len(), 2);
        assert_eq!(assignment(&[], 0), Vec::<usize>::new());
    }
}
