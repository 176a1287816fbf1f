//! Studies: variants of one method, most of them a table or figure of the paper.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::suite::{PaperCells, Suite, Task, check_name, own_file, simple};
use crate::config::from_toml;
use crate::error::{Problem, Result};

/// The built-in studies, as name and TOML.
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

/// A comparison of variants of one method.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Name by which the study is found; also part of file names.
    pub name: String,
    /// Title for tables and reports.
    pub title: String,
    /// The paper's table or figure, such as `Table 5`; empty if it is not in the paper.
    #[serde(default)]
    pub table: String,
    /// The method that is varied.
    pub method: String,
    /// Note that readers of its table need.
    #[serde(default)]
    pub note: Option<String>,
    /// What its table shows.
    #[serde(default)]
    pub shows: Shows,
    /// The loss whose curve is shown, if and only if `shows` is [`Shows::Curve`].
    #[serde(default)]
    pub curve: Option<String>,
    /// Iterations of each run; none for those of the base.
    #[serde(default)]
    pub iterations: Option<usize>,
    /// The paper's tasks by suite. All tasks of a suite that is not listed are run.
    #[serde(default)]
    pub tasks: BTreeMap<String, Vec<Task>>,
    /// The variants, in the order of the table's rows.
    pub variants: Vec<Variant>,
    /// The file that the study was read from; none if it is built in.
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
    /// The curve of a loss over training.
    Curve,
    /// Number of parameters and training time.
    Time,
}

/// The base configuration with some settings changed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Name of the row in the table.
    pub name: String,
    /// Settings over those of the base, each `key=value`.
    pub set: Vec<String>,
    /// The paper's results by suite, for the study's tasks in that suite.
    #[serde(default)]
    pub paper: BTreeMap<String, PaperCells>,
}

impl Study {
    /// The built-in study with this name, or the study in the TOML file at this path.
    pub fn find(name: &str) -> Result<Self> {
        if let Some((known, toml)) = STUDIES.iter().find(|(known, _)| simple(known) == simple(name)) {
            return Self::parse(toml, &format!("study `{known}`"));
        }
        let study = Self::parse(&own_file("study", name, STUDIES)?, name)?;
        Ok(Self { file: Some(name.to_owned()), ..study })
    }

    /// Parses a study and checks it. `place` names its origin in errors.
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
                    .found(format!("two with the name \"{}\"", variant.name))
                    .wanted("a unique name for each")
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

    /// The tasks of a suite that the study runs.
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
        assert!(error.starts_with("x.toml, `variants`: found two with the name \"a\""), "{error}");
    }
}
