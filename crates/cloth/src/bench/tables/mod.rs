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

use super::record::Record;
use super::results::Results;
use super::study::Shows;
use crate::eval::Spread;

/// Every format that tables are written in.
pub const FORMATS: &[Format] = &[markdown::FORMAT, csv::FORMAT, latex::FORMAT];

/// A way to write tables down.
#[derive(Debug, Clone, Copy)]
pub struct Format {
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
    /// Its rows: ours first, or each of ours with the paper's under it.
    pub rows: Vec<TableRow>,
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

impl Cell {
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
        Shows::Accuracy => vec![accuracy::accuracy(results), accuracy::summary(results)],
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
