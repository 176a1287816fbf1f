//! Predictions written to files.
//!
//! Each format in [`FORMATS`] is one module. All of them write through [`AtomicFile`]: the file appears when it is
//! complete, and a path that cannot be written fails when the writer is created.
//!
//! The columns are `row` (counted from 0), `name` (where rows have names), `prediction`, `confidence` and, if asked
//! for, the probability of each class: `p_cat`, `p_dog`.

mod csv;
mod jsonl;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(all(test, feature = "parquet"))]
mod tests;

use std::io::Write;
use std::path::Path;

use crate::atomic::AtomicFile;
use crate::data::Classes;
use crate::error::{Error, Problem, Result};

/// Every format that can be written.
pub const FORMATS: &[PredictionFormat] = &[
    csv::FORMAT,
    #[cfg(feature = "parquet")]
    parquet::FORMAT,
    npy::FORMAT,
    jsonl::FORMAT,
];

/// A file format for predictions.
#[derive(Debug, Clone, Copy)]
pub struct PredictionFormat {
    /// Name of the format.
    pub name: &'static str,
    /// File extensions, without the dot, in lower case.
    pub extensions: &'static [&'static str],
    /// Creates a writer, and writes what comes before the rows.
    create: fn(AtomicFile, Columns) -> Result<Box<dyn Writer>>,
}

/// The columns that are written for each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The classes that can be predicted.
    pub classes: Classes,
    /// Whether to write the name of each row.
    pub names: bool,
    /// Whether to write the probability of each class.
    pub proba: bool,
}

/// The predictions of some rows.
#[derive(Debug, Clone, Copy)]
pub struct PredictedRows<'a> {
    /// Number of the first row, counted from 0.
    pub first_row: usize,
    /// The name of each row; none if rows have no names.
    pub names: Option<&'a [String]>,
    /// The index of the predicted class of each row.
    pub predictions: &'a [u32],
    /// The probability of the predicted class of each row.
    pub confidence: &'a [f32],
    /// The probability of each class, row by row; none if it is not written.
    pub proba: Option<&'a [f32]>,
}

/// Writes predictions, chunk by chunk.
pub trait Writer {
    /// Writes some rows, which must have the columns that the writer was created for.
    fn write(&mut self, rows: &PredictedRows<'_>) -> Result<()>;

    /// Completes the file. Without this call no file is left.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Creates a writer for the format given by the extension of `path`.
///
/// ```
/// use cloth::data::Classes;
/// use cloth::predictions::{Columns, PredictedRows, create};
/// # let directory = std::env::temp_dir().join(format!("cloth-doc-predictions-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory).unwrap();
/// let path = directory.join("predictions.csv");
/// let columns = Columns { classes: Classes::new(["cat", "dog"]), names: false, proba: false };
/// let mut writer = create(&path, columns)?;
/// writer.write(&PredictedRows { first_row: 0, names: None, predictions: &[1], confidence: &[0.75], proba: None })?;
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "row,prediction,confidence\n0,dog,0.75\n");
/// # std::fs::remove_dir_all(directory).unwrap();
/// # Ok::<(), cloth::Error>(())
/// ```
pub fn create(path: impl AsRef<Path>, columns: Columns) -> Result<Box<dyn Writer>> {
    let path = path.as_ref();
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let matches =
        |format: &&PredictionFormat| extension.as_deref().is_some_and(|e| format.extensions.contains(&e));
    let Some(format) = FORMATS.iter().find(matches) else {
        if matches!(extension.as_deref(), Some("parquet" | "pq")) {
            return Err(Problem::in_file(path)
                .found("the extension of a Parquet file")
                .wanted("a build of cloth with its Cargo feature `parquet`")
                .help("add the feature \"parquet\" to the dependency on cloth")
                .into());
        }
        let known = FORMATS.iter().flat_map(|format| format.extensions).map(|e| format!(".{e}"));
        return Err(Problem::in_file(path)
            .found("a missing or unknown extension")
            .wanted(format!("one of {}", known.collect::<Vec<_>>().join(", ")))
            .into());
    };
    (format.create)(AtomicFile::create(path)?, columns)
}

/// Creates a writer of CSV to any stream, such as standard output.
pub fn csv_to<W: Write + 'static>(out: W, columns: Columns) -> Result<Box<dyn Writer>> {
    csv::to_stream(out, columns)
}

impl Columns {
    /// The names of the probability columns.
    fn proba_names(&self) -> impl Iterator<Item = String> {
        let classes = if self.proba { self.classes.names() } else { &[] };
        classes.iter().map(|class| format!("p_{class}"))
    }

    /// Checks that `rows` have these columns, so that writers can rely on it.
    fn check(&self, rows: &PredictedRows<'_>) -> Result<()> {
        let n = rows.predictions.len();
        let fits = rows.confidence.len() == n
            && rows.names.map(<[String]>::len) == self.names.then_some(n)
            && rows.proba.map(<[f32]>::len) == self.proba.then_some(n * self.classes.len())
            && rows.predictions.iter().all(|&class| (class as usize) < self.classes.len());
        match fits {
            true => Ok(()),
            false => Err(Problem::at("predictions")
                .found("rows without the columns that the writer was created for")
                .wanted(format!("{n} values in each column, and class indices below {}", self.classes.len()))
                .into()),
        }
    }
}

/// A destination of bytes that is completed at the end.
trait Sink: Write {
    /// A write error that names the destination.
    fn failed(&self, error: std::io::Error) -> Error;

    /// Completes the output.
    fn finish(self) -> Result<()>;
}

impl Sink for AtomicFile {
    fn failed(&self, error: std::io::Error) -> Error {
        Error::io("write", self.path(), error)
    }

    fn finish(self) -> Result<()> {
        self.commit()
    }
}
