//! The section of a bench: text, tables and charts.

use serde::Serialize;

use super::judged::Judged;
use crate::bench::tables::{self, Cell};
use crate::bench::{Record, Shows};
use crate::report::bench::{BenchReport, Group};
use crate::words::{count, duration, plural};

/// The data of the template of a bench.
pub(super) struct BenchSection<'a> {
    pub(super) id: String,
    pub(super) heading: String,
    pub(super) bench: &'a BenchReport,
    pub(super) lead: String,
    pub(super) verdict: Judged,
    pub(super) tables: Vec<TableText>,
    pub(super) notes: Vec<String>,
    pub(super) runs: Vec<RunText<'a>>,
    pub(super) json: String,
}

/// A table, as text.
pub(super) struct TableText {
    pub(super) caption: String,
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<RowText>,
}

pub(super) struct RowText {
    pub(super) name: String,
    pub(super) paper: bool,
    pub(super) cells: Vec<CellText>,
}

/// A cell: its number, the note under it, and whether it is the best of its column.
pub(super) struct CellText {
    pub(super) value: String,
    pub(super) under: String,
    pub(super) best: bool,
}

/// One run of the bench, as text.
pub(super) struct RunText<'a> {
    pub(super) run: &'a Record,
    pub(super) accuracy: String,
    pub(super) seconds: String,
}

impl<'a> BenchSection<'a> {
    pub(super) fn new(n: usize, bench: &'a BenchReport) -> Self {
        let results = &bench.results;
        let run = |run: &'a Record| RunText {
            run,
            accuracy: run
                .metric("accuracy")
                .map_or("failed".to_owned(), |value| format!("{:.2}", 100.0 * value)),
            seconds: format!("{:.1}", run.timing.total(run.iterations)),
        };
        Self {
            id: format!("bench-{n}"),
            heading: tables::title(results),
            bench,
            lead: lead(bench),
            verdict: Judged::new(bench.verdict()),
            tables: tables::tables(results).iter().map(TableText::new).collect(),
            notes: tables::notes(results),
            runs: results.runs.iter().map(run).collect(),
            json: super::script_json(&ChartData::new(bench)),
        }
    }

    pub(super) fn labels(&self) -> &str {
        &self.bench.results.stamp.target_labels
    }

    /// Height of the chart of seeds in pixels, which grows with the number of rows.
    pub(super) fn boxes_height(&self) -> usize {
        64 + 30 * self.bench.results.rows.len()
    }

    pub(super) fn has_seeds(&self) -> bool {
        self.bench.groups.iter().any(|group| group.rows.iter().any(|row| !row.values.is_empty()))
    }

    pub(super) fn has_curves(&self) -> bool {
        self.bench.results.stamp.shows == Shows::Curve && !self.runs.is_empty()
    }

    /// Names of the lines in the charts of sweeps.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.bench.groups.iter().map(|group| group.name.as_str())
    }

    /// Names of the lines in the chart of a loss over training.
    pub(super) fn courses(&self) -> Vec<String> {
        self.tables.first().map_or(Vec::new(), |table| table.header[1..].to_vec())
    }
}

/// Describes the runs in one sentence.
fn lead(bench: &BenchReport) -> String {
    let results = &bench.results;
    let rows = match &results.stamp.study {
        Some(_) => plural(results.rows.len(), "variant"),
        None => plural(results.rows.len(), "method"),
    };
    let took: f64 = results.runs.iter().map(|run| run.timing.total(run.iterations)).sum();
    format!(
        "{rows} on {}, {}: {} of {}, {} in all.",
        plural(results.tasks.len(), "task"),
        plural(results.stamp.seeds.len(), "seed"),
        plural(results.runs.len(), "run"),
        plural(results.runs.iter().map(|run| run.iterations).max().unwrap_or(0), "iteration"),
        duration(took)
    )
}

impl TableText {
    fn new(table: &tables::Table) -> Self {
        let row = |(i, row): (usize, &tables::TableRow)| RowText {
            name: row.name.clone(),
            paper: row.paper,
            cells: row
                .cells
                .iter()
                .enumerate()
                .map(|(j, cell)| CellText::new(cell, table.is_best(i, j)))
                .collect(),
        };
        Self {
            caption: table.caption.clone(),
            header: table.header.clone(),
            rows: table.rows.iter().enumerate().map(row).collect(),
        }
    }
}

impl CellText {
    fn new(cell: &Cell, best: bool) -> Self {
        let text = match cell {
            Cell::Empty => "–".to_owned(),
            Cell::Number(value, 0) => count(*value as u64),
            cell => cell.text("±"),
        };
        let (value, under) = match text.find([' ']) {
            Some(at) => (text[..at].to_owned(), text[at + 1..].to_owned()),
            None => (text, String::new()),
        };
        Self { value, under, best }
    }
}

/// The data of all charts of a bench.
#[derive(Serialize)]
struct ChartData<'a> {
    rows: &'a [String],
    groups: Vec<GroupData<'a>>,
    sweeps: Vec<SweepData<'a>>,
    courses: Vec<CourseData>,
}

#[derive(Serialize)]
struct GroupData<'a> {
    name: &'a str,
    /// Seeds with their accuracies, row by row.
    values: Vec<&'a [(u64, f64)]>,
    five: Vec<Option<[f64; 5]>>,
}

#[derive(Serialize)]
struct SweepData<'a> {
    name: &'a str,
    at: &'a [String],
    rows: &'a [usize],
}

/// A loss over training, over all seeds.
#[derive(Serialize)]
struct CourseData {
    name: String,
    at: Vec<String>,
    values: Vec<Option<f64>>,
}

impl<'a> ChartData<'a> {
    fn new(bench: &'a BenchReport) -> Self {
        let group = |group: &'a Group| GroupData {
            name: &group.name,
            values: group.rows.iter().map(|row| row.values.as_slice()).collect(),
            five: group.rows.iter().map(|row| row.five).collect(),
        };
        let courses = match bench.results.stamp.shows {
            Shows::Curve => tables::tables(&bench.results).first().map_or(Vec::new(), courses),
            _ => Vec::new(),
        };
        Self {
            rows: &bench.results.rows,
            groups: bench.groups.iter().map(group).collect(),
            sweeps: bench
                .sweeps
                .iter()
                .map(|s| SweepData { name: &s.name, at: &s.at, rows: &s.rows })
                .collect(),
            courses,
        }
    }
}

/// The table of a loss over training, column by column.
fn courses(table: &tables::Table) -> Vec<CourseData> {
    let course = |(column, name): (usize, &String)| CourseData {
        name: name.clone(),
        at: table.rows.iter().map(|row| row.name.clone()).collect(),
        values: table
            .rows
            .iter()
            .map(|row| match row.cells.get(column) {
                Some(Cell::Spread(spread, ..)) => Some(spread.mean),
                _ => None,
            })
            .collect(),
    };
    table.header[1..].iter().enumerate().map(course).collect()
}
