//! A report that people look at: one HTML file that needs nothing else.
//!
//! ```text
//! run directory + data ─▶ run::collect ─▶ RunReport (plain data) ─▶ html ─▶ report.html
//! ```
//!
//! Collecting and rendering are apart: [`run`] says what there is to see of a run, `html` how it looks. Whatever else
//! should be reported, such as a table of many runs, gets a module beside `run` and a section in `html`.
//!
//! Nothing in a report depends on when or where it was made: the same run gives the same bytes.

mod html;
mod packed;
pub mod run;

use std::path::Path;

use crate::atomic::write_atomic;
use crate::error::Result;
pub use run::RunReport;

/// What a report shows: runs, one section each.
#[derive(Debug, Clone)]
pub struct Report {
    /// The runs, in the order of their sections.
    pub runs: Vec<RunReport>,
}

impl Report {
    /// The report as one HTML file, with its style, its scripts and its data inside.
    pub fn html(&self) -> String {
        html::render(self)
    }

    /// Writes the HTML file, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_atomic(path, self.html().as_bytes())
    }
}
