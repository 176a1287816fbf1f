//! Plain-text tables: no borders, columns two spaces apart.

use console::{Alignment, measure_text_width, pad_str};

/// Cells wider than this are truncated.
const WIDEST: usize = 28;

/// Rows of cells: columns of left-aligned text, then columns of right-aligned numbers.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    left: usize,
}

impl Table {
    /// A table with a header, whose first `left` columns are text.
    pub(crate) fn new<'a>(left: usize, header: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = Self { rows: Vec::new(), left };
        table.row(header);
        table
    }

    pub(crate) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let cells = cells.into_iter().map(|cell| match cell.into() {
            long if measure_text_width(&long) > WIDEST => {
                long.chars().take(WIDEST - 1).chain(['…']).collect()
            }
            cell => cell,
        });
        self.rows.push(cells.collect());
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |row: &Vec<String>, column| row.get(column).map_or(0, |cell: &String| measure_text_width(cell));
        (0..columns).map(|column| self.rows.iter().map(|row| width(row, column)).max().unwrap_or(0)).collect()
    }

    /// Width in terminal columns.
    pub(crate) fn width(&self) -> usize {
        self.widths().iter().map(|width| width + 2).sum()
    }

    /// Height in lines, including the header.
    pub(crate) fn height(&self) -> usize {
        self.rows.len()
    }

    /// The lines, each indented by two spaces.
    pub(crate) fn render(&self) -> String {
        let widths = self.widths();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let side = if column < self.left { Alignment::Left } else { Alignment::Right };
                line.push_str("  ");
                line.push_str(&pad_str(cell, width, side, None));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_left_and_numbers_right() {
        let mut table = Table::new(1, ["class", "n"]);
        table.row(["Bücher", "7"]);
        table.row(["a", "1,234"]);
        assert_eq!(table.render(), "  class       n\n  Bücher      7\n  a       1,234\n");
        assert_eq!((table.width(), table.height()), (15, 3));
    }

    #[test]
    fn long_names_are_cut() {
        let mut table = Table::new(1, ["class"]);
        table.row(["x".repeat(100)]);
        assert_eq!(table.width(), 2 + WIDEST);
    }
}
