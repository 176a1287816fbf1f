//! The report of one run, as plain data.

mod classes;
mod curves;
mod hash;
mod histogram;
mod plan;
mod sample;
mod tsne;
mod verdict;
mod view;

pub use classes::ClassRow;
pub use curves::Curve;
pub use histogram::{BINS, Histogram};
pub use plan::ShownPlan;
pub use view::{Map, Shifts, View};

use std::path::Path;

use crate::config::Config;
use crate::data::{Shape, Source, Target};
use crate::error::{Error, Result};
use crate::eval::{Evaluation, remarks};
use crate::method::{Methods, Recipe};
use crate::model::Model;
use crate::report::Verdict;
use crate::train::{Provenance, RunDir, Summary, TrainedRows};

/// Limits of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportOptions {
    /// Most rows on a t-SNE map, of both domains together.
    pub points: usize,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { points: 4000 }
    }
}

/// The inputs of [`collect`]: a run, its data and its score.
pub struct RunInputs<'a> {
    /// Directory of the run.
    pub run: &'a RunDir,
    /// Configuration of the run.
    pub config: &'a Config,
    /// Where the run's data came from.
    pub provenance: &'a Provenance,
    /// Display names of source and target.
    pub names: [String; 2],
    /// The available methods; the run's is one of them.
    pub methods: &'a Methods,
    /// The run's rows, or the error that kept them from being read.
    pub data: Result<RunData>,
    /// The score on labelled rows; none if the run was not scored.
    pub evaluation: Option<Evaluation>,
    /// Commands that reproduce the run or continue from it, as the report lists them.
    pub commands: Vec<String>,
}

/// The rows of a run.
#[derive(Debug)]
pub enum RunData {
    /// Read from the files again.
    Read(Box<(Source, Target)>),
    /// Still in memory from training: nothing is read or predicted twice.
    Trained(Box<TrainedRows>),
}

impl RunData {
    fn domains(&self) -> (&Source, &Target) {
        match self {
            Self::Read(domains) => (&domains.0, &domains.1),
            Self::Trained(rows) => (&rows.source, &rows.target),
        }
    }
}

/// One of the two domains of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// Display name.
    pub name: String,
    /// Path of the file or directory.
    pub path: String,
    /// Number of rows and shape of a row; none if the data could not be read.
    pub rows: Option<(usize, Shape)>,
    /// SHA-256 of the file, in hexadecimal; none for directories and missing files.
    pub sha256: Option<String>,
}

/// Name and description of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// Name of the method.
    pub name: String,
    /// Description in one line.
    pub summary: String,
    /// Whether the method learns from target rows.
    pub adapts: bool,
}

/// Everything that a report shows of one run.
#[derive(Debug, Clone)]
pub struct RunReport {
    /// Name of the run directory.
    pub name: String,
    /// Path of the run directory.
    pub path: String,
    /// The method that was trained.
    pub method: Method,
    /// The seed of the run.
    pub seed: u64,
    /// The labelled domain.
    pub source: Side,
    /// The unlabelled domain.
    pub target: Side,
    /// Configured number of iterations.
    pub iterations: usize,
    /// Outcome of training; none if it has not finished.
    pub summary: Option<Summary>,
    /// Losses and source accuracy by iteration.
    pub curves: Vec<Curve>,
    /// Predictions and maps of the model, or why they cannot be shown.
    pub view: Result<View, String>,
    /// Remarks about the data, such as classes with few rows.
    pub remarks: Vec<String>,
    /// The score on labelled rows; none if the run was not scored.
    pub evaluation: Option<Evaluation>,
    /// Names of the classes; empty if there is no model.
    pub classes: Vec<String>,
    /// The configuration as TOML, with every default.
    pub config: String,
    /// The version of cloth that started the run.
    pub version: String,
    /// SHA-256 of the model file, in hexadecimal; none if there is no model.
    pub model_sha256: Option<String>,
    /// Commands that reproduce the run or continue from it, as the report lists them.
    pub commands: Vec<String>,
}

/// Number of stages of [`collect`], for a progress bar.
pub const STAGES: usize = 4;

/// Collects the report of a run. `progress` gets the name of each stage when it begins.
pub fn collect(
    about: RunInputs<'_>,
    options: ReportOptions,
    mut progress: impl FnMut(&'static str),
) -> Result<RunReport> {
    let RunInputs { run, config, provenance, names: [source_name, target_name], .. } = about;
    let RunInputs { methods, data, evaluation, commands, .. } = about;
    progress("reading the run");
    let recipe = methods.find(&config.method.name)?;
    let (name, summary) = (recipe.name().to_owned(), recipe.summary().to_owned());
    let method = Method { name, summary, adapts: recipe.adapts() };
    let summary = run.summary()?;
    let model = run.model().exists().then(|| Model::load(run.model())).transpose()?;
    let rows = data.as_ref().ok().map(|data| {
        let (source, target) = data.domains();
        let shape = source.layout().shape;
        [(source.len(), shape), (target.len(), shape)]
    });
    let side = |name, path: &Path, rows| {
        let sha256 = hash::sha256(path)?;
        Ok::<_, Error>(Side { name, path: path.display().to_string(), rows, sha256 })
    };
    let source = side(source_name, &provenance.source, rows.map(|rows| rows[0]))?;
    let target = side(target_name, &provenance.target, rows.map(|rows| rows[1]))?;
    let (mut notes, classes) = (Vec::new(), model.as_ref().map(|m| m.about().classes.names().to_vec()));
    let view = match (&model, data) {
        (None, _) => Err("training has not finished, so there is no model to show".to_owned()),
        (Some(_), Err(error)) => Err(format!("the run's data cannot be read: {error}")),
        (Some(model), Ok(data)) => {
            let (source, target) = data.domains();
            notes = remarks::on_source(source);
            notes.extend(remarks::on_target(target, source.classes().len()));
            let fingerprint = summary.as_ref().map(|summary| summary.fingerprint.as_str());
            match rows_of(data, model, config, recipe.as_ref())? {
                None => Err("the run's data have changed since it was trained".to_owned()),
                Some(rows) => view::collect(model, config, rows, fingerprint, options, &mut progress)?,
            }
        }
    };
    Ok(RunReport {
        name: run.path().file_name().unwrap_or(run.path().as_os_str()).display().to_string(),
        path: run.path().display().to_string(),
        method,
        seed: config.seed,
        source,
        target,
        iterations: config.train.iterations,
        curves: curves::read(&run.metrics(), recipe.as_ref())?,
        view,
        remarks: notes,
        evaluation,
        classes: classes.unwrap_or_default(),
        config: config.to_toml(),
        version: provenance.cloth.clone(),
        model_sha256: hash::sha256(&run.model())?,
        commands,
        summary,
    })
}

/// The rows with the model's outputs; none if their layout is not the one that the model takes.
fn rows_of(
    data: RunData,
    model: &Model,
    config: &Config,
    recipe: &dyn Recipe,
) -> Result<Option<TrainedRows>> {
    match data {
        RunData::Trained(rows) => Ok(Some(*rows)),
        RunData::Read(domains) if *domains.0.layout() == model.about().layout => {
            let (source, target) = *domains;
            TrainedRows::of(model, config, recipe, source, target).map(Some)
        }
        RunData::Read(_) => Ok(None),
    }
}

impl RunReport {
    /// The verdict on the predictions; none if there is no [`View`].
    pub fn verdict(&self) -> Option<Verdict> {
        let view = self.view.as_ref().ok()?;
        let accuracy = self.evaluation.as_ref().map(|evaluation| evaluation.score.accuracy);
        Some(verdict::of(view, self.summary.as_ref(), accuracy, self.method.adapts, &self.classes))
    }
}
