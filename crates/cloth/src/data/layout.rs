//! What a model remembers of the rows it was trained on.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::format::{Labels, Reader, Schema, open_with};
use super::{ImageFit, ReadOptions, Shape};
use crate::error::{Problem, Result};

/// The shape and the columns that rows must have to be of use to a model. Kept in the run directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// What one row is.
    pub shape: Shape,
    /// The names of the features, where they have names. Other files may have them in any order, and more of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
}

impl Layout {
    /// Opens `path` so that its rows come in this layout, or says why they cannot.
    pub(super) fn open(&self, path: &Path, options: &ReadOptions, labels: Labels) -> Result<Box<dyn Reader>> {
        let mut options = options.clone();
        if options.columns.is_none() {
            options.columns.clone_from(&self.columns);
        }
        // Images in a directory have no shape of their own, so they take the model's.
        if let (Shape::Image { channels, height, .. }, None, true) =
            (self.shape, options.image, path.is_dir())
        {
            options.image = Some(ImageFit { size: height, channels });
        }
        let mut reader = open_with(path, &options, labels)?;
        // Without a header a label is told by its place, and an unlabelled table has a feature there.
        let headerless =
            reader.schema().columns.is_none() && ["csv", "tsv"].contains(&reader.schema().format);
        if labels == Labels::Skipped && headerless && reader.schema().shape.len() + 1 == self.shape.len() {
            options.label = None;
            reader = open_with(path, &options, labels)?;
        }
        self.check(path, reader.schema())?;
        Ok(reader)
    }

    fn check(&self, path: &Path, schema: &Schema) -> Result<()> {
        if schema.shape == self.shape {
            return Ok(());
        }
        let images = matches!((schema.shape, self.shape), (Shape::Image { .. }, Shape::Image { .. }));
        Err(Problem::in_file(path)
            .found(schema.shape)
            .wanted(format!("{}, as in the source", self.shape))
            .help(match images {
                true => {
                    "use --set data.image_size=… and data.image_channels=…, which bring both to one shape"
                }
                false => "source and target must be described by the same features",
            })
            .into())
    }
}
