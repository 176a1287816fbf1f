//! The layout of a model's training rows.

use serde::{Deserialize, Serialize};

use super::Shape;

/// Shape and columns of a model's training rows, which later rows must have too. Saved in the run directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Shape of one row.
    pub shape: Shape,
    /// Names of the features; `None` if they have no names. Other files may have them in any order, and more columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
}
