//! `summary.json`: what training ended with, for whoever looks at the run later.

use serde::{Deserialize, Serialize};

use super::RunDir;
use crate::atomic::write_atomic;
use crate::error::{Error, Problem, Result};

/// What a finished run says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Iterations that were made, in all sessions.
    pub iterations: usize,
    /// The iteration whose weights were kept.
    pub selected_iteration: usize,
    /// Accuracy on the source's validation rows at that iteration.
    pub source_accuracy: Option<f64>,
    /// Mean confidence on the target's rows: no label was used.
    pub target_confidence: f64,
    /// Warnings that were given.
    pub warnings: Vec<String>,
    /// What the run was trained on and how, as one number in hexadecimal: the same data and configuration, the same number.
    pub fingerprint: String,
    /// Seconds of the last session.
    pub seconds: f64,
    /// Iterations that earlier sessions had made.
    pub resumed_after: usize,
}

impl RunDir {
    /// What training ended with; none if it has not ended yet.
    pub fn summary(&self) -> Result<Option<Summary>> {
        let path = self.summary_file();
        if !path.exists() {
            return Ok(None);
        }
        let json = std::fs::read_to_string(&path).map_err(|e| Error::io("read", &path, e))?;
        let found = |e| Problem::in_file(&path).found(e).wanted("what training wrote at its end");
        Ok(Some(serde_json::from_str(&json).map_err(found)?))
    }

    /// A session that made no iteration has nothing to add to what is there.
    pub(super) fn write_summary(&self, summary: &Summary) -> Result<()> {
        let path = self.summary_file();
        if summary.resumed_after == summary.iterations && path.exists() {
            return Ok(());
        }
        let json = serde_json::to_string_pretty(summary).expect("a summary is plain data");
        write_atomic(path, json.as_bytes())
    }
}
