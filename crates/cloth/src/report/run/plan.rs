//! The transport plan: how the mass of each target row is spread over the classes.

use crate::model::Probabilities;

/// Most rows shown.
const ROWS: usize = 400;
/// Most cells shown, rows times classes.
const CELLS: usize = 40_000;

/// Rows of the transport plan, sorted by predicted class.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownPlan {
    /// Whether the plan is that of T. If the method has no T, the shares are the probabilities of C.
    pub by_t: bool,
    /// Row numbers in the target, counted from 0.
    pub rows: Vec<u32>,
    /// The class that C predicts for each row.
    pub called: Vec<u32>,
    /// The share of each class in each row, row by row; each row sums to 1.
    pub shares: Vec<f32>,
}

impl ShownPlan {
    /// Sorts rows by predicted class, then by decreasing share of that class, and keeps evenly spaced ones.
    pub(super) fn of(plan: &Probabilities, called: &[u32], by_t: bool) -> Self {
        let n_classes = plan.n_classes;
        let shares = |row: u32| &plan.values[row as usize * n_classes..][..n_classes];
        let mass = |row: u32| shares(row)[called[row as usize] as usize];
        let mut order: Vec<u32> = (0..called.len() as u32).collect();
        order.sort_by(|&a, &b| {
            called[a as usize].cmp(&called[b as usize]).then(mass(b).total_cmp(&mass(a))).then(a.cmp(&b))
        });
        let shown = ROWS.min(CELLS / n_classes).max(1).min(order.len());
        let rows: Vec<u32> = (0..shown).map(|i| order[i * order.len() / shown]).collect();
        Self {
            by_t,
            called: rows.iter().map(|&row| called[row as usize]).collect(),
            shares: rows.iter().flat_map(|&row| shares(row)).copied().collect(),
            rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_class_then_by_mass() {
        let plan = Probabilities { values: vec![0.4, 0.6, 0.9, 0.1, 0.2, 0.8, 0.7, 0.3], n_classes: 2 };
        let plan = ShownPlan::of(&plan, &[1, 0, 1, 1], true);
        assert_eq!(plan.rows, [1, 2, 0, 3]);
        assert_eq!(plan.called, [0, 1, 1, 1]);
        assert_eq!(plan.shares[..4], [0.9, 0.1, 0.2, 0.8]);
    }

    #[test]
    fn many_rows_are_thinned_evenly() {
        let n = 10 * ROWS;
        let plan = ShownPlan::of(&Probabilities { values: vec![1.0; n], n_classes: 1 }, &vec![0; n], false);
        assert_eq!((plan.rows.len(), plan.rows[1], plan.rows[ROWS - 1]), (ROWS, 10, 3990));
    }
}
