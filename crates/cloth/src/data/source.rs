//! The labelled side.

use super::finite::Finite;
use super::{Classes, Features, Layout, Schema};
use crate::error::{Problem, Result};

/// Labelled rows, in memory: what a classifier is trained on.
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
    /// Takes rows that are in memory already, under the same checks.
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

    /// The rows.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The rows, to normalise in place.
    pub fn features_mut(&mut self) -> &mut Features {
        &mut self.features
    }

    /// The class of each row.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The classes.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// What target rows must look like.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What the file's header told, if the rows come from a file.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.features.rows()
    }

    /// Never: a source has rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows each class has.
    pub fn class_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        self.labels.iter().for_each(|&label| counts[label as usize] += 1);
        counts
    }
}
