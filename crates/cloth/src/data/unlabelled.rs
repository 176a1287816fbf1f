//! Rows to predict.

use std::path::Path;

use super::format::LabelPolicy;
use super::stream::Stream;
use super::{Chunk, Layout, ReadOptions, Schema};
use crate::error::Result;

/// A stream of rows to predict: an iterator over chunks. Labels, if the file has any, are not read.
pub struct Unlabelled {
    stream: Stream,
}

impl Unlabelled {
    /// Opens a file whose rows must be `like` the source's.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions, like: &Layout) -> Result<Self> {
        let path = path.as_ref();
        Ok(Self { stream: Stream::new(path, like.open(path, options, LabelPolicy::Skipped)?) })
    }

    /// The schema from the file's header.
    pub fn schema(&self) -> &Schema {
        self.stream.schema()
    }
}

impl Iterator for Unlabelled {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.stream.next()?.map(|(_, chunk)| chunk))
    }
}
