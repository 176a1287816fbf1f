//! The outcome of training.

use super::fingerprint::fingerprint;
use crate::config::Config;
use crate::data::normalise::{DomainNormalisers, fit_normalisers};
use crate::data::split::{Split, stratified};
use crate::data::{Source, Target};
use crate::error::Result;
use crate::method::Recipe;
use crate::model::{Model, Outputs};

/// The outcome of training.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The model, with the weights of the selected iteration.
    pub model: Model,
    /// Iterations made, in all sessions of the run.
    pub iterations: usize,
    /// The iteration whose weights the model has.
    pub selected_iteration: usize,
    /// Accuracy on the source's validation rows at that iteration, 0 to 1; none if it was not measured.
    pub source_accuracy: Option<f64>,
    /// Mean probability of each class on the target rows: an estimate of its share, without labels.
    pub target_proportions: Vec<f32>,
    /// Number of target rows predicted as each class.
    pub target_called: Vec<usize>,
    /// Mean confidence on the target rows, 0 to 1.
    pub target_confidence: f64,
    /// Duration of this session, in seconds.
    pub seconds: f64,
    /// Whether training was stopped before its last iteration.
    pub stopped: bool,
    /// Warnings given during training.
    pub warnings: Vec<String>,
    /// Rows and outputs of the run; none unless [`TrainingOptions::keep_rows`](super::TrainingOptions::keep_rows) is
    /// set.
    pub rows: Option<TrainedRows>,
}

/// The rows of a run and the outputs of its model: all that a report needs, without reading the files again.
#[derive(Debug)]
pub struct TrainedRows {
    /// The source, before normalisation.
    pub source: Source,
    /// The target, before normalisation.
    pub target: Target,
    /// The normaliser of each domain.
    pub normalisers: DomainNormalisers,
    /// The source's training and validation rows.
    pub split: Split,
    /// The model's outputs on all target rows.
    pub outputs: Outputs,
    /// Hash of data and configuration, in hexadecimal.
    pub fingerprint: String,
}

impl TrainedRows {
    /// The rows of a finished run, from data that were read again: fits normalisers, splits the source, predicts the
    /// target.
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
