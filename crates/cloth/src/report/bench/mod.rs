//! The report of a bench, as plain data.

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
    /// Path of the directory of the results.
    pub path: String,
    /// The results of the bench.
    pub results: Results,
    /// Accuracies over seeds, averaged over tasks and by task; empty unless the bench shows accuracy.
    pub groups: Vec<Group>,
    /// Groups of rows that differ in one number; empty unless the bench shows accuracy.
    pub sweeps: Vec<Sweep>,
}

/// Reads the results of a bench from its directory.
pub fn collect(output: &Path) -> Result<BenchReport> {
    Ok(BenchReport::new(output, Results::read(output)?))
}

impl BenchReport {
    /// The report of `results`, which are in the directory `output`.
    pub fn new(output: &Path, results: Results) -> Self {
        let scored = results.stamp.shows == Shows::Accuracy;
        Self {
            path: output.display().to_string(),
            groups: if scored { seeds::groups(&results) } else { Vec::new() },
            sweeps: if scored { sweep::find(&results.rows) } else { Vec::new() },
            results,
        }
    }

    /// The main result of the bench, and what went wrong.
    pub fn verdict(&self) -> Verdict {
        verdict::of(&self.results)
    }
}
