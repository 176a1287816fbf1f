//! Progress of a bench: on a terminal, a table of methods and tasks that fills in; otherwise, a line for each run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use cloth::bench::{BenchPlan, Estimate, Job, Progress, Record, Update};

use crate::progress::{Console, LOG, left_text};
use crate::table::Table;
use crate::text::{count, duration, percent};

/// Time between two drawings of the table.
const REDRAW: Duration = Duration::from_millis(200);

/// Progress of all runs of a bench, and their results so far.
pub(crate) struct Board<'a> {
    console: &'a Console,
    plan: &'a BenchPlan,
    todo: &'a [&'a Job],
    /// Accuracies of finished runs by row and task; `None` for a failed run.
    cells: BTreeMap<(String, String), Vec<Option<f64>>>,
    /// Iterations done and in total of each active run, by its place in `todo`.
    running: BTreeMap<usize, (usize, usize)>,
    /// Runs whose first warning has been shown.
    warned: BTreeSet<usize>,
    made: usize,
    estimate: Estimate,
    started: Instant,
    next: Instant,
}

impl<'a> Board<'a> {
    pub(crate) fn new(
        console: &'a Console,
        plan: &'a BenchPlan,
        todo: &'a [&'a Job],
        workers: usize,
    ) -> cloth::Result<Self> {
        let mut board = Self {
            console,
            plan,
            todo,
            cells: BTreeMap::new(),
            running: BTreeMap::new(),
            warned: BTreeSet::new(),
            made: plan.jobs.len() - todo.len(),
            estimate: Estimate::new(todo, workers),
            started: Instant::now(),
            next: Instant::now(),
        };
        for job in &plan.jobs {
            if let Some(record) = job.record()? {
                board.estimate.learn(&record.row, record.timing.seconds, record.timing.iterations);
                board.keep(&record);
            }
        }
        if board.made > 0 {
            console.note(&format!(
                "{} of {} runs were already made",
                count(board.made),
                count(plan.jobs.len())
            ));
        }
        Ok(board)
    }

    fn keep(&mut self, record: &Record) {
        let cell = self.cells.entry((record.row.clone(), record.task.clone())).or_default();
        cell.push(record.metric("accuracy").filter(|_| record.failed.is_none()));
    }

    pub(crate) fn see(&mut self, progress: Progress) {
        match progress {
            Progress::Started(place) => {
                self.running.insert(place, (0, 0));
            }
            Progress::Update(place, Update::Iteration { iteration, iterations }) => {
                self.running.insert(place, (iteration, iterations));
                self.estimate.iteration(place, iteration, self.started.elapsed().as_secs_f64());
            }
            // Only the first warning of a run is shown; its record has all of them.
            Progress::Update(place, Update::Warning(text)) if self.warned.insert(place) => {
                self.console.warn_above(&format!("{}: {text}", name(self.todo[place])));
            }
            Progress::Update(_, Update::Warning(_)) | Progress::Tick => {}
            Progress::Finished(place, record) => {
                self.running.remove(&place);
                self.made += 1;
                self.estimate.finished(place, &record);
                self.keep(&record);
                self.log(&record, self.todo[place]);
            }
        }
        if Instant::now() >= self.next {
            self.show();
        }
    }

    /// Prints a line for a finished run if there is no live table.
    fn log(&mut self, record: &Record, job: &Job) {
        if self.console.is_live() {
            return;
        }
        let score = match (&record.failed, record.metric("accuracy")) {
            (Some(failed), _) => format!("failed, {failed}"),
            (None, accuracy) => accuracy.map_or(String::new(), percent),
        };
        let took = duration(record.timing.seconds);
        self.console.line(&format!("{} {}: {score} in {took}{}", self.position(), name(job), self.left()));
        self.next = Instant::now() + LOG;
    }

    fn position(&self) -> String {
        format!("[{}/{}]", count(self.made), count(self.plan.jobs.len()))
    }

    fn left(&self) -> String {
        match self.estimate.seconds_left() {
            Some(seconds) if self.made < self.plan.jobs.len() => format!(", about {}", left_text(seconds)),
            _ => String::new(),
        }
    }

    fn show(&mut self) {
        let running = self.running.iter().map(|(&place, &(iteration, iterations))| match iterations {
            0 => name(self.todo[place]),
            _ => format!("{} {}", name(self.todo[place]), share(iteration, iterations)),
        });
        let running: Vec<String> = running.collect();
        // The time left comes first, because a narrow window cuts off the end.
        let status = match (running.is_empty(), self.left().strip_prefix(", ")) {
            (true, _) => self.position(),
            (false, None) => format!("{} {}", self.position(), running.join(", ")),
            (false, Some(left)) => format!("{} {left}: {}", self.position(), running.join(", ")),
        };
        if !self.console.is_live() {
            if self.next <= Instant::now() && !running.is_empty() {
                self.console.line(&status);
            }
            self.next = Instant::now() + LOG;
            return;
        }
        self.next = Instant::now() + REDRAW;
        let (height, width) = self.console.size();
        let fits = |table: &Table| table.width() <= width && table.height() + 2 < height;
        let tables = [self.table(false), self.table(true), self.summary()];
        let mut lines: Vec<String> = Vec::new();
        if let Some(table) = tables.iter().find(|table| fits(table)) {
            lines.extend(table.render().lines().map(str::to_owned));
            lines.push(String::new());
        }
        lines.push(status.chars().take(width.saturating_sub(1)).collect());
        self.console.draw(&lines);
    }

    /// Methods in rows and tasks in columns, or transposed if `turned`.
    fn table(&self, turned: bool) -> Table {
        let rows: Vec<String> = self.plan.rows.iter().map(|row| row.name.clone()).collect();
        let tasks: Vec<String> = self.plan.tasks.iter().map(|task| task.name()).collect();
        let (down, across) = if turned { (&tasks, &rows) } else { (&rows, &tasks) };
        let mut table = Table::new(1, [""].into_iter().chain(across.iter().map(String::as_str)));
        for name in down {
            let cell = |other: &String| if turned { self.cell(other, name) } else { self.cell(name, other) };
            table.row([name.clone()].into_iter().chain(across.iter().map(cell)));
        }
        table
    }

    /// One row per method with its mean so far, for windows that are too small for all tasks.
    fn summary(&self) -> Table {
        let mut table = Table::new(1, ["", "runs", "mean so far"]);
        for row in &self.plan.rows {
            let done: Vec<Option<f64>> = self
                .cells
                .iter()
                .filter(|((name, _), _)| *name == row.name)
                .flat_map(|(_, runs)| runs.clone())
                .collect();
            let scores: Vec<f64> = done.iter().flatten().copied().collect();
            let all = self.plan.jobs.iter().filter(|job| job.row == row.name).count();
            let going =
                if self.running.keys().any(|&place| self.todo[place].row == row.name) { "…" } else { "" };
            let mean = match scores.len() {
                0 => "·".to_owned(),
                n => format!("{:.1}", 100.0 * scores.iter().sum::<f64>() / n as f64),
            };
            table.row([row.name.clone(), format!("{}/{}{going}", count(done.len()), count(all)), mean]);
        }
        table
    }

    fn cell(&self, row: &str, task: &str) -> String {
        let done = self.cells.get(&(row.to_owned(), task.to_owned())).map(Vec::as_slice).unwrap_or_default();
        let here = |place: &usize| self.todo[*place].row == row && self.todo[*place].task == task;
        let running = self.running.iter().find(|(place, _)| here(place)).map(|(_, at)| *at);
        let scores: Vec<f64> = done.iter().flatten().copied().collect();
        let going = if running.is_some() { "…" } else { "" };
        match (scores.as_slice(), done, running) {
            ([], [], None) => "·".to_owned(),
            ([], [], Some((iteration, iterations))) => share(iteration, iterations),
            ([], ..) => format!("failed{going}"),
            (scores, ..) => {
                format!("{:.1}{going}", 100.0 * scores.iter().sum::<f64>() / scores.len() as f64)
            }
        }
    }
}

impl Drop for Board<'_> {
    fn drop(&mut self) {
        self.console.draw(&[]);
    }
}

fn name(job: &Job) -> String {
    format!("{} {} seed {}", job.task, job.row, job.seed)
}

/// Progress in percent. After the last iteration rows are predicted and scored, which takes a while if there are many.
fn share(iteration: usize, iterations: usize) -> String {
    match iterations {
        0 => "0 %".to_owned(),
        _ if iteration == iterations => "scoring".to_owned(),
        _ => format!("{} %", 100 * iteration / iterations),
    }
}
