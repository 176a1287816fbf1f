//! Labelled target rows, for evaluation.

use std::path::Path;

use super::format::LabelPolicy;
use super::raw_labels::Lookup;
use super::stream::Stream;
use super::{Classes, Features, Layout, ReadOptions, Schema};
use crate::error::{Problem, Result};

/// A stream of labelled rows that training never sees: an iterator over chunks of rows and their classes.
///
/// A label that is not among the source's classes is an error.
pub struct HeldOut {
    stream: Stream,
    lookup: Lookup,
    names: Option<Vec<String>>,
}

impl HeldOut {
    /// Opens a file whose rows must be `like` the source's and whose labels must be among `classes`.
    pub fn open(
        path: impl AsRef<Path>,
        options: &ReadOptions,
        like: &Layout,
        classes: &Classes,
    ) -> Result<Self> {
        let path = path.as_ref();
        let reader = like.open(path, options, LabelPolicy::Required)?;
        Ok(Self { stream: Stream::new(path, reader), lookup: Lookup::new(classes.clone()), names: None })
    }

    /// The schema from the file's header.
    pub fn schema(&self) -> &Schema {
        self.stream.schema()
    }

    /// Names of the rows of the last chunk; `None` if the format has none.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }
}

impl Iterator for HeldOut {
    type Item = Result<(Features, Vec<u32>)>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.stream.next()?.and_then(|(first, chunk)| {
            let place = self.stream.place();
            let labels = chunk.labels.ok_or_else(|| Problem::at(place).found("no labels"))?;
            self.names = chunk.names;
            Ok((chunk.features, self.lookup.indices(&labels, place, first)?))
        }))
    }
}
