//! Markdown, for people and for the pages of `docs/results`.

use super::notes::{notes, title};
use super::{Cell, Table, TableFormat, TableRow, tables};
use crate::bench::results::Results;
use crate::words::one_line;

pub(super) const FORMAT: TableFormat = TableFormat { file: "table.md", write: section };

/// A section with heading, tables and conditions.
pub fn section(results: &Results) -> String {
    let mut text = format!("## {}\n", title(results));
    for shown in tables(results) {
        text += &format!("\n{}.\n\n{}", shown.caption, table(&shown));
    }
    text.push('\n');
    notes(results).iter().for_each(|note| text += &format!("- {note}\n"));
    if !results.stamp.command.is_empty() {
        text += &format!("\n    {}\n", results.stamp.command);
    }
    text
}

fn table(table: &Table) -> String {
    let mut text = line(&table.header.iter().map(|name| escaped(name)).collect::<Vec<_>>());
    text += &format!("|---|{}\n", "---:|".repeat(table.header.len() - 1));
    for (i, TableRow { name, paper, cells }) in table.rows.iter().enumerate() {
        let cell = |text: String, bold: bool| match (text.is_empty(), paper, bold) {
            (true, ..) => text,
            (_, true, _) => format!("*{text}*"),
            (_, _, true) => format!("**{text}**"),
            _ => text,
        };
        let mut line_of = vec![cell(escaped(name), false)];
        let of_cell = |(j, c): (usize, &Cell)| cell(c.text("±"), table.is_best(i, j));
        line_of.extend(cells.iter().enumerate().map(of_cell));
        text += &line(&line_of);
    }
    text
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// Escapes what would end a cell or the table, or mark emphasis; underscores inside words do not.
fn escaped(text: &str) -> String {
    one_line(text).replace('|', "\\|").replace('*', "\\*")
}
