//! The check for finite values, which all rows must pass, in memory or streamed.

use std::fmt;

use super::Features;
use crate::error::{Problem, Result};

/// Counts rows with NaN or infinite values.
#[derive(Debug, Default)]
pub(super) struct Finite {
    /// Row and column (from 0) and value of the first one.
    first: Option<(usize, usize, f32)>,
    bad_rows: usize,
    seen: usize,
}

impl Finite {
    /// For rows that come after `rows` others of the same file.
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
        // If every row has a gap, dropping rows would leave none.
        let help = match self.bad_rows == self.seen && self.seen > 1 {
            true => {
                "every row has gaps; leave out empty columns (pandas: df.dropna(axis=1, how=\"all\")) and fill other gaps \
                 (df.fillna(df.mean())), in source and target alike"
            }
            false => {
                "drop the rows (pandas: df.dropna()) or fill the gaps (df.fillna(df.mean())), in source and target \
                 alike; values beyond 3.4e38 count as infinite"
            }
        };
        Err(Problem::at(format!("{place}, row {}, {column}", row + 1))
            .found(format!("{value}, in {rows} of {}", self.seen))
            .wanted("finite numbers")
            .help(help)
            .into())
    }
}
