//! Final output of a bench: its tables, no wider than the window, and its files.

use std::path::PathBuf;

use cloth::bench::Results;
use cloth::bench::tables::{self, Cell};
use cloth::eval::Spread;
use console::Term;

use crate::table::Table;
use crate::text::{count, plural};

/// The tables, how target labels were used, and the paths of the files.
pub(super) fn outcome(results: &Results, files: &[PathBuf]) -> String {
    let out = Term::stdout();
    let columns = if out.is_term() { out.size().1.into() } else { usize::MAX };
    let mut text = String::new();
    for shown in tables::tables(results) {
        // The files have everything that a narrow window cannot show.
        let narrower = [
            (plain(&shown, true), ""),
            (plain(&shown, false), "; this window is too narrow for standard deviations"),
            (means(&shown), "; this window is too narrow for all columns"),
        ];
        let fits = narrower.iter().find(|(table, _)| table.width() <= columns).unwrap_or(&narrower[2]);
        text += &format!("{}{}:\n\n{}\n", shown.caption, fits.1, fits.0.render());
    }
    if !results.complete() {
        text += &format!(
            "INCOMPLETE: {} of {} made\n",
            count(results.runs.len()),
            plural(results.planned, "run")
        );
    }
    text += &format!("Target labels used: {}\n", results.stamp.target_labels);
    if !results.paper.is_empty() {
        let features = results.stamp.paper_features.as_deref().unwrap_or("other");
        text += &format!("(paper): results published in the paper, on other features ({features})\n");
    }
    text += "\nResults:\n";
    files.iter().for_each(|file| text += &format!("  {}\n", file.display()));
    text
}

/// A table of names and means, with ORACLE columns only after the mean; all columns if there is no mean. A row without
/// a mean yet shows how many of its tasks are done.
fn means(shown: &tables::Table) -> Table {
    let first = shown.header.iter().position(|name| name == "mean").unwrap_or(1);
    let names = [&shown.header[0]].into_iter().chain(&shown.header[first..]);
    let mut table = Table::new(1, names.map(String::as_str));
    for row in &shown.rows {
        let (tasks, means) = row.cells.split_at(first - 1);
        let mut cells: Vec<String> = means.iter().map(|cell| cell.text("±")).collect();
        let made = tasks.iter().filter(|cell| !matches!(cell, Cell::Empty | Cell::Failed)).count();
        if let (Some(Cell::Empty), 1..) = (means.first(), made) {
            cells[0] = format!("{made} of {}", plural(tasks.len(), "task"));
        }
        table.row([row.name.clone()].into_iter().chain(cells));
    }
    table
}

fn plain(shown: &tables::Table, with_deviations: bool) -> Table {
    let mut table = Table::new(1, shown.header.iter().map(String::as_str));
    for row in &shown.rows {
        let cells = row.cells.iter().map(|cell| match cell {
            Cell::Spread(spread, decimals, failed) if !with_deviations => {
                Cell::Spread(Spread { std: None, ..*spread }, *decimals, *failed).text("±")
            }
            cell => cell.text("±"),
        });
        table.row([row.name.clone()].into_iter().chain(cells));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth::bench::tables::{Better, TableRow};

    #[test]
    fn a_narrow_table_says_how_far_a_row_is_that_has_no_mean_yet() {
        let header = ["method", "A→B", "B→A", "mean"].map(str::to_owned).to_vec();
        let row = |name: &str, cells: [Cell; 3]| TableRow {
            name: name.to_owned(),
            paper: false,
            cells: cells.to_vec(),
        };
        let rows = vec![
            row("cloth", [90.0, 80.0, 85.0].map(|value| Cell::Number(value, 1))),
            row("mcc", [Cell::Number(90.0, 1), Cell::Empty, Cell::Empty]),
            row("dan", [Cell::Number(90.0, 1), Cell::Failed, Cell::Empty]),
            row("shot", [Cell::Empty, Cell::Empty, Cell::Empty]),
        ];
        let shown = tables::Table { caption: String::new(), header, better: vec![Better::High; 3], rows };
        let lines = "  method          mean\n  cloth           85.0\n  mcc     1 of 2 tasks\n  dan     1 of 2 tasks\n  shot\n";
        assert_eq!(means(&shown).render(), lines);
    }

    #[test]
    fn a_narrow_table_has_the_mean_and_not_an_oracle_in_its_place() {
        let header = ["method", "A→B", "mean", "ORACLE mean"].map(str::to_owned).to_vec();
        let cells = [90.0, 80.0, 99.0].map(|value| Cell::Number(value, 1)).to_vec();
        let row = TableRow { name: "cloth".to_owned(), paper: false, cells };
        let shown =
            tables::Table { caption: String::new(), header, better: vec![Better::High; 3], rows: vec![row] };
        assert_eq!(means(&shown).render(), "  method  mean  ORACLE mean\n  cloth   80.0         99.0\n");
    }
}
