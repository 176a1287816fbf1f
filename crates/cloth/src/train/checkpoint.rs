//! Checkpoints: all that a run needs to resume as if it had never stopped.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::select::Selection;
use crate::error::{Problem, Result};
use crate::model::{read_tensors, write_tensors};
use crate::nets::Weights;

/// The state after an iteration. Random numbers need no state: they follow from the seed and the iteration.
pub(super) struct Checkpoint {
    pub(super) iteration: usize,
    pub(super) method: Weights,
    pub(super) selection: Selection,
    pub(super) warnings: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct CheckpointInfo {
    version: u32,
    fingerprint: String,
    iteration: usize,
    selected_iteration: usize,
    selected_accuracy: Option<f64>,
    warnings: Vec<String>,
}

const KEY: &str = "cloth-checkpoint";
const SELECTED: &str = "selected.";
const METHOD: &str = "method.";

impl Checkpoint {
    pub(super) fn save(&self, path: &Path, fingerprint: &str) -> Result<()> {
        let mut tensors = Weights::new();
        for (name, weight) in &self.method {
            tensors.insert(format!("{METHOD}{name}"), weight.clone());
        }
        for (name, weight) in self.selection.networks.iter().flatten() {
            tensors.insert(format!("{SELECTED}{name}"), weight.clone());
        }
        let about = CheckpointInfo {
            version: 1,
            fingerprint: fingerprint.to_owned(),
            iteration: self.iteration,
            selected_iteration: self.selection.iteration,
            selected_accuracy: self.selection.accuracy,
            warnings: self.warnings.clone(),
        };
        write_tensors(path, &tensors, KEY, &about)
    }

    /// Reads the checkpoint at `path`; none if there is no such file.
    pub(super) fn load(path: &Path, fingerprint: &str) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let (tensors, about) = read_tensors::<CheckpointInfo>(path, KEY, "a checkpoint of this run")?;
        if about.fingerprint != fingerprint {
            return Err(Problem::in_file(path)
                .found("a checkpoint of other data or another configuration")
                .wanted("the files and the configuration that the run was started with")
                .help("restore them, or start a new run in another directory")
                .into());
        }
        let (mut method, mut selected) = (Weights::new(), Weights::new());
        for (name, weight) in tensors {
            if let Some(name) = name.strip_prefix(METHOD) {
                method.insert(name.to_string(), weight);
            } else if let Some(name) = name.strip_prefix(SELECTED) {
                selected.insert(name.to_string(), weight);
            }
        }
        let selection = Selection {
            iteration: about.selected_iteration,
            accuracy: about.selected_accuracy,
            networks: Some(selected).filter(|s| !s.is_empty()),
        };
        Ok(Some(Self { iteration: about.iteration, method, selection, warnings: about.warnings }))
    }
}
