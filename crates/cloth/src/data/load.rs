//! Loads source and target from files; each file is read once.

use std::path::Path;

use super::finite::Finite;
use super::format::{LabelPolicy, Reader, chunk_rows, open_with};
use super::raw_labels::{Collector, RawLabels};
use super::stream::no_rows;
use super::{Chunk, Classes, Features, Layout, ReadOptions, Schema, Source, Target};
use crate::error::{Problem, Result};

/// Events while a file is loaded, in this order. They never contain labels.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum LoadEvent<'a> {
    /// The header was read.
    Opened(&'a Schema),
    /// More rows were read; they may hold values that are not finite.
    Rows(&'a Features),
    /// All rows were read. The checks of the whole file follow.
    End,
}

impl Source {
    /// Reads a file. The classes are the labels that occur in it.
    pub fn load(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self> {
        Self::load_watched(path, options, |_| {})
    }

    /// Like [`load`](Self::load), and calls `watch` for each event: for statistics or progress without a second pass.
    pub fn load_watched(
        path: impl AsRef<Path>,
        options: &ReadOptions,
        watch: impl FnMut(LoadEvent<'_>),
    ) -> Result<Self> {
        let path = path.as_ref();
        let mut reader = open_with(path, options, LabelPolicy::Required)?;
        let mut labels = Collector::default();
        labels.reserve(reader.schema().rows.unwrap_or(0));
        let features = load(path, reader.as_mut(), watch, |chunk| labels.add(chunk))?;
        let (labels, classes) = labels.finish();
        check_classes(path, &classes, labels.len())?;
        let schema = reader.schema().clone();
        let layout = Layout { shape: schema.shape, columns: schema.columns.clone() };
        Ok(Self { features, labels, classes, layout, schema: Some(schema) })
    }
}

impl Target {
    /// Reads a file whose rows must be `like` the source's.
    pub fn load(path: impl AsRef<Path>, options: &ReadOptions, like: &Layout) -> Result<Self> {
        Self::load_watched(path, options, like, |_| {})
    }

    /// Like [`load`](Self::load), and calls `watch` for each event: for statistics or progress without a second pass.
    pub fn load_watched(
        path: impl AsRef<Path>,
        options: &ReadOptions,
        like: &Layout,
        watch: impl FnMut(LoadEvent<'_>),
    ) -> Result<Self> {
        let path = path.as_ref();
        let mut reader = like.open(path, options, LabelPolicy::Skipped)?;
        let features = load(path, reader.as_mut(), watch, |_| {})?;
        let schema = reader.schema().clone();
        Ok(Self { features, had_labels: schema.label.is_some(), schema: Some(schema) })
    }
}

/// Reads all rows of `reader`. The features are never in memory twice.
fn load(
    path: &Path,
    reader: &mut dyn Reader,
    mut watch: impl FnMut(LoadEvent<'_>),
    mut take_labels: impl FnMut(&RawLabels),
) -> Result<Features> {
    let schema = reader.schema().clone();
    watch(LoadEvent::Opened(&schema));
    let mut features = Features::empty(schema.shape);
    if let Some(rows) = schema.rows {
        features.reserve(rows)?;
    }
    let mut finite = Finite::default();
    while let Some(Chunk { features: rows, labels, .. }) = reader.next_chunk(chunk_rows(schema.shape))? {
        watch(LoadEvent::Rows(&rows));
        finite.look_at(&rows);
        if let Some(labels) = &labels {
            labels.check(path.display(), features.rows())?;
        }
        features.append(&rows)?;
        labels.iter().for_each(&mut take_labels);
    }
    watch(LoadEvent::End);
    if features.rows() == 0 {
        return Err(no_rows(path));
    }
    finite.check(path.display(), schema.columns.as_deref())?;
    features.shrink();
    Ok(features)
}

/// Returns an error for a single class, and for labels that look like measurements.
fn check_classes(path: &Path, classes: &Classes, rows: usize) -> Result<()> {
    if let [only] = classes.names() {
        return Err(Problem::in_file(path)
            .found(format!("one class only, \"{only}\""))
            .wanted("at least two")
            .help("is this the right label column?")
            .into());
    }
    if let Some(measured) = classes.measurement().filter(|_| 2 * classes.len() > rows) {
        return Err(Problem::in_file(path)
            .found(format!("{} different labels in {rows} rows, such as {measured}", classes.len()))
            .wanted("classes, with several rows each")
            .help("is this the right label column? A quantity has to be cut into classes first")
            .into());
    }
    Ok(())
}
