//! A reader that converts the images of another reader to one shape.

use super::{Chunk, Reader, Schema};
use crate::data::image::Fitter;
use crate::data::{Features, Shape};
use crate::error::Result;

/// Entry of [`Schema::ignored`] where colours are converted to gray.
pub(super) const COLOURS: &str = "colours (`data.image_channels=3` keeps them)";

struct OneShape {
    inner: Box<dyn Reader>,
    fitter: Fitter,
    schema: Schema,
}

/// Converts the images of `inner` to the shape `to`.
pub(super) fn open(inner: Box<dyn Reader>, to: Shape) -> Result<Box<dyn Reader>> {
    let fitter = Fitter::new(inner.schema().shape, to)?;
    let mut schema = Schema { shape: to, ..inner.schema().clone() };
    if let (Shape::Image { channels: 3 | 4, .. }, Shape::Image { channels: 1, .. }) =
        (inner.schema().shape, to)
    {
        schema.ignored.push(COLOURS.to_owned());
    }
    Ok(Box::new(OneShape { inner, fitter, schema }))
}

impl Reader for OneShape {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        let Some(chunk) = self.inner.next_chunk(max_rows)? else { return Ok(None) };
        let mut values = Vec::with_capacity(chunk.features.rows() * self.schema.shape.len());
        for row in 0..chunk.features.rows() {
            self.fitter.fit(chunk.features.row(row), &mut values);
        }
        Ok(Some(Chunk { features: Features::new(values, self.schema.shape)?, ..chunk }))
    }
}
