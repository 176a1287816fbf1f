//! Tables of accuracy: by task, and by metric.

use super::{Better, Cell, Table, TableRow};
use crate::bench::results::{PaperRow, Results};

/// Header of the first column.
fn row_title(results: &Results) -> String {
    if results.stamp.study.is_some() { "variant" } else { "method" }.to_owned()
}

/// Accuracy of each row on each task, and the mean over tasks.
pub(super) fn accuracy(results: &Results) -> Table {
    let oracle = results.averages.iter().any(|averages| averages.oracle.is_some());
    let mut header = vec![row_title(results)];
    header.extend(results.tasks.iter().cloned());
    header.push("mean".to_owned());
    header.extend(oracle.then(|| "ORACLE mean".to_owned()));
    let width = header.len() - 1;

    let mut rows = Vec::new();
    for averages in &results.averages {
        let name = &averages.row;
        let cell = |task: &String| {
            let cell = results.cells.iter().find(|cell| cell.row == *name && cell.task == *task);
            match cell.map(|cell| (cell.accuracy, cell.failed)) {
                Some((Some(spread), failed)) => Cell::Spread(spread.times(100.0), 1, failed),
                Some((None, 1..)) => Cell::Failed,
                _ => Cell::Empty,
            }
        };
        let mut cells: Vec<Cell> = results.tasks.iter().map(cell).collect();
        cells.push(Cell::percent(averages.metrics.get("accuracy").copied()));
        if oracle {
            cells.push(Cell::percent(averages.oracle));
        }
        rows.push(TableRow { name: name.clone(), paper: false, cells });
        let theirs = results.paper.iter().filter(|paper| paper.row.as_ref() == Some(name));
        rows.extend(theirs.map(|paper| paper_row(paper, results.tasks.len(), width)));
    }
    let others = results.paper.iter().filter(|paper| paper.row.is_none());
    rows.extend(others.map(|paper| paper_row(paper, results.tasks.len(), width)));
    let caption = match results.stamp.seeds.len() {
        1 => "Target accuracy in percent, one seed".to_owned(),
        n => format!("Target accuracy in percent, mean ± standard deviation over {n} seeds"),
    };
    Table { caption, header, better: vec![Better::High; width], rows }
}

fn paper_row(paper: &PaperRow, tasks: usize, width: usize) -> TableRow {
    let mut cells: Vec<Cell> = paper.cells.iter().map(|&value| Cell::Number(value, 1)).collect();
    cells.resize(tasks, Cell::Empty);
    cells.push(Cell::number(paper.mean, 1));
    cells.resize(width, Cell::Empty);
    TableRow { name: format!("{} (paper)", paper.name), paper: true, cells }
}

/// Metrics of each row, averaged over tasks.
pub(super) fn summary(results: &Results) -> Table {
    let metrics =
        [("accuracy", "accuracy"), ("class mean", "balanced_accuracy"), ("ECE", "calibration_error")];
    let header = [row_title(results)].into_iter().chain(metrics.map(|(title, _)| title.to_owned()));
    let rows = results.averages.iter().map(|averages| {
        let cell = |(_, name): (_, &str)| Cell::percent(averages.metrics.get(name).copied());
        let mut cells: Vec<Cell> = metrics.map(cell).to_vec();
        cells.push(averages.seconds.map_or(Cell::Empty, |seconds| Cell::Spread(seconds, 1, 0)));
        TableRow { name: averages.row.clone(), paper: false, cells }
    });
    Table {
        caption: "Means over the tasks: accuracy, its mean over classes and calibration error in percent; seconds per run".to_owned(),
        rows: rows.collect(),
        // Seconds depend on what else was running.
        better: vec![Better::High, Better::High, Better::Low, Better::Neither],
        header: header.chain(["seconds".to_owned()]).collect(),
    }
}
