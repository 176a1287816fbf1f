//! The conditions under which results were made.

use serde::{Deserialize, Serialize};

use super::job::Job;
use super::request::Request;
use super::study::Shows;
use crate::config::Select;
use crate::error::Result;

/// The conditions under which results were made. Every table includes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stamp {
    /// Name of the suite.
    pub suite: String,
    /// Title of the suite.
    pub title: String,
    /// Name of the study; none for a comparison of methods.
    pub study: Option<String>,
    /// Title of the study.
    pub study_title: Option<String>,
    /// Note that readers of the study's table need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study_note: Option<String>,
    /// Additions of these methods to their papers, active or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additions: Vec<StampedAddition>,
    /// What the study's table shows.
    pub shows: Shows,
    /// The paper's table or figure, such as `Table 2`; none if the paper has none.
    pub paper_table: Option<String>,
    /// The features that the paper's methods were trained on.
    pub paper_features: Option<String>,
    /// The features that these runs were trained on.
    pub features: String,
    /// Name of the preset under all settings.
    pub preset: String,
    /// Settings of the suite over the preset, without those that later settings override.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suite_settings: Vec<String>,
    /// Settings over preset and suite, each `key=value`.
    pub settings: Vec<String>,
    /// The seeds of each cell.
    pub seeds: Vec<u64>,
    /// Iterations of a run in the base configuration; a study of times makes fewer.
    pub iterations: usize,
    /// The rule that selects the iteration whose weights are kept.
    pub selection: Select,
    /// What target labels were used for.
    pub target_labels: String,
    /// The command that reproduces the results; empty if unknown.
    pub command: String,
    /// The version of cloth.
    pub cloth: String,
}

impl Stamp {
    /// The conditions of a request with these `jobs`, of which `job` is the first. `shape` describes the rows.
    pub(super) fn of(request: &Request, job: &Job, jobs: &[Job], shape: &str) -> Result<Self> {
        let study = request.study.as_ref();
        let paper = request.suite.paper.as_ref();
        let features = match &request.features {
            Some(words) => format!("{words} ({shape})"),
            None => shape.to_owned(),
        };
        Ok(Self {
            suite: request.suite.name.clone(),
            title: request.suite.title.clone(),
            study: study.map(|study| study.name.clone()),
            study_title: study.map(|study| study.title.clone()),
            study_note: study.and_then(|study| study.note.clone()),
            additions: additions(request, jobs)?,
            shows: study.map(|study| study.shows).unwrap_or_default(),
            paper_table: match study {
                Some(study) => Some(study.table.clone()).filter(|table| !table.is_empty()),
                None => paper.map(|paper| paper.table.clone()),
            },
            paper_features: paper.map(|paper| paper.features.clone()),
            features,
            preset: request.preset().to_owned(),
            suite_settings: request.suite_settings_in_force(jobs),
            settings: request.settings_in_force(),
            seeds: (0..request.seeds).collect(),
            iterations: request.base(&job.config.method.name, "")?.build()?.train.iterations,
            selection: job.config.train.select,
            target_labels: match request.oracle {
                false => "for scoring only".to_owned(),
                true => "for scoring, and to choose in the column ORACLE".to_owned(),
            },
            command: request.command.clone().unwrap_or_default(),
            cloth: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

/// An addition of a method to its paper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StampedAddition {
    /// Name of the addition.
    pub name: String,
    /// Note that readers of a table need.
    pub note: String,
    /// The setting that disables it, as `key=value`.
    pub without: String,
    /// Whether any of the runs uses it.
    pub active: bool,
}

fn additions(request: &Request, jobs: &[Job]) -> Result<Vec<StampedAddition>> {
    let mut found = Vec::new();
    for recipe in request.available.iter() {
        let runs: Vec<&Job> = jobs.iter().filter(|job| job.config.method.name == recipe.name()).collect();
        if runs.is_empty() {
            continue;
        }
        found.extend(recipe.additions().into_iter().map(|addition| StampedAddition {
            active: runs.iter().any(|job| addition.is_active(&job.config.method.section())),
            without: addition.without(recipe.name()),
            name: addition.name.into_owned(),
            note: addition.note.into_owned(),
        }));
    }
    Ok(found)
}
