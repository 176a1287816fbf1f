//! The table of parameters and training times.

use super::{Better, Cell, Table, TableRow, pairs, runs};
use crate::bench::results::Results;
use crate::eval::Spread;

/// Parameters, median seconds of an iteration and estimated seconds of a run, for each row and task.
pub(super) fn time(results: &Results) -> Table {
    let iterations = results.stamp.iterations;
    let header = ["variant and task", "parameters", "seconds per batch", "seconds in total"]
        .map(str::to_owned)
        .to_vec();
    let mut rows = Vec::new();
    for (row, task) in pairs(results) {
        let batch = Spread::of(runs(results, row, task).map(|run| run.timing.median_iteration));
        let parameters = runs(results, row, task).next().map(|run| run.parameters as f64);
        let spread = |spread: Option<Spread>, decimals| {
            spread.map_or(Cell::Empty, |spread| Cell::Spread(spread, decimals, 0))
        };
        rows.push(TableRow {
            name: format!("{row} {task}"),
            paper: false,
            cells: vec![
                Cell::number(parameters, 0),
                spread(batch, 5),
                spread(batch.map(|batch| batch.times(iterations as f64)), 1),
            ],
        });
        let theirs =
            results.paper.iter().find(|paper| paper.row.as_deref() == Some(row) && results.tasks.len() == 1);
        rows.extend(theirs.map(|paper| TableRow {
            name: format!("{row} {task} (paper)"),
            paper: true,
            cells: vec![
                Cell::number(paper.parameters.map(|n| n as f64), 0),
                Cell::number(paper.batch, 5),
                Cell::number(paper.total, 1),
            ],
        }));
    }
    let caption = format!(
        "Parameters, median seconds per iteration, and these times the {iterations} iterations of a run"
    );
    // Fewer parameters are not better as such.
    Table { caption, header, better: vec![Better::Neither, Better::Low, Better::Low], rows }
}
