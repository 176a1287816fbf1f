//! Opens files in a model's layout.

use std::path::Path;

use super::format::{LabelPolicy, Reader, open_with};
use super::{ImageFit, Layout, ReadOptions, Schema, Shape};
use crate::error::{Problem, Result};

impl Layout {
    /// Opens `path` so that its rows have this layout; an error if they cannot have it.
    pub(super) fn open(
        &self,
        path: &Path,
        options: &ReadOptions,
        labels: LabelPolicy,
    ) -> Result<Box<dyn Reader>> {
        let mut options = options.clone();
        if options.columns.is_none() {
            options.columns.clone_from(&self.columns);
        }
        // Images in a directory have no common shape, so they are fitted to the model's.
        if let (Shape::Image { channels, height, .. }, None, true) =
            (self.shape, options.image, path.is_dir())
        {
            options.image = Some(ImageFit { size: height, channels });
        }
        let mut reader = open_with(path, &options, labels)?;
        // Without a header the label is found by its position, where an unlabelled table has a feature.
        let headerless =
            reader.schema().columns.is_none() && ["csv", "tsv"].contains(&reader.schema().format);
        if labels == LabelPolicy::Skipped && headerless && reader.schema().shape.len() + 1 == self.shape.len()
        {
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
                true => "set `data.image_size` and `data.image_channels`, which convert both to one shape",
                false => "source and target must have the same features",
            })
            .into())
    }
}
