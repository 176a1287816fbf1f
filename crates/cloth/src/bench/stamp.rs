//! Under which conditions results were made.

use serde::{Deserialize, Serialize};

use super::job::Job;
use super::request::Request;
use super::study::Shows;
use crate::config::Select;
use crate::error::Result;

/// Under which conditions results were made. Every table carries it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stamp {
    /// The suite's name.
    pub suite: String,
    /// What people call it.
    pub title: String,
    /// The study's name, if it is one.
    pub study: Option<String>,
    /// What the study asks.
    pub study_title: Option<String>,
    /// What a reader of the study's table has to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study_note: Option<String>,
    /// What methods of these runs have beyond their papers, or could have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additions: Vec<StampedAddition>,
    /// What the study's table shows.
    pub shows: Shows,
    /// Where the paper has it.
    pub paper_table: Option<String>,
    /// What the paper's methods were given.
    pub paper_features: Option<String>,
    /// What ours are given.
    pub features: String,
    /// The preset that everything starts from.
    pub preset: String,
    /// Settings of the suite, over the preset, as far as nothing is set over them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suite_settings: Vec<String>,
    /// Settings over preset and suite.
    pub settings: Vec<String>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// Iterations of the base: a study of times makes fewer.
    pub iterations: usize,
    /// Which iteration's weights are kept.
    pub selection: Select,
    /// What target labels were used for.
    pub target_labels: String,
    /// The command that makes the same again.
    pub command: String,
    /// The version of the program.
    pub cloth: String,
}

impl Stamp {
    /// The conditions of a request that asks for `jobs`, the first of which is `job`, of rows that are `shape`.
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

/// Something that a method has beyond its paper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StampedAddition {
    /// What it is.
    pub name: String,
    /// What a reader of a table has to know.
    pub note: String,
    /// The setting that leaves it out.
    pub without: String,
    /// Whether some runs have it.
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
