//! What is known of a file before its rows are read.

use super::Shape;

/// What a file's header tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// What the format is called, such as `csv`.
    pub format: &'static str,
    /// The type of the numbers in the file, in the file's own words.
    pub dtype: String,
    /// What one row is.
    pub shape: Shape,
    /// The number of rows, where it stands in the header.
    pub rows: Option<usize>,
    /// Where the labels are, in words: `column "species"`, `array "y"`.
    pub label: Option<String>,
    /// The names of the features, where they have names.
    pub columns: Option<Vec<String>>,
    /// What was left out: columns that are not numbers, files that are not images, colours.
    pub ignored: Vec<String>,
}
