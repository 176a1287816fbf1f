//! The table of a loss over training.

use super::{Better, Cell, Table, TableRow, pairs, runs};
use crate::bench::curve::PARTS;
use crate::bench::results::Results;
use crate::eval::Spread;

/// The mean of a loss in each twentieth of the run, over seeds.
pub(super) fn curve(results: &Results) -> Table {
    let loss =
        results.runs.iter().find_map(|run| Some(run.curve.as_ref()?.loss.as_str())).unwrap_or("a loss");
    let mut header = vec!["of the run".to_owned()];
    header.extend(pairs(results).map(|(row, task)| format!("{row} {task}")));
    let cell = |part: usize, row: &str, task: &str| {
        let curves = runs(results, row, task).filter_map(|run| run.curve.as_ref());
        match Spread::of(curves.filter_map(|curve| *curve.means.get(part)?)) {
            Some(spread) => Cell::Spread(spread, 3, 0),
            None => Cell::Empty,
        }
    };
    let rows = (0..PARTS).map(|part| TableRow {
        name: format!("{} %", 100 * (part + 1) / PARTS),
        paper: false,
        cells: pairs(results).map(|(row, task)| cell(part, row, task)).collect(),
    });
    let rows = rows.collect();
    let caption = format!("{loss} over training, mean of each twentieth of the run");
    Table { caption, better: vec![Better::Neither; header.len() - 1], header, rows }
}
