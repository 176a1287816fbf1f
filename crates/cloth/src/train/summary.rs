//! `summary.json`: the outcome of a finished run.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Assessment, RunDir};
use crate::atomic::write_atomic;
use crate::error::{Error, Problem, Result};

/// The outcome of a finished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Iterations made, in all sessions.
    pub iterations: usize,
    /// The iteration whose weights were kept.
    pub selected_iteration: usize,
    /// Accuracy on the source's validation rows at that iteration, 0 to 1; none if it was not measured.
    pub source_accuracy: Option<f64>,
    /// Mean confidence on the target rows, 0 to 1. It uses no label.
    pub target_confidence: f64,
    /// Warnings given during training.
    pub warnings: Vec<String>,
    /// Hash of data and configuration, in hexadecimal.
    pub fingerprint: String,
    /// Duration of the last session, in seconds.
    pub seconds: f64,
    /// Iterations made in earlier sessions; 0 if the run was not resumed.
    pub resumed_after: usize,
    /// How far to trust the run; none if it was not guarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assessment: Option<Assessment>,
}

impl RunDir {
    /// The summary of the run; none if training has not finished.
    pub fn summary(&self) -> Result<Option<Summary>> {
        let path = self.summary_file();
        if !path.exists() {
            return Ok(None);
        }
        let json = std::fs::read_to_string(&path).map_err(|e| Error::io("read", &path, e))?;
        let found =
            |e| Problem::in_file(&path).found(e).wanted("the summary that training writes at its end");
        Ok(Some(serde_json::from_str(&json).map_err(found)?))
    }

    /// Writes the summary. A session without iterations leaves an existing file as it is.
    pub(super) fn write_summary(&self, summary: &Summary) -> Result<()> {
        let path = self.summary_file();
        if summary.resumed_after == summary.iterations && path.exists() {
            return Ok(());
        }
        write(&path, summary)
    }

    /// Adds the judgement on a finished run to its summary.
    pub fn add_assessment(&self, assessment: &Assessment) -> Result<()> {
        match self.summary()? {
            None => Ok(()),
            Some(summary) => {
                write(&self.summary_file(), &Summary { assessment: Some(assessment.clone()), ..summary })
            }
        }
    }
}

fn write(path: &Path, summary: &Summary) -> Result<()> {
    let json = serde_json::to_string_pretty(summary).expect("a summary is plain data");
    write_atomic(path, json.as_bytes())
}
