//! What there is to see of a bench, as plain data.

mod seeds;
mod sweep;
mod verdict;

pub use seeds::{Group, Seeds};
pub use sweep::Sweep;

use std::path::Path;

use crate::bench::{Results, Shows};
use crate::error::Result;
use crate::report::Verdict;

/// Everything that a report shows of a bench.
#[derive(Debug, Clone)]
pub struct BenchReport {
    /// Where it is.
    pub path: String,
    /// What it gave.
    pub results: Results,
    /// Accuracies over seeds: of the means over tasks, and task by task.
    pub groups: Vec<Group>,
    /// Rows that differ in one number.
    pub sweeps: Vec<Sweep>,
}

/// Reads the results in a directory that `cloth bench` wrote.
pub fn collect(output: &Path) -> Result<BenchReport> {
    Ok(BenchReport::new(output, Results::read(output)?))
}

impl BenchReport {
    /// Of the results of the bench in `output`.
    pub fn new(output: &Path, results: Results) -> Self {
        let scored = results.stamp.shows == Shows::Accuracy;
        Self {
            path: output.display().to_string(),
            groups: if scored { seeds::groups(&results) } else { Vec::new() },
            sweeps: if scored { sweep::find(&results.rows) } else { Vec::new() },
            results,
        }
    }

    /// What comes out first.
    pub fn verdict(&self) -> Verdict {
        verdict::of(&self.results)
    }
}
