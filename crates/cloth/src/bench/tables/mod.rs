//! Results as tables: what they show is decided here, how it is written in one file for each format.

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

/// A way to write tables down.
#[derive(Debug, Clone, Copy)]
pub struct TableFormat {
    /// What the file is called.
    pub file: &'static str,
    /// Writes everything that there is to show.
    pub write: fn(&Results) -> String,
}

/// One table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Names of the columns, that of the rows' names first.
    pub header: Vec<String>,
    /// What is better in each column but that of the names.
    pub better: Vec<Better>,
    /// Its rows: ours first, or each of ours with the paper's under it.
    pub rows: Vec<TableRow>,
}

/// What is better in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Large numbers.
    High,
    /// Small numbers.
    Low,
    /// The column is no contest.
    Neither,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRow {
    /// Its name.
    pub name: String,
    /// Whether its cells are the paper's.
    pub paper: bool,
    /// Its cells.
    pub cells: Vec<Cell>,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing is known.
    Empty,
    /// Over seeds, with so many decimals; and how many seeds failed.
    Spread(Spread, usize, usize),
    /// One number, with so many decimals.
    Number(f64, usize),
    /// All seeds failed: a loss was no longer a number.
    Failed,
}

impl Table {
    fn has_cells(&self) -> bool {
        self.rows.iter().any(|row| row.cells.iter().any(|cell| *cell != Cell::Empty))
    }

    /// Whether a cell is the best of ours in its column, as printed. A row alone is not the best of anything.
    pub fn is_best(&self, row: usize, column: usize) -> bool {
        // Numbers that look alike are alike: rounded as they are shown, and turned so that large is good.
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
    /// The number, as it is shown.
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

    /// `95.4 ± 0.8`, with another sign for ± if the format needs one.
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

/// The tables of some results, the one that matters first.
pub fn tables(results: &Results) -> Vec<Table> {
    match results.stamp.shows {
        // Means over the tasks are of rows that have all tasks; there may be none yet.
        Shows::Accuracy => {
            let summary = Some(accuracy::summary(results)).filter(Table::has_cells);
            [accuracy::accuracy(results)].into_iter().chain(summary).collect()
        }
        Shows::Curve => vec![curve::curve(results)],
        Shows::Time => vec![time::time(results)],
    }
}

/// Every row with every task.
fn pairs(results: &Results) -> impl Iterator<Item = (&str, &str)> {
    results.rows.iter().flat_map(|row| results.tasks.iter().map(move |task| (row.as_str(), task.as_str())))
}

/// The runs of a row on a task.
fn runs<'a>(results: &'a Results, row: &'a str, task: &'a str) -> impl Iterator<Item = &'a Record> {
    results.runs.iter().filter(move |run| run.row == row && run.task == task)
}
