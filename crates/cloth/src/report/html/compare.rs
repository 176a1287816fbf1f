//! Several runs side by side.

use crate::report::RunReport;
use crate::words::{count, duration, percent};

/// A table with a row for each run.
pub(super) struct Compare {
    pub(super) rows: Vec<Row>,
    /// Whether any run was scored on labelled rows.
    pub(super) scored: bool,
    /// Whether all runs have the same source and the same target.
    pub(super) same_data: bool,
}

/// A run of the comparison, as text.
pub(super) struct Row {
    pub(super) n: usize,
    pub(super) name: String,
    pub(super) data: String,
    pub(super) method: String,
    pub(super) seed: u64,
    pub(super) verdict: String,
    pub(super) iterations: String,
    pub(super) seconds: String,
    pub(super) source_accuracy: String,
    pub(super) confidence: String,
    pub(super) before: String,
    pub(super) after: String,
    pub(super) accuracy: String,
    pub(super) best: bool,
}

impl Compare {
    pub(super) fn new(runs: &[RunReport]) -> Self {
        let accuracy = |run: &RunReport| run.evaluation.as_ref().map(|evaluation| evaluation.score.accuracy);
        // Targets differ in difficulty, so only runs on the same target are compared.
        let best = |run: &RunReport| {
            let peers = runs.iter().filter(|other| other.target.path == run.target.path);
            let accuracies: Vec<f64> = peers.filter_map(accuracy).collect();
            accuracies.len() > 1
                && accuracy(run).is_some_and(|ours| accuracies.iter().all(|&other| other <= ours))
        };
        let row = |(i, run): (usize, &RunReport)| {
            let view = run.view.as_ref().ok();
            let shift = view.and_then(|view| view.shift);
            let summary = run.summary.as_ref();
            let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
            let distance = |shift: crate::eval::Shift| format!("{:.2}", shift.proxy_a_distance);
            Row {
                n: i + 1,
                name: run.name.clone(),
                data: format!("{} → {}", run.source.name, run.target.name),
                method: run.method.name.clone(),
                seed: run.seed,
                verdict: or_dash(run.verdict().map(|verdict| verdict.headline)),
                iterations: or_dash(summary.map(|summary| count(summary.iterations))),
                seconds: or_dash(
                    summary.filter(|s| s.resumed_after == 0).map(|summary| duration(summary.seconds)),
                ),
                source_accuracy: or_dash(summary.and_then(|summary| summary.source_accuracy).map(percent)),
                confidence: or_dash(view.map(|view| percent(view.target.mean))),
                before: or_dash(shift.map(|shift| distance(shift.before))),
                after: or_dash(shift.map(|shift| distance(shift.after))),
                accuracy: or_dash(accuracy(run).map(percent)),
                best: best(run),
            }
        };
        let same_data = runs
            .windows(2)
            .all(|two| two[0].source.path == two[1].source.path && two[0].target.path == two[1].target.path);
        let scored = runs.iter().any(|run| accuracy(run).is_some());
        Self { rows: runs.iter().enumerate().map(row).collect(), scored, same_data }
    }
}
