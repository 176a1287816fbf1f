//! Statistics of the values in a file.

use cloth::data::Features;

use crate::text::{count, plural};

/// Counts over all rows, and the range of the finite values.
#[derive(Default)]
pub(super) struct Values {
    pub(super) rows: usize,
    pub(super) nan_rows: usize,
    pub(super) infinite_rows: usize,
    pub(super) zeros: usize,
    pub(super) finite: usize,
    pub(super) range: Option<(f32, f32)>,
}

impl Values {
    pub(super) fn add_all(&mut self, features: &Features) {
        (0..features.rows()).for_each(|row| self.add(features.row(row)));
    }

    fn add(&mut self, row: &[f32]) {
        self.rows += 1;
        self.nan_rows += usize::from(row.iter().any(|value| value.is_nan()));
        self.infinite_rows += usize::from(row.iter().any(|value| value.is_infinite()));
        for &value in row.iter().filter(|value| value.is_finite()) {
            self.finite += 1;
            self.zeros += usize::from(value == 0.0);
            let (low, high) = self.range.get_or_insert((value, value));
            (*low, *high) = (low.min(value), high.max(value));
        }
    }

    pub(super) fn missing(&self) -> String {
        match (self.nan_rows, self.infinite_rows) {
            (0, 0) => "none".to_owned(),
            (nan, 0) => format!("{} with NaN or an empty cell", plural(nan, "row")),
            (0, infinite) => format!("{} with an infinite value", plural(infinite, "row")),
            (nan, infinite) => format!(
                "{} with NaN or an empty cell, {} with an infinite value",
                plural(nan, "row"),
                count(infinite)
            ),
        }
    }
}
