//! What one run gave: a small JSON file.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::oracle::Oracle;
use crate::atomic::write_atomic;
use crate::config::{Config, Select};
use crate::error::{Error, Problem, Result};
use crate::eval::Score;

/// The version of the files' layout.
pub(super) const VERSION: u32 = 1;

/// What one run gave. `results.json` has the records of all runs; the file of each has its whole score and its
/// configuration as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The layout of this file; a newer one may have more fields.
    pub version: u32,
    /// The version of the program.
    pub cloth: String,
    /// The row of the table: a method, or a variant of a study.
    pub row: String,
    /// The column: `A→W`.
    pub task: String,
    /// The method.
    pub method: String,
    /// The revision of the method; 0 in records from before there were any.
    #[serde(default)]
    pub revision: u32,
    /// The seed.
    pub seed: u64,
    /// Tells configurations apart, whatever their seed.
    pub config_hash: String,
    /// Tells data apart, by every byte.
    pub data_hash: String,
    /// Which iteration's weights were kept: no rule sees a target label.
    pub selection: Select,
    /// Iterations that were made.
    pub iterations: usize,
    /// The iteration that was kept.
    pub selected_iteration: usize,
    /// Whether scores are of test rows that training never saw; otherwise they are of the rows that it adapted to.
    pub on_test_rows: bool,
    /// Accuracy on the source's validation rows, 0 to 1.
    pub source_accuracy: Option<f64>,
    /// Every number of the score on the target: `accuracy`, `balanced_accuracy` (the mean over classes),
    /// `calibration_error` (ECE), all from 0 to 1, and `n`, the rows. Empty if the run failed.
    pub metrics: BTreeMap<String, f64>,
    /// Numbers that were trained.
    pub parameters: usize,
    /// How long it took.
    pub timing: Timing,
    /// Warnings that were given, such as of a collapse.
    pub warnings: Vec<String>,
    /// Why there is no model: a loss that was no longer a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What choosing by target labels would have given. Nobody can, who has no labels.
    #[serde(default, rename = "ORACLE", skip_serializing_if = "Option::is_none")]
    pub oracle: Option<Oracle>,
    /// A loss over training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
}

/// How long a run took, as far as it was made in one go.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Seconds of the last session.
    pub seconds: f64,
    /// Iterations of the last session: fewer than all if the run was interrupted.
    pub iterations: usize,
    /// The median time of an iteration: what is done now and then (plans, looks, checkpoints) does not count.
    pub median_iteration: f64,
}

impl Timing {
    /// Seconds of the whole run, by proportion where it was interrupted.
    pub fn total(&self, iterations: usize) -> f64 {
        if self.iterations == 0 {
            self.seconds
        } else {
            self.seconds * iterations as f64 / self.iterations as f64
        }
    }
}

/// The file: the record, and what tables do not need.
#[derive(Serialize)]
struct File<'a> {
    #[serde(flatten)]
    record: &'a Record,
    score: Option<&'a Score>,
    config: &'a Config,
}

impl Record {
    /// A metric by its name.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.get(name).copied()
    }

    /// The record in a file, if there is one.
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
                .help("remove the file: its run is then made again")
                .into()
        })
    }

    /// Writes the file, whole or not at all.
    pub(super) fn write(&self, path: &Path, score: Option<&Score>, config: &Config) -> Result<()> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory).map_err(|e| Error::io("create", directory, e))?;
        }
        let file = File { record: self, score, config };
        let text = serde_json::to_string(&file).expect("records are plain data");
        write_atomic(path, text.as_bytes())
    }
}

/// Every number of a score, by its name.
pub(super) fn metrics(score: &Score) -> BTreeMap<String, f64> {
    let score = serde_json::to_value(score).expect("scores are plain data");
    let numbers = score.as_object().into_iter().flatten();
    numbers.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect()
}
