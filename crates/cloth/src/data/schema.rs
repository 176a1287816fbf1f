//! What is known about a file before its rows are read.

use super::Shape;

/// The content of a file's header.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// Name of the format, such as `csv`.
    pub format: &'static str,
    /// Type of the numbers in the file, such as `float32`; `text` for CSV.
    pub dtype: String,
    /// Shape of one row.
    pub shape: Shape,
    /// Number of rows; `None` if the header does not have it.
    pub rows: Option<usize>,
    /// Where the labels are, such as `column "species"` or `array "y"`; `None` if there are none.
    pub label: Option<String>,
    /// Names of the features; `None` if they have no names.
    pub columns: Option<Vec<String>>,
    /// What is not read: columns that are not numbers, files that are not images, colours.
    pub ignored: Vec<String>,
}
