//! The unlabelled side.

use super::finite::Finite;
use super::{Features, Schema};
use crate::error::{Problem, Result};

/// Rows without labels, in memory: what a classifier is adapted to.
///
/// There is no label field, and files are opened so that their labels are not read: no code that is given a `Target`
/// can train or select by its labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    pub(super) features: Features,
    pub(super) had_labels: bool,
    pub(super) schema: Option<Schema>,
}

impl Target {
    /// Takes rows that are in memory already, under the same checks.
    pub fn new(features: Features) -> Result<Self> {
        if features.rows() == 0 || features.shape().is_empty() {
            return Err(Problem::at("target").found("no rows").wanted("at least one").into());
        }
        let mut finite = Finite::default();
        finite.look_at(&features);
        finite.check("target", None)?;
        Ok(Self { features, had_labels: false, schema: None })
    }

    /// The rows.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The rows, to normalise in place.
    pub fn features_mut(&mut self) -> &mut Features {
        &mut self.features
    }

    /// Whether the file has labels. They were not read; a command should say so.
    pub fn had_labels(&self) -> bool {
        self.had_labels
    }

    /// What the file's header told, if the rows come from a file.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.features.rows()
    }

    /// Never: a target has rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
