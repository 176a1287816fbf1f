//! The check that every set of rows must pass, in memory or streamed: all of its values are numbers.

use std::fmt;

use super::Features;
use crate::error::{Problem, Result};

/// Looks for values that are not numbers.
#[derive(Debug, Default)]
pub(super) struct Finite {
    /// Row, column and value.
    first: Option<(usize, usize, f32)>,
    bad_rows: usize,
    seen: usize,
}

impl Finite {
    /// For rows that come after so many others of the same file.
    #[cfg(feature = "files")]
    pub(super) fn after(rows: usize) -> Self {
        Self { seen: rows, ..Self::default() }
    }

    pub(super) fn look_at(&mut self, features: &Features) {
        for row in 0..features.rows() {
            let values = features.row(row);
            if let Some(column) = values.iter().position(|value| !value.is_finite()) {
                self.first.get_or_insert((self.seen + row, column, values[column]));
                self.bad_rows += 1;
            }
        }
        self.seen += features.rows();
    }

    pub(super) fn check(&self, place: impl fmt::Display, columns: Option<&[String]>) -> Result<()> {
        let Some((row, column, value)) = self.first else { return Ok(()) };
        let column = match columns.and_then(|columns| columns.get(column)) {
            Some(name) => format!("column \"{name}\""),
            None => format!("column {}", column + 1),
        };
        let value = if value.is_nan() { "NaN (a missing value)" } else { "an infinite value" };
        let rows = if self.bad_rows == 1 { "1 row".to_owned() } else { format!("{} rows", self.bad_rows) };
        // Whoever follows the usual advice would have no rows left.
        let help = match self.bad_rows == self.seen && self.seen > 1 {
            true => {
                "no row is without; leave out empty columns (pandas: df.dropna(axis=1, how=\"all\")) and fill other gaps \
                 (df.fillna(df.mean())), in source and target alike"
            }
            false => {
                "drop the rows (pandas: df.dropna()) or fill the gaps (df.fillna(df.mean())), in source and target \
                 alike; values beyond 3.4e38 count as infinite"
            }
        };
        Err(Problem::at(format!("{place}, row {}, {column}", row + 1))
            .found(format!("{value}; {rows} of {} have such", self.seen))
            .wanted("finite numbers")
            .help(help)
            .into())
    }
}
