//! LaTeX, for papers: plain `tabular`s, with the conditions as comments.

use super::notes::{notes, title};
use super::{Table, TableFormat, tables};
use crate::bench::results::Results;
use crate::words::one_line;

pub(super) const FORMAT: TableFormat = TableFormat { file: "table.tex", write };

fn write(results: &Results) -> String {
    let mut text = format!("% {}\n", title(results));
    notes(results).iter().for_each(|note| text += &format!("% {note}\n"));
    text += &format!("% {}\n", results.stamp.command);
    for shown in tables(results) {
        text += &format!("\n% {}\n{}", shown.caption, tabular(&shown));
    }
    text
}

fn tabular(table: &Table) -> String {
    let mut text = format!("\\begin{{tabular}}{{l{}}}\n\\hline\n", "r".repeat(table.header.len() - 1));
    text += &line(table.header.iter().map(|name| escaped(name)));
    text += "\\hline\n";
    for (i, row) in table.rows.iter().enumerate() {
        let marked = |text: String, best: bool| match (text.is_empty(), row.paper, best) {
            (true, ..) | (_, false, false) => text,
            (_, true, _) => format!("\\emph{{{text}}}"),
            (_, _, true) => format!("\\textbf{{{text}}}"),
        };
        let cells =
            row.cells.iter().enumerate().map(|(j, cell)| marked(cell.text("$\\pm$"), table.is_best(i, j)));
        text += &line([marked(escaped(&row.name), false)].into_iter().chain(cells));
    }
    text + "\\hline\n\\end{tabular}\n"
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let line = cells.collect::<Vec<_>>().join(" & ");
    // After `\\` in the line before, these characters would be its options.
    let guard = if line.starts_with(['[', '*']) { "{}" } else { "" };
    format!("{guard}{line} \\\\\n")
}

/// Greek letters in names of weights, which plain LaTeX does not accept, and their commands.
const GREEK: &[(char, &str)] = &[
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('ε', "varepsilon"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('τ', "tau"),
];

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in one_line(text).chars() {
        if let Some((_, name)) = GREEK.iter().find(|(letter, _)| *letter == c) {
            escaped.push_str(&format!("$\\{name}$"));
            continue;
        }
        match c {
            '_' | '%' | '&' | '#' | '$' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '→' => escaped.push_str("$\\rightarrow$"),
            '±' => escaped.push_str("$\\pm$"),
            c => escaped.push(c),
        }
    }
    escaped
}
