//! What somebody asks for, and the configurations that follow from it.

use std::path::PathBuf;

use super::job::Job;
use super::plan::Row;
use super::study::Study;
use super::suite::{Suite, Task};
use crate::config::{Config, Layers, PRESETS};
use crate::error::{Problem, Result};
use crate::method::METHODS;
use crate::words::quoted;

/// What somebody asks for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The suite.
    pub suite: Suite,
    /// A study, instead of all methods.
    pub study: Option<Study>,
    /// Methods; empty: all.
    pub methods: Vec<String>,
    /// Tasks, such as `A-W`; empty: all.
    pub tasks: Vec<String>,
    /// How many seeds, from 0 on.
    pub seeds: u64,
    /// The preset; none: the first.
    pub preset: Option<String>,
    /// Settings over preset and suite, as `--set` takes them.
    pub settings: Vec<String>,
    /// The directory of the data.
    pub data: PathBuf,
    /// What the features are, in words.
    pub features: Option<String>,
    /// The directory of the results.
    pub output: PathBuf,
    /// Whether target accuracy is watched during training, for the ORACLE.
    pub oracle: bool,
    /// Whether run directories, with their models, stay.
    pub keep: bool,
}

impl Request {
    pub(super) fn preset(&self) -> &str {
        self.preset.as_deref().unwrap_or(PRESETS[0].name)
    }

    /// What the suite sets under this preset.
    fn suite_settings(&self) -> impl Iterator<Item = &String> {
        let of_preset = self.suite.presets.get(self.preset()).into_iter().flatten();
        self.suite.settings.iter().chain(of_preset)
    }

    /// What the suite sets for some of `jobs` under this preset, and nobody sets otherwise.
    pub(super) fn suite_settings_in_force(&self, jobs: &[Job]) -> Vec<String> {
        let is_run = |name: &str| jobs.iter().any(|job| job.config.method.name == name);
        let all: Vec<&String> = self.suite_settings().chain(&self.settings).collect();
        let in_force = |&(place, setting): &(usize, &String)| {
            method_of(setting).is_none_or(is_run) && is_last_word(&all, place)
        };
        self.suite_settings().enumerate().filter(in_force).map(|(_, setting)| setting.clone()).collect()
    }

    /// What `--set` says, the last word on each.
    pub(super) fn settings_in_force(&self) -> Vec<String> {
        let all: Vec<&String> = self.settings.iter().collect();
        (0..all.len()).filter(|&place| is_last_word(&all, place)).map(|place| all[place].clone()).collect()
    }

    /// What a study varies: preset, suite, `--set`, each over the ones before. `label` is the column of the labels,
    /// where it has to be named.
    pub(super) fn base(&self, method: &str, label: &str) -> Result<Layers> {
        let mut layers = Layers::new(method)?.preset(self.preset())?;
        let place = format!("suite `{}`", self.suite.name);
        // A section of another method is not for this one.
        let meant = |setting: &&String| method_of(setting).is_none_or(|name| name == method);
        for setting in self.suite_settings().filter(meant) {
            layers = layers.set_from(setting, &place)?;
        }
        if !label.is_empty() {
            layers = layers.set_from(&format!("data.label={}", toml::Value::from(label)), &place)?;
        }
        for setting in self.settings.iter().filter(meant) {
            layers = layers.set(setting)?;
        }
        Ok(layers)
    }

    /// The configuration of a row. The variant comes last: it is what a study is about.
    pub(super) fn config(&self, row: &Row, label: &str) -> Result<Config> {
        let mut layers = self.base(&row.method, label)?;
        if let Some(study) = &self.study {
            let place = format!("study `{}`", study.name);
            let shorter = study.iterations.map(|iterations| format!("train.iterations={iterations}"));
            for setting in row.settings.iter().chain(&shorter) {
                layers = layers.set_from(setting, &place)?;
            }
        }
        layers.build()
    }

    /// Refuses settings that would do nothing.
    pub(super) fn check_settings(&self, rows: &[Row]) -> Result<()> {
        for setting in &self.settings {
            if let Some(name) = method_of(setting).filter(|name| rows.iter().all(|row| row.method != *name)) {
                let mut methods: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
                methods.dedup();
                return Err(Problem::at("--set")
                    .found(format!("`{setting}`, but `{name}` is not run"))
                    .wanted(format!("settings of {}", methods.join(", ")))
                    .into());
            }
        }
        let of_user = self.settings.iter().map(|setting| ("--set".to_owned(), setting));
        let of_suite = self.suite_settings().map(|setting| (format!("suite `{}`", self.suite.name), setting));
        let of_rows =
            rows.iter().flat_map(|row| row.settings.iter().map(|s| (format!("study, \"{}\"", row.name), s)));
        for (place, setting) in of_user.chain(of_suite).chain(of_rows) {
            let wanted = match key(setting) {
                "seed" => "--seeds K: runs are made with the seeds 0 to K − 1",
                "method.name" => "--methods NAME,NAME: each row has a method of its own",
                _ => continue,
            };
            return Err(Problem::at(place).found(format!("`{setting}`")).wanted(wanted).into());
        }
        Ok(())
    }

    /// The command that makes the same again, wherever the data are.
    pub(super) fn command(&self) -> String {
        let suite = self.suite.file.as_ref().unwrap_or(&self.suite.name);
        let mut words = vec![format!("cloth bench {} --data DIR", quoted(suite))];
        let study = self.study.as_ref().map(|study| study.file.as_ref().unwrap_or(&study.name));
        words.extend(study.map(|study| format!("--study {}", quoted(study))));
        if !self.methods.is_empty() {
            words.push(format!("--methods {}", self.methods.join(",")));
        }
        if !self.tasks.is_empty() {
            // However they were written: an arrow would be a redirection.
            let asked = |task: &&Task| self.tasks.iter().any(|text| task.is(text));
            let tasks: Vec<String> = self.suite.tasks.iter().filter(asked).map(Task::plain).collect();
            words.push(format!("--tasks {}", quoted(&tasks.join(","))));
        }
        words.push(format!("--seeds {}", self.seeds));
        words.extend(self.preset.as_ref().map(|preset| format!("--preset {preset}")));
        words.extend(self.settings.iter().map(|setting| format!("--set {}", quoted(setting))));
        words.extend(self.features.as_ref().map(|features| format!("--features {}", quoted(features))));
        words.extend(self.oracle.then(|| "--oracle".to_owned()));
        words.join(" ")
    }
}

/// Whether no later setting sets the same.
fn is_last_word(all: &[&String], place: usize) -> bool {
    all[place + 1..].iter().all(|later| key(later) != key(all[place]))
}

/// What a setting sets.
fn key(setting: &str) -> &str {
    setting.split('=').next().unwrap_or_default().trim()
}

/// The method whose section a setting is in.
fn method_of(setting: &str) -> Option<&str> {
    let name = setting.trim().strip_prefix("method.")?.split(['.', '=']).next()?.trim();
    METHODS.iter().any(|entry| entry.name == name).then_some(name)
}
