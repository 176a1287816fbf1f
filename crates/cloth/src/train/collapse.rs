//! The one failure of adaptation that shows without a label: almost everything is called one class.

/// Fewer target rows may well be of one class.
const FEWEST_ROWS: usize = 20;
/// A class that this share of the target falls into, but not of the source, is a collapse.
const COLLAPSE: f64 = 0.9;
/// How much smaller the class must be in the source.
const MARGIN: f64 = 0.2;

/// A class that has swallowed the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collapse {
    /// The class.
    pub class: u32,
    /// Its share of the rows that were called.
    pub share: f64,
    /// Its share of the source.
    pub expected: f64,
}

/// Looks for a collapse in what target rows were called, given how many source rows each class has.
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
