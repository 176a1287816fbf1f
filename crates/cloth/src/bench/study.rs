//! Studies: variants of one method, each the paper's table or figure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::suite::{PaperCells, Suite, Task, check_name, own_file, simple};
use crate::config::from_toml;
use crate::error::{Problem, Result};

/// The studies that come with the program, as name and TOML.
pub const STUDIES: &[(&str, &str)] = &[
    ("losses", include_str!("studies/losses.toml")),
    ("adversarial", include_str!("studies/adversarial.toml")),
    ("transport", include_str!("studies/transport.toml")),
    ("moments", include_str!("studies/moments.toml")),
    ("sharing", include_str!("studies/sharing.toml")),
    ("discriminator", include_str!("studies/discriminator.toml")),
    ("order", include_str!("studies/order.toml")),
    ("sensitivity", include_str!("studies/sensitivity.toml")),
    ("wasserstein", include_str!("studies/wasserstein.toml")),
    ("time", include_str!("studies/time.toml")),
    ("structure", include_str!("studies/structure.toml")),
];

/// Variants of one method.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Its name, also part of file names.
    pub name: String,
    /// What it asks.
    pub title: String,
    /// Where the paper has it.
    #[serde(default)]
    pub table: String,
    /// The method that is varied.
    pub method: String,
    /// What a reader of its table has to know.
    #[serde(default)]
    pub note: Option<String>,
    /// What its table shows.
    #[serde(default)]
    pub shows: Shows,
    /// The loss whose course is shown, for [`Shows::Curve`].
    #[serde(default)]
    pub curve: Option<String>,
    /// Iterations of each run, where fewer than the base's tell enough.
    #[serde(default)]
    pub iterations: Option<usize>,
    /// The paper's tasks, suite by suite; all tasks of a suite that is not here.
    #[serde(default)]
    pub tasks: BTreeMap<String, Vec<Task>>,
    /// The variants.
    pub variants: Vec<Variant>,
    /// The file it comes from, if it is somebody's own.
    #[serde(skip)]
    pub file: Option<String>,
}

/// What the table of a study shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    /// Accuracy of each variant on each task.
    #[default]
    Accuracy,
    /// A loss over training.
    Curve,
    /// Parameters and times.
    Time,
}

/// The base with some settings changed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// What the table calls it.
    pub name: String,
    /// Settings over those of the base.
    pub set: Vec<String>,
    /// What the paper reports, suite by suite, for the study's tasks in that suite.
    #[serde(default)]
    pub paper: BTreeMap<String, PaperCells>,
}

impl Study {
    /// The study of that name, or the one in that file.
    pub fn find(name: &str) -> Result<Self> {
        if let Some((known, toml)) = STUDIES.iter().find(|(known, _)| simple(known) == simple(name)) {
            return Self::parse(toml, &format!("study `{known}`"));
        }
        let study = Self::parse(&own_file("study", name, STUDIES)?, name)?;
        Ok(Self { file: Some(name.to_owned()), ..study })
    }

    /// Reads a study and checks it.
    pub fn parse(toml: &str, place: &str) -> Result<Self> {
        let study: Self = from_toml(toml, place, "a study: name, title, method and variants")?;
        check_name("name", &study.name, place)?;
        if study.variants.is_empty() {
            return Err(Problem::at(format!("{place}, `variants`"))
                .found("none")
                .wanted("at least one, with a name and settings")
                .into());
        }
        for (i, variant) in study.variants.iter().enumerate() {
            if study.variants[..i].iter().any(|other| other.name == variant.name) {
                return Err(Problem::at(format!("{place}, `variants`"))
                    .found(format!("two that are called \"{}\"", variant.name))
                    .wanted("a name of its own for each")
                    .into());
            }
        }
        if (study.shows == Shows::Curve) != study.curve.is_some() {
            return Err(Problem::at(format!("{place}, `curve`"))
                .found(study.curve.as_deref().unwrap_or("none"))
                .wanted("the name of a loss if, and only if, shows = \"curve\"")
                .into());
        }
        Ok(study)
    }

    /// The tasks of a suite that the study looks at.
    pub fn tasks(&self, suite: &Suite) -> Vec<Task> {
        self.tasks.get(&suite.name).unwrap_or(&suite.tasks).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Study> {
        STUDIES.iter().map(|(name, _)| Study::find(name).unwrap())
    }

    #[test]
    fn every_study_s_settings_are_valid_and_its_tasks_exist() {
        for study in all() {
            for variant in &study.variants {
                let mut layers = crate::Methods::builtin().layers(&study.method).unwrap();
                for setting in &variant.set {
                    layers = layers.set(setting).unwrap();
                }
                layers.build().unwrap();
            }
            for (suite, tasks) in &study.tasks {
                let suite = Suite::find(suite).unwrap();
                assert!(tasks.iter().all(|task| suite.tasks.contains(task)), "{}", study.name);
            }
        }
    }

    #[test]
    fn every_study_s_cells_fit_its_tasks_and_its_means_fit_its_cells() {
        for study in all() {
            for variant in &study.variants {
                for (suite, paper) in &variant.paper {
                    let tasks = study.tasks(&Suite::find(suite).unwrap()).len();
                    assert!([0, tasks].contains(&paper.cells.len()), "{} {}", study.name, variant.name);
                    if let (Some(printed), false) = (paper.mean, paper.cells.is_empty()) {
                        let mean = paper.cells.iter().sum::<f64>() / tasks as f64;
                        assert!((mean - printed).abs() < 0.0501, "{} {}", study.name, variant.name);
                    }
                }
            }
        }
    }

    #[test]
    fn the_paper_s_full_method_ends_the_table_of_losses() {
        let study = Study::find("losses").unwrap();
        assert_eq!(study.variants.len(), 7);
        for suite in ["office31", "imageclef"] {
            let table = Suite::find(suite).unwrap().paper.unwrap();
            assert_eq!(study.variants[6].paper[suite].mean, table.rows.last().unwrap().mean);
            assert_eq!(study.variants[0].paper[suite].mean, table.rows[0].mean, "row 1 is source only");
        }
    }

    #[test]
    fn what_is_no_study_is_said() {
        let error = Study::find("loses").unwrap_err().to_string();
        assert!(error.starts_with("study: found `loses`, wanted losses, adversarial"), "{error}");
        let error = Study::parse("name = \"x\"\ntitle = \"X\"\nmethod = \"cloth\"\nvariants = []", "x.toml")
            .unwrap_err();
        assert!(error.to_string().starts_with("x.toml, `variants`: found none"), "{error}");
        let twice = "name = \"x\"\ntitle = \"X\"\nmethod = \"cloth\"\nvariants = [{ name = \"a\", set = [] }, { name = \"a\", set = [] }]";
        let error = Study::parse(twice, "x.toml").unwrap_err().to_string();
        assert!(error.starts_with("x.toml, `variants`: found two that are called \"a\""), "{error}");
    }
}
