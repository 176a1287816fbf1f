//! How one file was read.

use std::path::{Path, PathBuf};

use cloth::ReadOptions;
use cloth::data::{self, LoadEvent, Schema};
use serde_json::{Value, json};

use super::values::Values;
use super::{LISTED, Problems};
use crate::flags::translate;
use crate::progress::{Console, RowsProgress};
use crate::text::{count, percent, some};

/// Rows read at a time.
const CHUNK: usize = 1024;

/// A file's header, and statistics of its values.
pub(super) struct Side {
    path: PathBuf,
    pub(super) schema: Schema,
    values: Values,
}

impl Side {
    /// Loads a file and collects statistics of its rows on the way, so that they are read once.
    ///
    /// If it cannot be loaded, because its header or its labels are not what training needs, its features may still be
    /// readable: they are read with the first of `others` that works.
    pub(super) fn load<T>(
        path: &Path,
        others: [&ReadOptions; 2],
        console: &Console,
        problems: &mut Problems,
        load: impl FnOnce(&mut dyn FnMut(LoadEvent<'_>)) -> cloth::Result<T>,
    ) -> cloth::Result<(Self, Option<T>)> {
        let mut watcher = Watcher::new(console);
        let loaded = load(&mut |event| watcher.see(event));
        match watcher.into_side(path) {
            Some(side) => Ok((side, problems.or_none(loaded))),
            None => {
                let side = Self::look(path, others, console, problems)?;
                Ok((side, problems.or_none(loaded)))
            }
        }
    }

    /// Reads the features of a file, as far as possible, with the first of `ways` that works.
    pub(super) fn look(
        path: &Path,
        ways: [&ReadOptions; 2],
        console: &Console,
        problems: &mut Problems,
    ) -> cloth::Result<Self> {
        let [first, second] = ways;
        let mut reader = data::open(path, first).or_else(|_| data::open(path, second))?;
        let schema = reader.schema().clone();
        let mut progress = console.rows("reading", schema.rows);
        let mut values = Values::default();
        while let Some(Some(chunk)) = problems.or_none(reader.next_chunk(CHUNK)) {
            progress.add(chunk.features.rows());
            values.add_all(&chunk.features);
        }
        Ok(Self { path: path.to_owned(), schema, values })
    }

    pub(super) fn text(&self, title: &str) -> String {
        let Self { path, schema, values } = self;
        let mut text = format!("{title}: {}\n", path.display());
        let mut line = |name: &str, value: String| text += &format!("  {name:<7}  {value}\n");
        line("format", format!("{}, {}", schema.format, schema.dtype));
        line("rows", format!("{} of {}", count(values.rows), schema.shape));
        line("labels", schema.label.clone().unwrap_or_else(|| "none found".to_owned()));
        if let Some((low, high)) = values.range {
            line(
                "values",
                format!("{low} to {high}, {} zero", percent(values.zeros as f64 / values.finite as f64)),
            );
        }
        line("missing", values.missing());
        if !schema.ignored.is_empty() {
            line("ignored", translate(&some(&schema.ignored, LISTED)));
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let Self { path, schema, values } = self;
        json!({
            "path": path,
            "format": schema.format,
            "dtype": schema.dtype,
            "shape": schema.shape,
            "rows": values.rows,
            "label": schema.label,
            "columns": schema.columns,
            "ignored": schema.ignored.iter().map(|text| translate(text)).collect::<Vec<_>>(),
            "nan_rows": values.nan_rows,
            "infinite_rows": values.infinite_rows,
            "min": values.range.map(|range| range.0),
            "max": values.range.map(|range| range.1),
        })
    }
}

/// Collects header and statistics while a file is loaded.
struct Watcher<'a> {
    console: &'a Console,
    progress: Option<RowsProgress<'a>>,
    schema: Option<Schema>,
    values: Values,
    ended: bool,
}

impl<'a> Watcher<'a> {
    fn new(console: &'a Console) -> Self {
        Self { console, progress: None, schema: None, values: Values::default(), ended: false }
    }

    fn see(&mut self, event: LoadEvent<'_>) {
        match event {
            LoadEvent::Opened(schema) => {
                self.progress = Some(self.console.rows("reading", schema.rows));
                self.schema = Some(schema.clone());
            }
            LoadEvent::Rows(rows) => {
                self.progress.iter_mut().for_each(|progress| progress.add(rows.rows()));
                self.values.add_all(rows);
            }
            LoadEvent::End => self.ended = true,
            _ => {}
        }
    }

    /// What was collected, if the whole file was read.
    fn into_side(self, path: &Path) -> Option<Side> {
        let schema = self.schema.filter(|_| self.ended)?;
        Some(Side { path: path.to_owned(), schema, values: self.values })
    }
}
