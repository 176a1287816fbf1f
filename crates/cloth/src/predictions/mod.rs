//! Predictions written to files.
//!
//! Each format in [`FORMATS`] is one file. All of them write through [`AtomicFile`]: the file
//! is there when it is complete, and a path that cannot be written fails when the writer is made.
//!
//! The columns are `row` (counted from 0), `name` (where rows have names), `prediction`, `confidence` and, if asked for,
//! the probability of each class: `p_cat`, `p_dog`.

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

/// A kind of file.
#[derive(Debug, Clone, Copy)]
pub struct PredictionFormat {
    /// What people call it.
    pub name: &'static str,
    /// How names of such files end.
    pub extensions: &'static [&'static str],
    /// Writes what comes before the rows.
    create: fn(AtomicFile, Columns) -> Result<Box<dyn Writer>>,
}

/// What there is to write about each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The classes that are predicted.
    pub classes: Classes,
    /// Whether rows have names.
    pub names: bool,
    /// Whether to write the probability of each class.
    pub proba: bool,
}

/// The predictions of some rows.
#[derive(Debug, Clone, Copy)]
pub struct PredictedRows<'a> {
    /// The number of the first row, counted from 0.
    pub first_row: usize,
    /// A name for each row.
    pub names: Option<&'a [String]>,
    /// The index of the predicted class of each row.
    pub predictions: &'a [u32],
    /// The probability of the predicted class of each row.
    pub confidence: &'a [f32],
    /// The probability of each class, row by row.
    pub proba: Option<&'a [f32]>,
}

/// Writes predictions, chunk by chunk.
pub trait Writer {
    /// Writes some rows, which must have the columns that the writer was made for.
    fn write(&mut self, rows: &PredictedRows<'_>) -> Result<()>;

    /// Completes the file. Without this there is none.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Makes a writer for the format that the extension of `path` says.
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
                .found("a name that says Parquet")
                .wanted("a build of cloth with its Cargo feature `parquet`")
                .help("add the feature \"parquet\" to the dependency on cloth")
                .into());
        }
        let known = FORMATS.iter().flat_map(|format| format.extensions).map(|e| format!(".{e}"));
        return Err(Problem::in_file(path)
            .found("a name that says no known format")
            .wanted(format!("one that ends in {}", known.collect::<Vec<_>>().join(", ")))
            .into());
    };
    (format.create)(AtomicFile::create(path)?, columns)
}

/// Makes a writer of CSV to anything, such as the standard output.
pub fn csv_to<W: Write + 'static>(out: W, columns: Columns) -> Result<Box<dyn Writer>> {
    csv::to_stream(out, columns)
}

impl Columns {
    /// The names of the probability columns.
    fn proba_names(&self) -> impl Iterator<Item = String> {
        let classes = if self.proba { self.classes.names() } else { &[] };
        classes.iter().map(|class| format!("p_{class}"))
    }

    /// Makes sure that `rows` have these columns, so that writers can rely on it.
    fn check(&self, rows: &PredictedRows<'_>) -> Result<()> {
        let n = rows.predictions.len();
        let fits = rows.confidence.len() == n
            && rows.names.map(<[String]>::len) == self.names.then_some(n)
            && rows.proba.map(<[f32]>::len) == self.proba.then_some(n * self.classes.len())
            && rows.predictions.iter().all(|&class| (class as usize) < self.classes.len());
        match fits {
            true => Ok(()),
            false => Err(Problem::at("predictions")
                .found("rows that do not have the columns announced")
                .wanted(format!("{n} of each, and class indices below {}", self.classes.len()))
                .into()),
        }
    }
}

/// Where bytes go, and what to do at the end.
trait Sink: Write {
    /// An error that names the place.
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
