//! Plans all runs of a suite or a study: every configuration and every file is checked before training.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::hashes::{config_hash, file_hash};
use super::job::Job;
use super::locate::{Located, locate};
use super::request::Request;
use super::run::check_classes;
use super::stamp::Stamp;
use super::study::{Shows, Variant};
use super::suite::{PaperCells, Task};
use crate::config::Config;
use crate::data::{self, Layout, ReadOptions, Shape, Source, Unlabelled};
use crate::error::{Problem, Result};
use crate::hash::Hash;
use crate::words::one_line;

/// A row of the table: a method, or a variant of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the row in the table.
    pub name: String,
    /// Name of the method.
    pub method: String,
    /// Settings over those of the base, each `key=value`.
    pub settings: Vec<String>,
    /// The paper's results of this variant; none if it has none.
    pub paper: Option<PaperCells>,
}

/// The runs of a bench in order: all tasks and rows with the first seed, then with the second.
#[derive(Debug, Clone)]
pub struct BenchPlan {
    /// The rows of the table, in order.
    pub rows: Vec<Row>,
    /// The columns of the table.
    pub tasks: Vec<Task>,
    /// All runs, in order.
    pub jobs: Vec<Job>,
    /// The conditions under which the runs are made.
    pub stamp: Stamp,
    /// The paper's results on these tasks that belong to no row of the plan.
    pub paper: Vec<PaperCells>,
    /// Output directory of the results.
    pub output: PathBuf,
}

impl BenchPlan {
    /// Finds the files, builds the configurations and hashes both. `reading` is called before each file is read,
    /// because large files take a while.
    pub fn make(mut request: Request, reading: &mut dyn FnMut(&Path)) -> Result<Self> {
        // It is part of the command printed below the tables.
        request.features = request.features.map(|words| one_line(&words));
        let tasks = tasks(&request)?;
        let rows = rows(&request, &tasks)?;
        request.check_settings(&rows)?;
        let n_classes = Some(request.suite.classes.len()).filter(|&n| n > 0);
        let (mut hashes, mut counted) = (HashMap::new(), HashSet::new());
        let mut jobs = Vec::new();
        let mut shape = None;
        for task in &tasks {
            let files = locate(&request.suite, task, &request.data)?;
            let (label, found) = look(&files, &ReadOptions::of(&request.config(&rows[0], "")?.data))?;
            shape.get_or_insert(found);
            let data_hash = data_hash(&files, &mut hashes, reading)?;
            // Directories of images are checked by their first run, because decoding all images takes long.
            if n_classes.is_some() && files.source.is_file() && counted.insert(files.source.clone()) {
                reading(&files.source);
                let options = ReadOptions::of(&request.config(&rows[0], &label)?.data);
                check_classes(&files.source, Source::load(&files.source, &options)?.classes(), n_classes)?;
            }
            for row in &rows {
                let config = request.config(row, &label)?;
                let revision = request.available.find(&config.method.name)?.revision();
                let config_hash = config_hash(&config, revision);
                for seed in 0..request.seeds {
                    jobs.push(Job {
                        row: row.name.clone(),
                        task: task.name(),
                        seed,
                        config: Config { seed, ..config.clone() },
                        files: files.clone(),
                        n_classes,
                        revision,
                        config_hash: config_hash.clone(),
                        data_hash: data_hash.clone(),
                        oracle: request.oracle,
                        curve: request.study.as_ref().and_then(|study| study.curve.clone()),
                        keep: request.keep,
                        output: request.output.clone(),
                    });
                }
            }
        }
        // A full table with one seed is worth more than all seeds of one cell. The sort is stable.
        jobs.sort_by_key(|job| job.seed);
        let Some(first) = jobs.first() else {
            return Err(Problem::at("seeds").found(request.seeds).wanted("at least 1").into());
        };
        let stamp = Stamp::of(&request, first, &jobs, shape.as_deref().unwrap_or_default())?;
        let paper = paper_rows(&request, &tasks);
        Ok(Self { rows, tasks, jobs, stamp, paper, output: request.output })
    }

    /// Whether runs must be made one at a time, because their time is measured.
    pub fn alone(&self) -> bool {
        self.stamp.shows == Shows::Time
    }
}

/// The rows of the table.
fn rows(request: &Request, tasks: &[Task]) -> Result<Vec<Row>> {
    if let Some(study) = &request.study {
        request.available.find(&study.method)?;
        let all = study.tasks(&request.suite);
        for variant in &study.variants {
            let paper = variant.paper.get(&request.suite.name);
            if let Some((found, wanted)) = paper.and_then(|paper| paper.misfit(all.len())) {
                let place =
                    format!("study `{}`, \"{}\", `paper.{}`", study.name, variant.name, request.suite.name);
                return Err(Problem::at(place).found(found).wanted(wanted).into());
            }
        }
        let row = |variant: &Variant| Row {
            name: variant.name.clone(),
            method: study.method.clone(),
            settings: variant.set.clone(),
            paper: variant.paper.get(&request.suite.name).map(|paper| cut(paper, &all, tasks)),
        };
        return Ok(study.variants.iter().map(row).collect());
    }
    let all: Vec<String> = request.available.names().into_iter().map(str::to_owned).collect();
    let names = if request.methods.is_empty() { &all } else { &request.methods };
    let mut rows: Vec<Row> = Vec::new();
    for name in names {
        let name = request.available.find(name.trim())?.name().to_owned();
        if rows.iter().all(|row| row.name != name) {
            rows.push(Row { method: name.clone(), name, settings: Vec::new(), paper: None });
        }
    }
    Ok(rows)
}

/// The columns of the table.
fn tasks(request: &Request) -> Result<Vec<Task>> {
    let Request { suite, study, .. } = request;
    let all = study.as_ref().map_or_else(|| suite.tasks.clone(), |study| study.tasks(suite));
    let known = || all.iter().map(Task::plain).collect::<Vec<_>>().join(", ");
    let unknown = |text: &str| {
        Problem::setting("bench.tasks").found(format!("`{text}`")).wanted(format!("some of {}", known()))
    };
    if let Some(text) = request.tasks.iter().find(|text| !all.iter().any(|task| task.is(text))) {
        return Err(unknown(text).into());
    }
    let wanted = |task: &&Task| request.tasks.is_empty() || request.tasks.iter().any(|text| task.is(text));
    let tasks: Vec<Task> = all.iter().filter(wanted).cloned().collect();
    match tasks.iter().find(|task| !suite.tasks.contains(task)) {
        Some(task) => Err(Problem::at(format!("study, suite `{}`", suite.name))
            .found(format!("the task {}", task.name()))
            .wanted("a task of the suite")
            .into()),
        None => Ok(tasks),
    }
}

/// The label column, empty unless it must be named, and a description of the rows.
///
/// Feature collections in CSV have no header, and the label is the last column. Files whose headers do not fit are
/// reported here, and not only when their task is run.
fn look(files: &Located, options: &ReadOptions) -> Result<(String, String)> {
    let schema = data::inspect(&files.source, options)?;
    let unnamed =
        schema.label.is_none() && schema.columns.is_none() && ["csv", "tsv"].contains(&schema.format);
    let (label, shape) = match schema.shape {
        Shape::Flat(columns) if unnamed && options.label.is_none() => {
            (columns.to_string(), Shape::Flat(columns - 1))
        }
        shape => (String::new(), shape),
    };
    let mut options = options.clone();
    if !label.is_empty() {
        options.label = Some(label.clone());
    }
    let layout = Layout { shape, columns: schema.columns };
    for path in [files.target.as_path(), files.scored()] {
        Unlabelled::open(path, &options, &layout)?;
    }
    for path in [files.source.as_path(), files.scored()] {
        if data::inspect(path, &options)?.label.is_none() {
            return Err(Problem::in_file(path)
                .found("no labels")
                .wanted("source labels for training, and target labels for scoring after it")
                .into());
        }
    }
    Ok((label, format!("{shape}, {}", schema.format)))
}

fn data_hash(
    files: &Located,
    known: &mut HashMap<PathBuf, String>,
    reading: &mut dyn FnMut(&Path),
) -> Result<String> {
    let mut hash = Hash::new();
    for path in [Some(&files.source), Some(&files.target), files.test.as_ref()] {
        let Some(path) = path else {
            hash.text("");
            continue;
        };
        let of_file = match known.get(path) {
            Some(of_file) => of_file.clone(),
            None => {
                reading(path);
                let of_file = file_hash(path)?;
                known.insert(path.clone(), of_file.clone());
                of_file
            }
        };
        hash.text(&of_file);
    }
    Ok(hash.digits())
}

/// The paper's results that belong to no row of the plan, restricted to these tasks.
fn paper_rows(request: &Request, tasks: &[Task]) -> Vec<PaperCells> {
    match (&request.study, &request.suite.paper) {
        (None, Some(table)) => table.rows.iter().map(|row| cut(row, &request.suite.tasks, tasks)).collect(),
        _ => Vec::new(),
    }
}

/// The cells of these tasks. If they are not all tasks, the printed mean is dropped.
fn cut(row: &PaperCells, all: &[Task], tasks: &[Task]) -> PaperCells {
    if all == tasks {
        return row.clone();
    }
    let cell = |task: &Task| row.cells.get(all.iter().position(|other| other == task)?).copied();
    PaperCells { cells: tasks.iter().filter_map(cell).collect(), mean: None, off: None, ..row.clone() }
}
