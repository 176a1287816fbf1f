//! Options for reading a file.

use crate::data::{DataConfig, ImageFit};

/// How a file is read. [`of`](Self::of) takes the options from a configuration's `[data]`; without one, start from the
/// default and change it.
///
/// ```
/// use cloth::ReadOptions;
/// let options = ReadOptions::default().with_label("species");
/// assert_eq!(options.label.as_deref(), Some("species"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Where the labels are: the name of a column (CSV, Parquet; its number from 1 if there is no header), of an array
    /// (npz) or of a file beside this one (npy, IDX). If `None`, each format looks for its usual names.
    pub label: Option<String>,
    /// Names of the feature columns, in this order. If `None`, all numeric columns except the label.
    pub columns: Option<Vec<String>>,
    /// The shape that images are converted to. If `None`, images of a directory are converted to
    /// [`ImageFit::default`], and other images are not converted.
    pub image: Option<ImageFit>,
}

impl ReadOptions {
    /// The options of a configuration's `[data]`.
    pub fn of(config: &DataConfig) -> Self {
        let label = Some(config.label.clone()).filter(|label| !label.is_empty());
        Self { label, columns: None, image: Some(config.image()) }
    }

    /// Sets the name of the label column, array or file.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sets the feature columns, in this order.
    pub fn with_columns<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.columns = Some(columns.into_iter().map(S::into).collect());
        self
    }

    /// Sets the shape that images are converted to.
    pub fn with_image(mut self, image: ImageFit) -> Self {
        self.image = Some(image);
        self
    }
}
