//! Checks that every set of rows must pass, in memory or streamed.

use std::fmt;
use std::path::Path;

use super::format::{Reader, Schema, chunk_rows};
use super::labels::{Collector, RawLabels};
use super::{Chunk, Features};
use crate::error::{Error, Problem, Result};

/// Reads everything that `reader` has. The features are never in memory twice.
pub(super) fn load(
    path: &Path,
    reader: &mut dyn Reader,
    mut take_labels: impl FnMut(&RawLabels),
) -> Result<Features> {
    let schema = reader.schema().clone();
    let mut features = Features::empty(schema.shape);
    if let Some(rows) = schema.rows {
        features.reserve(rows)?;
    }
    let mut finite = Finite::default();
    while let Some(Chunk { features: rows, labels, .. }) = reader.next_chunk(chunk_rows(schema.shape))? {
        finite.look_at(&rows);
        if let Some(labels) = &labels {
            labels.check(path.display(), features.rows())?;
        }
        features.append(&rows)?;
        labels.iter().for_each(&mut take_labels);
    }
    if features.rows() == 0 {
        return Err(no_rows(path));
    }
    finite.check(path.display(), schema.columns.as_deref())?;
    features.shrink();
    Ok(features)
}

/// [`load`], with the labels.
pub(super) fn load_labelled(path: &Path, reader: &mut dyn Reader) -> Result<(Features, Collector)> {
    let mut labels = Collector::default();
    labels.reserve(reader.schema().rows.unwrap_or(0));
    let features = load(path, reader, |chunk| labels.add(chunk))?;
    Ok((features, labels))
}

/// There is nothing to learn from, or to predict.
pub(super) fn no_rows(path: &Path) -> Error {
    Problem::in_file(path).found("no rows").wanted("at least one").into()
}

/// Streams what `reader` has, with the same checks.
pub(super) struct Stream {
    place: String,
    reader: Box<dyn Reader>,
    done: usize,
    /// After an error there is nothing more to be had.
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

    /// The next rows, and the number of the first one, counted from 0.
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
        let mut finite = Finite { seen: self.done, ..Finite::default() };
        finite.look_at(&chunk.features);
        finite.check(&self.place, self.reader.schema().columns.as_deref())?;
        let first = self.done;
        self.done += chunk.features.rows();
        Ok(Some((first, chunk)))
    }
}

/// Looks for values that are not numbers.
#[derive(Debug, Default)]
pub(super) struct Finite {
    /// Row, column and value.
    first: Option<(usize, usize, f32)>,
    bad_rows: usize,
    seen: usize,
}

impl Finite {
    pub(super) fn look_at(&mut self, features: &Features) {
        for row in 0..features.rows() {
            let values = features.row(row);
            if let Some(column) = values.iter().position(|value| !value.is_finite()) {
                self.first.get_or_insert((self.seen + row, column, values[column]));
                self.bad_rows += 1;
            }
        }
        self.seen += features.rows();
    }

    pub(super) fn check(&self, place: impl fmt::Display, columns: Option<&[String]>) -> Result<()> {
        let Some((row, column, value)) = self.first else { return Ok(()) };
        let column = match columns.and_then(|columns| columns.get(column)) {
            Some(name) => format!("column \"{name}\""),
            None => format!("column {}", column + 1),
        };
        let value = if value.is_nan() { "NaN (a missing value)" } else { "an infinite value" };
        let rows = if self.bad_rows == 1 { "1 row".to_owned() } else { format!("{} rows", self.bad_rows) };
        // Whoever follows the usual advice would have no rows left.
        let help = match self.bad_rows == self.seen && self.seen > 1 {
            true => {
                "no row is without; leave out empty columns (pandas: df.dropna(axis=1, how=\"all\")) and fill other gaps \
                 (df.fillna(df.mean())), in source and target alike"
            }
            false => {
                "drop the rows (pandas: df.dropna()) or fill the gaps (df.fillna(df.mean())), in source and target \
                 alike; values beyond 3.4e38 count as infinite"
            }
        };
        Err(Problem::at(format!("{place}, row {}, {column}", row + 1))
            .found(format!("{value}; {rows} of {} have such", self.seen))
            .wanted("finite numbers")
            .help(help)
            .into())
    }
}
