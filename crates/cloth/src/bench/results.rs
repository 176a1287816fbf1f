//! `results.json`: the records of a plan, put together.
//!
//! The layout is stable: fields are added, not renamed or removed, while `version` stays the same. Accuracies of ours are
//! shares from 0 to 1, the paper's are percent as printed. `bench/tests/results.json` is an example.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::job::TRAINING;
use super::plan::BenchPlan;
use super::record::{Record, VERSION};
use super::stamp::Stamp;
use super::suite::PaperCells;
use super::tables;
use crate::atomic::write_atomic;
use crate::error::{Error, Problem, Result};
use crate::eval::Spread;

/// What `results.json` is called.
const FILE: &str = "results.json";

/// Everything that a bench gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The layout of the file.
    pub version: u32,
    /// Under which conditions it was made.
    pub stamp: Stamp,
    /// The rows of the table: methods, or variants of a study.
    pub rows: Vec<String>,
    /// Its columns: `A→W`.
    pub tasks: Vec<String>,
    /// How many runs the plan has; fewer in `runs` means that it was interrupted.
    pub planned: usize,
    /// Accuracy of each row on each task, over seeds.
    pub cells: Vec<CellResult>,
    /// Means over all tasks, row by row.
    pub averages: Vec<Averages>,
    /// The paper's own cells: other features, other hardware, other code.
    pub paper: Vec<PaperRow>,
    /// Every run.
    pub runs: Vec<Record>,
}

/// Accuracy of a row on a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// The row.
    pub row: String,
    /// The task.
    pub task: String,
    /// From 0 to 1, over the seeds that gave a model.
    pub accuracy: Option<Spread>,
    /// How many seeds gave none, because a loss was no longer a number.
    pub failed: usize,
}

/// Means over all tasks: first over the tasks of a seed, then over the seeds that have all tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Averages {
    /// The row.
    pub row: String,
    /// Metrics by name, as in the runs.
    pub metrics: BTreeMap<String, Spread>,
    /// Seconds of a run.
    pub seconds: Option<Spread>,
    /// Accuracy, from 0 to 1, if each run's iteration were chosen with target labels.
    #[serde(default, rename = "ORACLE", skip_serializing_if = "Option::is_none")]
    pub oracle: Option<Spread>,
}

/// A row of one of the paper's tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaperRow {
    /// What the paper calls it.
    pub name: String,
    /// The row of ours that it is about, in a study.
    pub row: Option<String>,
    /// Percent, task by task; empty where only the mean is printed.
    pub cells: Vec<f64>,
    /// The mean that is printed.
    pub mean: Option<f64>,
    /// How the printed mean differs from that of the cells, where it does.
    pub off: Option<String>,
    /// Numbers that are trained, in a table of times.
    pub parameters: Option<usize>,
    /// Seconds a batch, in a table of times.
    pub batch: Option<f64>,
    /// Seconds of a run, in a table of times.
    pub total: Option<f64>,
}

impl Results {
    /// Gathers the records that are there. Those of other settings or other data have other names and stay out.
    pub fn gather(plan: &BenchPlan) -> Result<Self> {
        let mut runs = Vec::new();
        for job in &plan.jobs {
            // What an earlier bench with an ORACLE chose has no place in a table that has none.
            let asked = |record: Record| Record { oracle: record.oracle.filter(|_| job.oracle), ..record };
            runs.extend(job.record()?.map(asked));
        }
        let rows: Vec<String> = plan.rows.iter().map(|row| row.name.clone()).collect();
        let tasks: Vec<String> = plan.tasks.iter().map(|task| task.name()).collect();
        let of_rows = plan.rows.iter().filter_map(|row| Some((Some(row.name.clone()), row.paper.as_ref()?)));
        // A mean over all tasks says nothing about some of them, and then nothing may be left of a row.
        let says_something =
            |paper: &PaperCells| !paper.cells.is_empty() || paper.mean.is_some() || paper.batch.is_some();
        let paper = of_rows.chain(plan.paper.iter().map(|paper| (None, paper)));
        let paper = paper.filter(|(_, paper)| says_something(paper));
        let paper = paper.map(|(row, paper)| PaperRow {
            name: row.clone().unwrap_or_else(|| paper.name.clone()),
            row,
            cells: paper.cells.clone(),
            mean: paper.mean,
            off: paper.off.clone(),
            parameters: paper.parameters,
            batch: paper.batch,
            total: paper.total,
        });
        Ok(Self {
            version: VERSION,
            stamp: plan.stamp.clone(),
            planned: plan.jobs.len(),
            cells: cells(&rows, &tasks, &runs),
            averages: rows.iter().map(|row| averages(row, &tasks, &plan.stamp.seeds, &runs)).collect(),
            paper: paper.collect(),
            rows,
            tasks,
            runs,
        })
    }

    /// Whether every run was made.
    pub fn complete(&self) -> bool {
        self.runs.len() == self.planned
    }

    /// Accuracy, from 0 to 1, seed by seed: on a task, or on average over all, for the seeds that have all.
    pub fn accuracies(&self, row: &str, task: Option<&str>) -> Vec<(u64, f64)> {
        let accuracy = |run: &Record| run.metric("accuracy");
        let of_seed = |&seed: &u64| match task {
            None => over_tasks(&self.runs, row, &self.tasks, seed, &accuracy),
            Some(task) => {
                let here = |run: &&Record| run.row == row && run.task == task && run.seed == seed;
                self.runs.iter().find(here).and_then(accuracy)
            }
        };
        self.stamp.seeds.iter().filter_map(|seed| Some((*seed, of_seed(seed)?))).collect()
    }

    /// Whether `other` has a run that is not in here: of another row, task or seed, or of other settings or data.
    pub fn lacks_some_of(&self, other: &Self) -> bool {
        fn key(run: &Record) -> (&str, &str, u64, &str, &str) {
            (&run.row, &run.task, run.seed, &run.config_hash, &run.data_hash)
        }
        let ours: BTreeSet<_> = self.runs.iter().map(key).collect();
        other.runs.iter().any(|run| !ours.contains(&key(run)))
    }

    /// How many runs ended in a loss that was no longer a number.
    pub fn failed(&self) -> usize {
        self.runs.iter().filter(|run| run.failed.is_some()).count()
    }

    /// `results.json`: a line for each run, so that a file of a thousand can be kept, and two be compared.
    pub(super) fn json(&self) -> String {
        let head = Self { runs: Vec::new(), ..self.clone() };
        let head = serde_json::to_string_pretty(&head).expect("results are plain data");
        let head = head.strip_suffix("[]\n}").expect("the runs come last");
        let line = |run| serde_json::to_string(run).expect("records are plain data");
        let runs: Vec<String> = self.runs.iter().map(line).collect();
        let indent = "\n    ";
        match runs.is_empty() {
            true => format!("{head}[]\n}}\n"),
            false => format!("{head}[{indent}{}\n  ]\n}}\n", runs.join(&format!(",{indent}"))),
        }
    }

    /// Writes `results.json` and the tables, and returns their names.
    pub fn write(&self, output: &Path) -> Result<Vec<PathBuf>> {
        std::fs::create_dir_all(output).map_err(|e| Error::io("create", output, e))?;
        let mut files = vec![(output.join(FILE), self.json())];
        for format in tables::FORMATS {
            files.push((output.join(format.file), (format.write)(self)));
        }
        for (path, text) in &files {
            write_atomic(path, text.as_bytes())?;
        }
        // Empty once no run is in the middle; then it is of no use.
        let _ = std::fs::remove_dir(output.join(TRAINING));
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }

    /// Whether a directory has results.
    pub fn are_in(output: &Path) -> bool {
        output.join(FILE).is_file()
    }

    /// Reads the results in a directory that `cloth bench` wrote, or in their file.
    pub fn read(output: &Path) -> Result<Self> {
        let path = if output.is_file() { output.to_owned() } else { output.join(FILE) };
        if output.is_dir() && !path.exists() {
            return Err(Problem::in_file(output)
                .found(format!("no {FILE}"))
                .wanted("a directory of bench results")
                .into());
        }
        let text = std::fs::read_to_string(&path).map_err(|e| Error::io("read", &path, e))?;
        let results: Self = serde_json::from_str(&text)
            .map_err(|error| Problem::in_file(&path).found(error).wanted("the results of a bench"))?;
        if results.version > VERSION {
            return Err(Problem::in_file(&path)
                .found(format!("version {}", results.version))
                .wanted(format!("{VERSION} or lower"))
                .help("they were made by a newer cloth")
                .into());
        }
        Ok(results)
    }
}

fn cells(rows: &[String], tasks: &[String], runs: &[Record]) -> Vec<CellResult> {
    let cell = |row: &String, task: &String| {
        let here = || runs.iter().filter(|run| run.row == *row && run.task == *task);
        CellResult {
            row: row.clone(),
            task: task.clone(),
            accuracy: Spread::of(here().filter_map(|run| run.metric("accuracy"))),
            failed: here().filter(|run| run.failed.is_some()).count(),
        }
    };
    rows.iter().flat_map(|row| tasks.iter().map(move |task| cell(row, task))).collect()
}

fn averages(row: &str, tasks: &[String], seeds: &[u64], runs: &[Record]) -> Averages {
    let over = |value: &dyn Fn(&Record) -> Option<f64>| {
        Spread::of(seeds.iter().filter_map(|&seed| over_tasks(runs, row, tasks, seed, value)))
    };
    let names: BTreeSet<&String> =
        runs.iter().filter(|run| run.row == row).flat_map(|run| run.metrics.keys()).collect();
    let metric = |name: &&String| Some(((*name).clone(), over(&|run| run.metric(name))?));
    Averages {
        row: row.to_owned(),
        metrics: names.iter().filter_map(metric).collect(),
        seconds: over(&|run| Some(run.timing.total(run.iterations))),
        oracle: over(&|run| Some(run.oracle?.accuracy)),
    }
}

/// The mean over all tasks of a seed. One that lacks a task would be averaged over easier or harder ones than the others.
fn over_tasks(
    runs: &[Record],
    row: &str,
    tasks: &[String],
    seed: u64,
    value: &dyn Fn(&Record) -> Option<f64>,
) -> Option<f64> {
    let here = runs.iter().filter(|run| run.row == row && run.seed == seed);
    let values: Vec<f64> = here.filter_map(value).collect();
    (values.len() == tasks.len()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
