//! The labelled source domain.

use super::finite::Finite;
use super::{Classes, Features, Layout, Schema};
use crate::error::{Problem, Result};

/// Labelled rows in memory, on which a classifier is trained.
///
/// ```
/// use cloth::data::{Classes, Features, Shape, Source};
/// let features = Features::new(vec![0.0, 0.1, 5.0, 5.1], Shape::Flat(2))?;
/// let source = Source::new(features, vec![0, 1], Classes::new(["cat", "dog"]))?;
/// assert_eq!(source.class_counts(), [1, 1]);
/// # Ok::<(), cloth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub(super) features: Features,
    pub(super) labels: Vec<u32>,
    pub(super) classes: Classes,
    pub(super) layout: Layout,
    pub(super) schema: Option<Schema>,
}

impl Source {
    /// A source from rows in memory. `labels` are indices of `classes`. Checks values and labels as for a file.
    pub fn new(features: Features, labels: Vec<u32>, classes: Classes) -> Result<Self> {
        let source = Problem::at("source");
        if features.rows() == 0 || features.shape().is_empty() {
            return Err(source.found("no rows").wanted("at least one").into());
        }
        if labels.len() != features.rows() {
            let wanted = format!("{}, one for each row", features.rows());
            return Err(source.found(format!("{} labels", labels.len())).wanted(wanted).into());
        }
        if classes.len() < 2 {
            return Err(source.found("fewer than two classes").wanted("at least two").into());
        }
        if let Some(label) = labels.iter().find(|&&label| label as usize >= classes.len()) {
            let wanted = format!("at most {}", classes.len() - 1);
            return Err(source.found(format!("the class index {label}")).wanted(wanted).into());
        }
        let mut finite = Finite::default();
        finite.look_at(&features);
        finite.check("source", None)?;
        let layout = Layout { shape: features.shape(), columns: None };
        Ok(Self { features, labels, classes, layout, schema: None })
    }

    /// The rows, without labels.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The rows, mutable, for normalisation in place.
    pub fn features_mut(&mut self) -> &mut Features {
        &mut self.features
    }

    /// Class index of each row.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Names of the classes, by index.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Shape and columns, which target rows must have too.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The schema from the file's header; `None` for rows from memory.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.features.rows()
    }

    /// Always false: a source has at least one row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of rows of each class.
    pub fn class_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        self.labels.iter().for_each(|&label| counts[label as usize] += 1);
        counts
    }
}
