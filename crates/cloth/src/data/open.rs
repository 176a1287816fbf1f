//! Files opened so that their rows are of use to a model.

use std::path::Path;

use super::format::{LabelPolicy, Reader, open_with};
use super::{ImageFit, Layout, ReadOptions, Schema, Shape};
use crate::error::{Problem, Result};

impl Layout {
    /// Opens `path` so that its rows come in this layout, or says why they cannot.
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
                true => "use `data.image_size` and `data.image_channels`, which bring both to one shape",
                false => "source and target must be described by the same features",
            })
            .into())
    }
}
