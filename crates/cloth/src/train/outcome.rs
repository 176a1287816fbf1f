//! What training gives.

use super::fingerprint::fingerprint;
use crate::config::Config;
use crate::data::normalise::{DomainNormalisers, fit_normalisers};
use crate::data::split::{Split, stratified};
use crate::data::{Source, Target};
use crate::error::Result;
use crate::method::Recipe;
use crate::model::{Model, Outputs};

/// What training gives.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The model of the selected iteration, among those that were made.
    pub model: Model,
    /// Iterations that were made, in all sessions of the run.
    pub iterations: usize,
    /// The iteration that was selected.
    pub selected_iteration: usize,
    /// Accuracy on the source's validation rows at that iteration.
    pub source_accuracy: Option<f64>,
    /// Mean probability of each class on the target's rows: an estimate, no label was used.
    pub target_proportions: Vec<f32>,
    /// How many of the target's rows are predicted as each class.
    pub target_called: Vec<usize>,
    /// Mean confidence on the target's rows.
    pub target_confidence: f64,
    /// Seconds of this session.
    pub seconds: f64,
    /// Whether training was stopped before its end.
    pub stopped: bool,
    /// Warnings that were given.
    pub warnings: Vec<String>,
    /// What training had in memory, if [`TrainingOptions::keep_rows`](super::TrainingOptions::keep_rows) asked for it.
    pub rows: Option<TrainedRows>,
}

/// The rows of a run and what its model makes of them: all that a report needs, without reading a file again.
#[derive(Debug)]
pub struct TrainedRows {
    /// The source, as it was read.
    pub source: Source,
    /// The target, as it was read.
    pub target: Target,
    /// What brings each domain to the scale of training.
    pub normalisers: DomainNormalisers,
    /// Which source rows trained and which were kept aside.
    pub split: Split,
    /// The model's outputs on all target rows.
    pub outputs: Outputs,
    /// What the run was trained on and how, as one hash.
    pub fingerprint: String,
}

impl TrainedRows {
    /// The same from files that were read again, for a run that has ended: normalised, split and predicted anew.
    pub fn of(
        model: &Model,
        config: &Config,
        recipe: &dyn Recipe,
        source: Source,
        target: Target,
    ) -> Result<Self> {
        let fingerprint = fingerprint(config, recipe.revision(), &source, target.features());
        let normalisers =
            fit_normalisers(&config.data, recipe.adapts(), source.features(), target.features());
        let n_classes = source.classes().len();
        let split = stratified(source.labels(), n_classes, config.train.validation, config.seed);
        let outputs = model.outputs(target.features().values())?;
        Ok(Self { source, target, normalisers, split, outputs, fingerprint })
    }
}
