//! Streams the rows of a file in chunks and checks them.

use std::path::Path;

use super::finite::Finite;
use super::format::{Reader, chunk_rows};
use super::{Chunk, Schema};
use crate::error::{Error, Problem, Result};

/// The error for a file without rows.
pub(super) fn no_rows(path: &Path) -> Error {
    Problem::in_file(path).found("no rows").wanted("at least one").into()
}

/// Streams the rows of `reader`, with the checks of loading.
pub(super) struct Stream {
    place: String,
    reader: Box<dyn Reader>,
    done: usize,
    /// After an error the stream ends.
    failed: bool,
}

impl Stream {
    pub(super) fn new(path: &Path, reader: Box<dyn Reader>) -> Self {
        Self { place: path.display().to_string(), reader, done: 0, failed: false }
    }

    pub(super) fn schema(&self) -> &Schema {
        self.reader.schema()
    }

    /// The file, for messages.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// The next rows, and the index of the first one in the file, counted from 0.
    pub(super) fn next(&mut self) -> Option<Result<(usize, Chunk)>> {
        if self.failed {
            return None;
        }
        let chunk = self.read().transpose();
        self.failed = matches!(chunk, Some(Err(_)));
        chunk
    }

    fn read(&mut self) -> Result<Option<(usize, Chunk)>> {
        let Some(chunk) = self.reader.next_chunk(chunk_rows(self.reader.schema().shape))? else {
            return match self.done {
                0 => Err(no_rows(Path::new(&self.place))),
                _ => Ok(None),
            };
        };
        let mut finite = Finite::after(self.done);
        finite.look_at(&chunk.features);
        finite.check(&self.place, self.reader.schema().columns.as_deref())?;
        let first = self.done;
        self.done += chunk.features.rows();
        Ok(Some((first, chunk)))
    }
}
