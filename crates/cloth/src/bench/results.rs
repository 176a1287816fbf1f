//! `results.json`: all records of a plan.
//!
//! The layout is stable: while `version` stays the same, fields may be added but not renamed or removed. Measured
//! accuracies are shares from 0 to 1, the paper's are in percent, as printed. `bench/tests/results.json` is an example.

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

/// File name of the results.
const FILE: &str = "results.json";

/// The results of a bench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Version of the layout.
    pub version: u32,
    /// The conditions under which the results were made.
    pub stamp: Stamp,
    /// The rows of the table: methods, or variants of a study.
    pub rows: Vec<String>,
    /// The columns of the table: tasks, such as `A→W`.
    pub tasks: Vec<String>,
    /// Number of planned runs. If `runs` has fewer, the bench is incomplete.
    pub planned: usize,
    /// Accuracy of each row on each task, over seeds; row by row.
    pub cells: Vec<CellResult>,
    /// Means over all tasks, one entry per row.
    pub averages: Vec<Averages>,
    /// The paper's own numbers, which may come from other features, hardware and code.
    pub paper: Vec<PaperRow>,
    /// The records of all runs.
    pub runs: Vec<Record>,
}

/// Accuracy of a row on a task, over seeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// Name of the row.
    pub row: String,
    /// Name of the task.
    pub task: String,
    /// Accuracy from 0 to 1, over the seeds that gave a model; none if there are none.
    pub accuracy: Option<Spread>,
    /// Number of seeds without a model, because a loss became NaN or infinite.
    pub failed: usize,
}

/// Means over all tasks: first over the tasks of each seed, then over the seeds that have all tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Averages {
    /// Name of the row.
    pub row: String,
    /// Metrics by name, as in [`Record::metrics`].
    pub metrics: BTreeMap<String, Spread>,
    /// Duration of a run, in seconds; none if no seed has all tasks.
    pub seconds: Option<Spread>,
    /// Accuracy from 0 to 1 if target labels selected the iteration of each run; none if it was not requested.
    #[serde(default, rename = "ORACLE", skip_serializing_if = "Option::is_none")]
    pub oracle: Option<Spread>,
}

/// A row of one of the paper's tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaperRow {
    /// Name of the row in the paper.
    pub name: String,
    /// In a study, the measured row that it belongs to; none otherwise.
    pub row: Option<String>,
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

impl Results {
    /// Reads the existing records of a plan. Records of other settings or data have other file names and are not read.
    pub fn gather(plan: &BenchPlan) -> Result<Self> {
        let mut runs = Vec::new();
        for job in &plan.jobs {
            // Drop the ORACLE of an earlier bench if this one did not request it.
            let asked = |record: Record| Record { oracle: record.oracle.filter(|_| job.oracle), ..record };
            runs.extend(job.record()?.map(asked));
        }
        let rows: Vec<String> = plan.rows.iter().map(|row| row.name.clone()).collect();
        let tasks: Vec<String> = plan.tasks.iter().map(|task| task.name()).collect();
        let of_rows = plan.rows.iter().filter_map(|row| Some((Some(row.name.clone()), row.paper.as_ref()?)));
        // Means over all tasks are dropped if only some are run, so that nothing may be left of a row.
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

    /// Whether all planned runs were made.
    pub fn complete(&self) -> bool {
        self.runs.len() == self.planned
    }

    /// Pairs of seed and accuracy from 0 to 1, on a task or, without a task, averaged over all for the seeds that have
    /// all.
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

    /// Whether `other` has a run that is missing here, compared by row, task, seed, settings and data.
    pub fn lacks_some_of(&self, other: &Self) -> bool {
        fn key(run: &Record) -> (&str, &str, u64, &str, &str) {
            (&run.row, &run.task, run.seed, &run.config_hash, &run.data_hash)
        }
        let ours: BTreeSet<_> = self.runs.iter().map(key).collect();
        other.runs.iter().any(|run| !ours.contains(&key(run)))
    }

    /// Number of runs in which a loss became NaN or infinite.
    pub fn failed(&self) -> usize {
        self.runs.iter().filter(|run| run.failed.is_some()).count()
    }

    /// The text of `results.json`: one line per run, so that the file is compact and can be compared line by line.
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

    /// Writes `results.json` and the tables, and returns their paths.
    pub fn write(&self, output: &Path) -> Result<Vec<PathBuf>> {
        std::fs::create_dir_all(output).map_err(|e| Error::io("create", output, e))?;
        let mut files = vec![(output.join(FILE), self.json())];
        for format in tables::FORMATS {
            files.push((output.join(format.file), (format.write)(self)));
        }
        for (path, text) in &files {
            write_atomic(path, text.as_bytes())?;
        }
        // Removes the directory if it is empty, that is, if no run is interrupted.
        let _ = std::fs::remove_dir(output.join(TRAINING));
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }

    /// Whether a directory has a `results.json`.
    pub fn are_in(output: &Path) -> bool {
        output.join(FILE).is_file()
    }

    /// Reads results from a directory of bench results, or from a `results.json`.
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
                .help("they were made by a newer version of cloth")
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

/// The mean over all tasks of a seed; none if a task is missing, because the mean of other tasks is not comparable.
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
