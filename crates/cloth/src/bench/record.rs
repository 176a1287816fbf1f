//! The record of one run: a small JSON file.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::oracle::Oracle;
use crate::atomic::write_atomic;
use crate::config::{Config, Select};
use crate::error::{Error, Problem, Result};
use crate::eval::Score;

/// Version of the layout of records and results.
pub(super) const VERSION: u32 = 1;

/// The outcome of one run. `results.json` has the records of all runs; the file of a single record also has the full
/// score and the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Version of the layout; a newer one may have more fields.
    pub version: u32,
    /// The version of cloth that made the run.
    pub cloth: String,
    /// The row of the table: a method, or a variant of a study.
    pub row: String,
    /// The column of the table: a task, such as `A→W`.
    pub task: String,
    /// Name of the method.
    pub method: String,
    /// The revision of the method; 0 in records without one.
    #[serde(default)]
    pub revision: u32,
    /// The seed of the run.
    pub seed: u64,
    /// Hash of the configuration without its seed.
    pub config_hash: String,
    /// Hash of the contents of all data files.
    pub data_hash: String,
    /// The rule that selected the iteration; it uses no target labels.
    pub selection: Select,
    /// Iterations made.
    pub iterations: usize,
    /// The iteration whose weights were kept; 0 if the run failed.
    pub selected_iteration: usize,
    /// Whether the scored rows are test rows that training did not see; otherwise they are the target rows it adapted
    /// to.
    pub on_test_rows: bool,
    /// Accuracy on the source's validation rows, 0 to 1; none if it was not measured.
    pub source_accuracy: Option<f64>,
    /// The score on the target: `accuracy`, `balanced_accuracy` (the mean over classes) and `calibration_error` (ECE),
    /// all from 0 to 1, and `n`, the number of rows. Empty if the run failed.
    pub metrics: BTreeMap<String, f64>,
    /// Number of trained parameters.
    pub parameters: usize,
    /// Duration of the run.
    pub timing: Timing,
    /// Warnings given during training, for example of a collapse.
    pub warnings: Vec<String>,
    /// The error of a run whose loss became NaN or infinite; none if the run succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The best accuracy of a selection by target labels, which is not possible in practice; none if it was not
    /// requested.
    #[serde(default, rename = "ORACLE", skip_serializing_if = "Option::is_none")]
    pub oracle: Option<Oracle>,
    /// The curve of a loss over training; none if the study shows no curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
}

/// The duration of a run, measured in its last session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Duration of the last session, in seconds.
    pub seconds: f64,
    /// Iterations of the last session: fewer than all if the run was resumed.
    pub iterations: usize,
    /// Median time of an iteration, in seconds: occasional work, such as evaluations and checkpoints, does not count.
    pub median_iteration: f64,
}

impl Timing {
    /// Seconds of a run of `iterations`, extrapolated from the last session.
    pub fn total(&self, iterations: usize) -> f64 {
        if self.iterations == 0 {
            self.seconds
        } else {
            self.seconds * iterations as f64 / self.iterations as f64
        }
    }
}

/// The file: the record, and what the tables do not need.
#[derive(Serialize)]
struct File<'a> {
    #[serde(flatten)]
    record: &'a Record,
    score: Option<&'a Score>,
    config: &'a Config,
}

impl Record {
    /// The metric with this name; none if the run failed or has no such metric.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.get(name).copied()
    }

    /// Reads the record in a file; none if there is no such file.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read", path, error)),
        };
        serde_json::from_str(&text).map(Some).map_err(|error| {
            Problem::in_file(path)
                .found(error)
                .wanted("a record of a bench")
                .help("remove the file, and the run is made again")
                .into()
        })
    }

    /// Writes the file, atomically.
    pub(super) fn write(&self, path: &Path, score: Option<&Score>, config: &Config) -> Result<()> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory).map_err(|e| Error::io("create", directory, e))?;
        }
        let file = File { record: self, score, config };
        let text = serde_json::to_string(&file).expect("records are plain data");
        write_atomic(path, text.as_bytes())
    }
}

/// All numbers of a score by name.
pub(super) fn metrics(score: &Score) -> BTreeMap<String, f64> {
    let score = serde_json::to_value(score).expect("scores are plain data");
    let numbers = score.as_object().into_iter().flatten();
    numbers.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect()
}
