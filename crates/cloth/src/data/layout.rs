//! What a model remembers of the rows it was trained on.

use serde::{Deserialize, Serialize};

use super::Shape;

/// The shape and the columns that rows must have to be of use to a model. Kept in the run directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// What one row is.
    pub shape: Shape,
    /// The names of the features, where they have names. Other files may have them in any order, and more of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
}
