//! Reports: one self-contained HTML file.
//!
//! ```text
//! run directory + data ─▶ run::collect ─▶ RunReport ─────┐
//!                                                        ├─▶ html ─▶ report.html
//! results of a bench ─▶ bench::collect ─▶ BenchReport ───┘
//! ```
//!
//! Collecting and rendering are separate: [`run`] and [`mod@bench`] collect the contents as plain data, `html` renders
//! them.
//!
//! Nothing in a report depends on when or where it was made: the same run gives the same bytes.

pub mod bench;
mod html;
mod packed;
pub mod run;
mod verdict;

use std::path::Path;

use crate::atomic::write_atomic;
use crate::error::Result;
pub use bench::BenchReport;
pub use run::RunReport;
pub use verdict::{Level, Sign, Verdict};

/// Default file name of a report.
pub const FILE_NAME: &str = "report.html";

/// The contents of a report, one section each: benches first, then runs.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The benches, in the order of their sections.
    pub benches: Vec<BenchReport>,
    /// The runs, in the order of their sections.
    pub runs: Vec<RunReport>,
}

impl Report {
    /// The report as one HTML file, with its style, its scripts and its data inside.
    pub fn html(&self) -> String {
        html::render(self)
    }

    /// Writes the HTML file, atomically.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_atomic(path, self.html().as_bytes())
    }
}
