//! What the caller says about a file.

use crate::data::{DataConfig, ImageFit};

/// How a file is read. Made from a configuration's `[data]` by [`of`](Self::of); where there is none, from the default
/// by what differs.
///
/// ```
/// use cloth::ReadOptions;
/// let options = ReadOptions::default().with_label("species");
/// assert_eq!(options.label.as_deref(), Some("species"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Where the labels are: the name of a column (CSV, Parquet; a number from 1 where there is no header), of an
    /// array (npz) or of a file beside this one (npy, IDX). Each format has names that it looks for otherwise.
    pub label: Option<String>,
    /// The feature columns, by name and in this order. Otherwise all numeric columns but the label's.
    pub columns: Option<Vec<String>>,
    /// Brings images to one shape; otherwise they stay as they are, but for images in a directory, which take
    /// [`ImageFit::default`].
    pub image: Option<ImageFit>,
}

impl ReadOptions {
    /// How files are read under a configuration.
    pub fn of(config: &DataConfig) -> Self {
        let label = Some(config.label.clone()).filter(|label| !label.is_empty());
        Self { label, columns: None, image: Some(config.image()) }
    }

    /// With the labels where `label` says.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// With these features, in this order.
    pub fn with_columns<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.columns = Some(columns.into_iter().map(S::into).collect());
        self
    }

    /// With images brought to one shape.
    pub fn with_image(mut self, image: ImageFit) -> Self {
        self.image = Some(image);
        self
    }
}
