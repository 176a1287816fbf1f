//! Results as tables. Their contents are decided here; each format has a module that writes them.

mod accuracy;
mod csv;
mod curve;
mod latex;
mod markdown;
mod notes;
#[cfg(test)]
mod tests;
mod time;

pub use markdown::section;
pub use notes::{notes, title};

use super::record::Record;
use super::results::Results;
use super::study::Shows;
use crate::eval::Spread;

/// Every format that tables are written in.
pub const FORMATS: &[TableFormat] = &[markdown::FORMAT, csv::FORMAT, latex::FORMAT];

/// A file format of tables.
#[derive(Debug, Clone, Copy)]
pub struct TableFormat {
    /// File name.
    pub file: &'static str,
    /// Formats all tables and notes of the results.
    pub write: fn(&Results) -> String,
}

/// One table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Caption, without a full stop.
    pub caption: String,
    /// Names of the columns; the first is that of the rows' names.
    pub header: Vec<String>,
    /// Whether high or low values are better, for each column after the first.
    pub better: Vec<Better>,
    /// Measured rows first, or each measured row followed by that of the paper.
    pub rows: Vec<TableRow>,
}

/// Which values are better in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// High values, such as accuracy.
    High,
    /// Low values, such as time.
    Low,
    /// Values are not ranked.
    Neither,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRow {
    /// Name of the row, in the first column.
    pub name: String,
    /// Whether the numbers are the paper's.
    pub paper: bool,
    /// The cells after the first column.
    pub cells: Vec<Cell>,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Empty,
    /// Mean and standard deviation over seeds, the number of decimals, and the number of failed seeds.
    Spread(Spread, usize, usize),
    /// One number, and its number of decimals.
    Number(f64, usize),
    /// All seeds failed, because a loss became NaN or infinite.
    Failed,
}

impl Table {
    fn has_cells(&self) -> bool {
        self.rows.iter().any(|row| row.cells.iter().any(|cell| *cell != Cell::Empty))
    }

    /// Whether a cell has the best printed value of the measured rows in its column. A single row is never the best.
    pub fn is_best(&self, row: usize, column: usize) -> bool {
        // Compare the rounded values that are printed, with a sign such that high is better.
        let value = |row: &TableRow| {
            let printed = row.cells.get(column)?.printed()?;
            match self.better.get(column)? {
                Better::High => Some(printed),
                Better::Low => Some(-printed),
                Better::Neither => None,
            }
        };
        let ours = || self.rows.iter().filter(|row| !row.paper);
        let best = ours().filter_map(value).reduce(f64::max);
        ours().count() > 1 && !self.rows[row].paper && best.is_some() && value(&self.rows[row]) == best
    }
}

impl Cell {
    /// The number, rounded as it is printed.
    fn printed(&self) -> Option<f64> {
        let (value, decimals) = match self {
            Self::Empty | Self::Failed => return None,
            Self::Number(value, decimals) => (*value, *decimals),
            Self::Spread(spread, decimals, _) => (spread.mean, *decimals),
        };
        format!("{value:.decimals$}").parse().ok()
    }

    fn percent(spread: Option<Spread>) -> Self {
        spread.map_or(Self::Empty, |spread| Self::Spread(spread.times(100.0), 1, 0))
    }

    fn number(value: Option<f64>, decimals: usize) -> Self {
        value.map_or(Self::Empty, |value| Self::Number(value, decimals))
    }

    /// The text of the cell, such as `95.4 ± 0.8`, with `plus_minus` for the sign ±.
    pub fn text(&self, plus_minus: &str) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Failed => "failed".to_owned(),
            Self::Number(value, decimals) => format!("{value:.decimals$}"),
            Self::Spread(spread, decimals, failed) => {
                let mut text = format!("{:.decimals$}", spread.mean);
                if let Some(std) = spread.std {
                    text += &format!(" {plus_minus} {std:.decimals$}");
                }
                if *failed > 0 {
                    text += &format!(" ({failed} failed)");
                }
                text
            }
        }
    }
}

/// The tables of some results, the main one first.
pub fn tables(results: &Results) -> Vec<Table> {
    match results.stamp.shows {
        // Only rows with all tasks have means over the tasks; there may be none yet.
        Shows::Accuracy => {
            let summary = Some(accuracy::summary(results)).filter(Table::has_cells);
            [accuracy::accuracy(results)].into_iter().chain(summary).collect()
        }
        Shows::Curve => vec![curve::curve(results)],
        Shows::Time => vec![time::time(results)],
    }
}

/// All pairs of row and task.
fn pairs(results: &Results) -> impl Iterator<Item = (&str, &str)> {
    results.rows.iter().flat_map(|row| results.tasks.iter().map(move |task| (row.as_str(), task.as_str())))
}

/// The runs of a row on a task.
fn runs<'a>(results: &'a Results, row: &'a str, task: &'a str) -> impl Iterator<Item = &'a Record> {
    results.runs.iter().filter(move |run| run.row == row && run.task == task)
}
