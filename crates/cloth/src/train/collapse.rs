//! Detects a collapse: almost all target rows are predicted as one class. This failure shows without labels.

/// Fewest target rows for a collapse: fewer may well all be of one class.
const FEWEST_ROWS: usize = 20;
/// Share of the target rows predicted as one class above which training may have collapsed.
const COLLAPSE: f64 = 0.9;
/// How far below that share the class must be in the source.
const MARGIN: f64 = 0.2;

/// A class that is predicted for almost all target rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collapse {
    /// Index of the class.
    pub class: u32,
    /// Share of the target rows predicted as this class, 0 to 1.
    pub share: f64,
    /// Share of the source rows of this class, 0 to 1.
    pub expected: f64,
}

/// Looks for a collapse in the predicted classes of target rows. `source_counts` has the source rows of each class.
///
/// None if there is no collapse, or if there are fewer than 20 target rows.
///
/// ```
/// use cloth::train::collapse;
/// assert_eq!(collapse(&[1; 50], &[10, 10]).unwrap().class, 1);
/// assert_eq!(collapse(&[1; 50], &[1, 99]), None);
/// ```
pub fn collapse(called: &[u32], source_counts: &[usize]) -> Option<Collapse> {
    if called.len() < FEWEST_ROWS {
        return None;
    }
    let total: usize = source_counts.iter().sum();
    source_counts.iter().zip(0..).find_map(|(&in_source, class)| {
        let share = called.iter().filter(|&&c| c == class).count() as f64 / called.len() as f64;
        let expected = in_source as f64 / total as f64;
        (share > COLLAPSE && expected < COLLAPSE - MARGIN).then_some(Collapse { class, share, expected })
    })
}
