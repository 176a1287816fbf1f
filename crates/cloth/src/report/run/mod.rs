//! What there is to see of one run, as plain data.

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

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportOptions {
    /// Most rows on a map, both domains together.
    pub points: usize,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { points: 4000 }
    }
}

/// A run, and what whoever started it knows about it.
pub struct RunInputs<'a> {
    /// The run directory.
    pub run: &'a RunDir,
    /// Its configuration.
    pub config: &'a Config,
    /// Where its data came from.
    pub provenance: &'a Provenance,
    /// What to call source and target.
    pub names: [String; 2],
    /// The methods among which the run's is.
    pub methods: &'a Methods,
    /// The data; or why they cannot be had.
    pub data: Result<RunData>,
    /// A score on labelled rows, if there is one.
    pub evaluation: Option<Evaluation>,
    /// What to type to get the same run, and to go on from it.
    pub commands: Vec<String>,
}

/// A run's rows.
#[derive(Debug)]
pub enum RunData {
    /// Read from files again.
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

/// A domain, in words and numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// What to call it.
    pub name: String,
    /// Where it is.
    pub path: String,
    /// What one row is, and how many there are, where the data could be read.
    pub rows: Option<(usize, Shape)>,
    /// SHA-256 of the file, in hexadecimal; none for folders and for what is no file.
    pub sha256: Option<String>,
}

/// A method, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// One line about it.
    pub summary: String,
    /// Whether it learns from the target's rows.
    pub adapts: bool,
}

/// Everything that a report shows of one run.
#[derive(Debug, Clone)]
pub struct RunReport {
    /// What the run directory is called.
    pub name: String,
    /// Where it is.
    pub path: String,
    /// The method.
    pub method: Method,
    /// The seed.
    pub seed: u64,
    /// The labelled side.
    pub source: Side,
    /// The side without labels.
    pub target: Side,
    /// How many iterations were asked for.
    pub iterations: usize,
    /// What training ended with; none if it has not ended.
    pub summary: Option<Summary>,
    /// Losses over the run.
    pub curves: Vec<Curve>,
    /// What the model makes of the data; or why that cannot be shown.
    pub view: Result<View, String>,
    /// What is worth knowing about the data.
    pub remarks: Vec<String>,
    /// A score on labelled rows, if there is one.
    pub evaluation: Option<Evaluation>,
    /// The classes' names, where the model is there to tell.
    pub classes: Vec<String>,
    /// The configuration, with every default.
    pub config: String,
    /// The version of cloth that started the run.
    pub version: String,
    /// SHA-256 of the model file, in hexadecimal.
    pub model_sha256: Option<String>,
    /// What to type to get the same run, and to go on from it.
    pub commands: Vec<String>,
}

/// Stages of [`collect`], for whoever shows progress.
pub const STAGES: usize = 4;

/// Collects everything that is shown of a run. `progress` is told the name of each stage as it begins.
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
        (None, _) => Err("training has not come to its end, so there is no model to look at".to_owned()),
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

/// The rows with what the model makes of them; none if they are not of the shape that the model takes.
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
    /// What the signs say; none if there is nothing to look at.
    pub fn verdict(&self) -> Option<Verdict> {
        let view = self.view.as_ref().ok()?;
        let accuracy = self.evaluation.as_ref().map(|evaluation| evaluation.score.accuracy);
        Some(verdict::of(view, self.summary.as_ref(), accuracy, self.method.adapts, &self.classes))
    }
}
