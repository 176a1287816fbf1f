//! The unlabelled target domain.

use super::finite::Finite;
use super::{Features, Schema};
use crate::error::{Problem, Result};

/// Rows without labels in memory, to which a classifier is adapted.
///
/// There is no label field, and labels of files are not read. Code that gets a `Target` can therefore not train or
/// select by its labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    pub(super) features: Features,
    pub(super) had_labels: bool,
    pub(super) schema: Option<Schema>,
}

impl Target {
    /// A target from rows in memory. Checks values as for a file.
    pub fn new(features: Features) -> Result<Self> {
        if features.rows() == 0 || features.shape().is_empty() {
            return Err(Problem::at("target").found("no rows").wanted("at least one").into());
        }
        let mut finite = Finite::default();
        finite.look_at(&features);
        finite.check("target", None)?;
        Ok(Self { features, had_labels: false, schema: None })
    }

    /// The rows, which have no labels.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The rows, mutable, for normalisation in place.
    pub fn features_mut(&mut self) -> &mut Features {
        &mut self.features
    }

    /// Whether the file has labels, which were not read.
    pub fn had_labels(&self) -> bool {
        self.had_labels
    }

    /// The schema from the file's header; `None` for rows from memory.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.features.rows()
    }

    /// Always false: a target has at least one row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
