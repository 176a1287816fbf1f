//! The request of a bench, and the configurations that follow from it.

use std::path::PathBuf;

use super::job::Job;
use super::plan::Row;
use super::study::Study;
use super::suite::Suite;
use crate::config::{Config, Layers, PRESETS};
use crate::error::{Problem, Result};
use crate::method::Methods;

/// The request of a bench: what to run, on which data, with which settings.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The suite whose tasks are run.
    pub suite: Suite,
    /// The study to run; none to compare methods.
    pub study: Option<Study>,
    /// The available methods.
    pub available: Methods,
    /// Names of the methods to compare; empty for all available ones.
    pub methods: Vec<String>,
    /// Tasks to run, such as `A-W`; empty for all.
    pub tasks: Vec<String>,
    /// Number of seeds, counted from 0.
    pub seeds: u64,
    /// Name of the preset; none for the first.
    pub preset: Option<String>,
    /// Settings over preset and suite, each `key=value`.
    pub settings: Vec<String>,
    /// Directory of the data files.
    pub data: PathBuf,
    /// Description of the features, for the tables.
    pub features: Option<String>,
    /// Output directory of the results.
    pub output: PathBuf,
    /// Whether to measure target accuracy during training, for the ORACLE.
    pub oracle: bool,
    /// Whether to keep run directories with their models.
    pub keep: bool,
    /// Command that reproduces the results, for their readers.
    pub command: Option<String>,
}

impl Request {
    /// Every built-in method on every task of a suite, with five seeds: `data` holds the files, `output` gets the
    /// results.
    pub fn new(suite: Suite, data: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            suite,
            study: None,
            available: Methods::builtin(),
            methods: Vec::new(),
            tasks: Vec::new(),
            seeds: 5,
            preset: None,
            settings: Vec::new(),
            data: data.into(),
            features: None,
            output: output.into(),
            oracle: false,
            keep: false,
            command: None,
        }
    }

    pub(super) fn preset(&self) -> &str {
        self.preset.as_deref().unwrap_or(PRESETS[0].name)
    }

    /// The settings of the suite under this preset.
    fn suite_settings(&self) -> impl Iterator<Item = &String> {
        let of_preset = self.suite.presets.get(self.preset()).into_iter().flatten();
        self.suite.settings.iter().chain(of_preset)
    }

    /// The settings of the suite that apply to some of `jobs` and are not overridden.
    pub(super) fn suite_settings_in_force(&self, jobs: &[Job]) -> Vec<String> {
        let is_run = |name: &str| jobs.iter().any(|job| job.config.method.name == name);
        let all: Vec<&String> = self.suite_settings().chain(&self.settings).collect();
        let in_force = |&(place, setting): &(usize, &String)| {
            self.method_of(setting).is_none_or(is_run) && is_last_word(&all, place)
        };
        self.suite_settings().enumerate().filter(in_force).map(|(_, setting)| setting.clone()).collect()
    }

    /// The requested settings, only the last of each key.
    pub(super) fn settings_in_force(&self) -> Vec<String> {
        let all: Vec<&String> = self.settings.iter().collect();
        (0..all.len()).filter(|&place| is_last_word(&all, place)).map(|place| all[place].clone()).collect()
    }

    /// The base configuration: preset, suite and settings, each over the ones before. `label` is the label column;
    /// empty unless it has to be named.
    pub(super) fn base(&self, method: &str, label: &str) -> Result<Layers> {
        let mut layers = self.available.layers(method)?.preset(self.preset())?;
        let place = format!("suite `{}`", self.suite.name);
        // Settings in the section of another method do not apply.
        let meant = |setting: &&String| self.method_of(setting).is_none_or(|name| name == method);
        for setting in self.suite_settings().filter(meant) {
            layers = layers.set_from(setting, Some(&place))?;
        }
        if !label.is_empty() {
            layers = layers.set_from(&format!("data.label={}", toml::Value::from(label)), Some(&place))?;
        }
        for setting in self.settings.iter().filter(meant) {
            layers = layers.set(setting)?;
        }
        Ok(layers)
    }

    /// The configuration of a row. The variant's settings come last and override all others.
    pub(super) fn config(&self, row: &Row, label: &str) -> Result<Config> {
        let mut layers = self.base(&row.method, label)?;
        if let Some(study) = &self.study {
            let place = format!("study `{}`", study.name);
            let shorter = study.iterations.map(|iterations| format!("train.iterations={iterations}"));
            for setting in row.settings.iter().chain(&shorter) {
                layers = layers.set_from(setting, Some(&place))?;
            }
        }
        layers.build()
    }

    /// Rejects settings without effect, and settings that the bench sets itself.
    pub(super) fn check_settings(&self, rows: &[Row]) -> Result<()> {
        for setting in &self.settings {
            if let Some(name) =
                self.method_of(setting).filter(|name| rows.iter().all(|row| row.method != *name))
            {
                let mut methods: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
                methods.dedup();
                return Err(Problem::at("settings")
                    .found(format!("`{setting}`, but `{name}` is not run"))
                    .wanted(format!("settings of {}", methods.join(", ")))
                    .into());
            }
        }
        let of_user = self.settings.iter().map(|setting| ("settings".to_owned(), setting));
        let of_suite = self.suite_settings().map(|setting| (format!("suite `{}`", self.suite.name), setting));
        let of_rows =
            rows.iter().flat_map(|row| row.settings.iter().map(|s| (format!("study, \"{}\"", row.name), s)));
        for (place, setting) in of_user.chain(of_suite).chain(of_rows) {
            let wanted = match key(setting) {
                "seed" => "`bench.seeds`: runs are made with the seeds 0 to K − 1",
                "method.name" => "`bench.methods`: each row has a method of its own",
                _ => continue,
            };
            return Err(Problem::at(place).found(format!("`{setting}`")).wanted(wanted).into());
        }
        Ok(())
    }

    /// The method whose section a setting is in; none if it is in no method's section.
    fn method_of<'a>(&self, setting: &'a str) -> Option<&'a str> {
        let name = setting.trim().strip_prefix("method.")?.split(['.', '=']).next()?.trim();
        self.available.contains(name).then_some(name)
    }
}

/// Whether no later setting has the same key.
fn is_last_word(all: &[&String], place: usize) -> bool {
    all[place + 1..].iter().all(|later| key(later) != key(all[place]))
}

/// The key of a setting.
fn key(setting: &str) -> &str {
    setting.split('=').next().unwrap_or_default().trim()
}
