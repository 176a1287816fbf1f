//! Suites: tasks between domains, the names of their files, and the paper's results.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::config::{PRESETS, from_toml};
use crate::error::{Error, Problem, Result};

/// The built-in suites, as name and TOML.
pub const SUITES: &[(&str, &str)] = &[
    ("digits", include_str!("suites/digits.toml")),
    ("office31", include_str!("suites/office31.toml")),
    ("officehome", include_str!("suites/officehome.toml")),
    ("imageclef", include_str!("suites/imageclef.toml")),
];

/// A set of tasks between domains.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Name by which the suite is found; also part of file names.
    pub name: String,
    /// Title for tables and reports.
    pub title: String,
    /// Names of the classes; empty if any classes will do.
    #[serde(default)]
    pub classes: Vec<String>,
    /// The tasks, in the order of the paper's table.
    pub tasks: Vec<Task>,
    /// The domains that the tasks name.
    pub domains: Vec<Domain>,
    /// Settings of every run, each `key=value`.
    #[serde(default)]
    pub settings: Vec<String>,
    /// Further settings by preset, such as the paper's network for the preset `paper`.
    #[serde(default)]
    pub presets: BTreeMap<String, Vec<String>>,
    /// Where to get the data, one place per entry.
    #[serde(default)]
    pub get: Vec<String>,
    /// The paper's results; none if the suite is not in the paper.
    #[serde(default)]
    pub paper: Option<PaperTable>,
    /// The file that the suite was read from; none if it is built in.
    #[serde(skip)]
    pub file: Option<String>,
}

/// Adaptation from one domain to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, String)", into = "(String, String)")]
pub struct Task {
    /// The labelled domain.
    pub source: String,
    /// The domain to adapt to.
    pub target: String,
}

/// A domain: rows that were collected in one way.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// Name of the domain in tasks.
    pub name: String,
    /// Possible file stems, without prefix, suffix and extension; the first is the usual one.
    pub files: Vec<String>,
}

/// A table of the paper.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperTable {
    /// Its number in the paper, such as `Table 2`.
    pub table: String,
    /// The features that the methods were trained on.
    pub features: String,
    /// The rows of the table.
    pub rows: Vec<PaperCells>,
}

/// A row of one of the paper's tables.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PaperCells {
    /// Name of the row in the paper.
    pub name: String,
    /// Accuracy on each task, in percent; empty if the paper prints only the mean.
    pub cells: Vec<f64>,
    /// The printed mean, in percent.
    pub mean: Option<f64>,
    /// How the printed mean differs from the mean of the cells; none if it does not.
    pub off: Option<String>,
    /// Number of trained parameters, in a table of times.
    pub parameters: Option<usize>,
    /// Seconds per batch, in a table of times.
    pub batch: Option<f64>,
    /// Seconds per run, in a table of times.
    pub total: Option<f64>,
}

impl From<(String, String)> for Task {
    fn from((source, target): (String, String)) -> Self {
        Self { source, target }
    }
}

impl From<Task> for (String, String) {
    fn from(task: Task) -> Self {
        (task.source, task.target)
    }
}

impl Task {
    /// The task as `A→W`.
    pub fn name(&self) -> String {
        format!("{}→{}", self.source, self.target)
    }

    /// The task as `A-W`, for file names and command lines.
    pub fn plain(&self) -> String {
        format!("{}-{}", self.source, self.target)
    }

    /// Whether `text` names this task: `A-W`, `A→W` or `A->W`, in upper or lower case.
    pub fn is(&self, text: &str) -> bool {
        let plain = text.replace("->", "-").replace('→', "-");
        plain.trim().eq_ignore_ascii_case(&self.plain())
    }
}

impl PaperCells {
    /// What is found and what is wanted; none if the number of cells fits the number of tasks.
    pub(super) fn misfit(&self, tasks: usize) -> Option<(String, String)> {
        let found = format!("{} cells", self.cells.len());
        let fits = self.cells.is_empty() || self.cells.len() == tasks;
        (!fits).then(|| (found, format!("{tasks}, one for each task, or none")))
    }
}

impl Suite {
    /// The built-in suite with this name or title, or the suite in the TOML file at this path.
    ///
    /// ```
    /// let suite = cloth::bench::Suite::find("Office-31")?;
    /// assert_eq!((suite.name.as_str(), suite.tasks.len()), ("office31", 6));
    /// # Ok::<(), cloth::Error>(())
    /// ```
    pub fn find(name: &str) -> Result<Self> {
        for (known, toml) in SUITES {
            let suite = Self::parse(toml, &format!("suite `{known}`"))?;
            if simple(&suite.name) == simple(name) || simple(&suite.title) == simple(name) {
                return Ok(suite);
            }
        }
        let suite = Self::parse(&own_file("suite", name, SUITES)?, name)?;
        Ok(Self { file: Some(name.to_owned()), ..suite })
    }

    /// Parses a suite and checks it. `place` names its origin in errors.
    pub fn parse(toml: &str, place: &str) -> Result<Self> {
        let suite: Self = from_toml(toml, place, "a suite: name, title, tasks and domains")?;
        suite.check(place)?;
        Ok(suite)
    }

    /// The domain with this name. Every domain that a task names exists.
    pub fn domain(&self, name: &str) -> Option<&Domain> {
        self.domains.iter().find(|domain| domain.name == name)
    }

    fn check(&self, place: &str) -> Result<()> {
        let wrong = |key: &str, found: String, wanted: &str| {
            Err(Problem::at(format!("{place}, `{key}`")).found(found).wanted(wanted).into())
        };
        check_name("name", &self.name, place)?;
        for (i, domain) in self.domains.iter().enumerate() {
            check_name("domains.name", &domain.name, place)?;
            if self.domains[..i].iter().any(|other| other.name == domain.name) {
                return wrong("domains.name", format!("{} twice", domain.name), "a unique name for each");
            }
            if domain.files.is_empty() {
                return wrong("domains.files", format!("none for {}", domain.name), "at least one name");
            }
        }
        if self.tasks.is_empty() {
            return wrong("tasks", "none".to_owned(), "at least one, such as [[\"A\", \"W\"]]");
        }
        for (i, task) in self.tasks.iter().enumerate() {
            if self.tasks[..i].contains(task) {
                return wrong("tasks", format!("{} twice", task.name()), "each once");
            }
            for name in [&task.source, &task.target] {
                if self.domain(name).is_none() {
                    let known: Vec<&str> = self.domains.iter().map(|domain| domain.name.as_str()).collect();
                    let wanted = format!("one of the domains: {}", known.join(", "));
                    return wrong("tasks", format!("the domain {name}"), &wanted);
                }
            }
        }
        if let Some(preset) = self.presets.keys().find(|name| PRESETS.iter().all(|p| p.name != **name)) {
            let known: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            return wrong("presets", format!("`{preset}`"), &known.join(" or "));
        }
        for row in self.paper.iter().flat_map(|paper| &paper.rows) {
            if let Some((found, wanted)) = row.misfit(self.tasks.len()) {
                return wrong("paper.rows", format!("{found} of {}", row.name), &wanted);
            }
        }
        Ok(())
    }
}

/// The text of a user's TOML file, or an error that lists the built-in names.
pub(super) fn own_file(kind: &str, name: &str, known: &[(&str, &str)]) -> Result<String> {
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "toml") && !path.is_file() {
        let known: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        return Err(Problem::at(kind)
            .found(format!("`{name}`"))
            .wanted(format!("{}, or a TOML file of your own", known.join(", ")))
            .into());
    }
    std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))
}

/// Checks a name that becomes part of file names.
pub(super) fn check_name(key: &str, name: &str, place: &str) -> Result<()> {
    let plain = |c: char| c.is_alphanumeric() || "._+".contains(c);
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with('.') {
        return Ok(());
    }
    Err(Problem::at(format!("{place}, `{key}`"))
        .found(format!("\"{name}\""))
        .wanted("letters, digits, dots and underscores: it becomes part of file names")
        .into())
}

/// A name without case and punctuation: `Office-31` is `office31`.
pub(super) fn simple(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Suite> {
        SUITES.iter().map(|(name, _)| Suite::find(name).unwrap()).collect()
    }

    #[test]
    fn every_suite_is_found_by_name_and_title_and_has_what_the_paper_has() {
        let sizes = [
            ("digits", 3, 10, 11),
            ("office31", 6, 31, 15),
            ("officehome", 12, 65, 12),
            ("imageclef", 6, 12, 15),
        ];
        for (suite, (name, tasks, classes, rows)) in all().iter().zip(sizes) {
            let paper = suite.paper.as_ref().unwrap();
            assert_eq!(suite.name, name);
            assert_eq!(
                (suite.tasks.len(), suite.classes.len(), paper.rows.len()),
                (tasks, classes, rows),
                "{name}"
            );
            assert_eq!(Suite::find(&suite.title).unwrap(), *suite);
            assert_eq!(paper.rows.last().unwrap().name, "CLOTH");
            assert!(!suite.get.is_empty());
        }
    }

    #[test]
    fn printed_means_are_those_of_the_cells_or_the_file_says_where_the_paper_is_off() {
        for suite in all() {
            for row in &suite.paper.as_ref().unwrap().rows {
                let mean = row.cells.iter().sum::<f64>() / row.cells.len() as f64;
                let printed = row.mean.unwrap();
                // A mean of x.x5 may be rounded either way.
                let agree = (mean - printed).abs() < 0.0501;
                assert_eq!(agree, row.off.is_none(), "{}: {} {mean} {printed}", suite.title, row.name);
            }
        }
    }

    #[test]
    fn tasks_are_written_in_several_ways() {
        let task = Task { source: "A".into(), target: "W".into() };
        assert!(["A-W", "a-w", "A→W", "A->W", " A-W"].iter().all(|text| task.is(text)));
        assert!(!task.is("W-A"));
        assert_eq!((task.name(), task.plain()), ("A→W".to_owned(), "A-W".to_owned()));
    }

    #[test]
    fn mistakes_in_a_suite_of_one_s_own_are_named() {
        let suite = |edit: (&str, &str)| {
            let toml = "name = \"mine\"\ntitle = \"Mine\"\ntasks = [[\"A\", \"B\"]]\n\
                        [[domains]]\nname = \"A\"\nfiles = [\"a\"]\n[[domains]]\nname = \"B\"\nfiles = [\"b\"]\n";
            Suite::parse(&toml.replace(edit.0, edit.1), "mine.toml")
        };
        assert_eq!(suite(("", "")).unwrap().tasks[0].name(), "A→B");
        for (edit, message) in [
            (
                ("[[\"A\", \"B\"]]", "[[\"A\", \"C\"]]"),
                "mine.toml, `tasks`: found the domain C, wanted one of the domains: A, B",
            ),
            (
                ("[[\"A\", \"B\"]]", "[]"),
                "mine.toml, `tasks`: found none, wanted at least one, such as [[\"A\", \"W\"]]",
            ),
            (
                ("\"mine\"", "\"mi/ne\""),
                "mine.toml, `name`: found \"mi/ne\", wanted letters, digits, dots and underscores: it becomes part of file names",
            ),
            (("[\"a\"]", "[]"), "mine.toml, `domains.files`: found none for A, wanted at least one name"),
        ] {
            assert_eq!(suite(edit).unwrap_err().to_string(), message);
        }
        let error = suite(("title = \"Mine\"", "titel = \"Mine\"")).unwrap_err().to_string();
        assert!(error.starts_with("mine.toml, line 2: found unknown field `titel`"), "{error}");
        let error = Suite::find("office-32").unwrap_err().to_string();
        assert!(
            error.starts_with("suite: found `office-32`, wanted digits, office31, officehome, imageclef"),
            "{error}"
        );
    }

    #[test]
    fn names_are_given_once_and_cells_fit_the_tasks() {
        let parse = |tasks: &str, domains: [&str; 2], rows: &str| {
            let [a, b] = domains.map(|name| format!("[[domains]]\nname = \"{name}\"\nfiles = [\"f\"]\n"));
            let head = format!("name = \"x\"\ntitle = \"X\"\ntasks = {tasks}\n{a}{b}");
            Suite::parse(
                &format!("{head}[paper]\ntable = \"T\"\nfeatures = \"F\"\nrows = [{rows}]"),
                "x.toml",
            )
        };
        let error = |tasks, domains, rows| parse(tasks, domains, rows).unwrap_err().to_string();
        let (task, domains) = (r#"[["A", "B"]]"#, ["A", "B"]);
        assert!(parse(task, domains, r#"{ name = "M", mean = 70.0 }"#).is_ok(), "a mean alone will do");
        let twice = error(r#"[["A", "B"], ["A", "B"]]"#, domains, "");
        assert!(twice.starts_with("x.toml, `tasks`: found A→B twice"), "{twice}");
        let twice = error(task, ["A", "A"], "");
        assert!(twice.starts_with("x.toml, `domains.name`: found A twice"), "{twice}");
        let cells = error(task, domains, r#"{ name = "M", cells = [1.0, 2.0] }"#);
        assert!(
            cells.starts_with("x.toml, `paper.rows`: found 2 cells of M, wanted 1, one for each task"),
            "{cells}"
        );
    }
}
