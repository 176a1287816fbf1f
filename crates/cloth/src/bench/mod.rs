//! The paper's experiments: every method on every task of a suite, or a study of one method, beside the paper's cells.
//!
//! ```text
//! suite + study (TOML) ─▶ plan ─▶ jobs ─▶ schedule ─▶ records (one JSON a run) ─▶ results.json ─▶ tables
//!                       (configurations,   (training,     (hashes, metrics)       (mean ± std)  (Markdown, CSV, LaTeX)
//!                        files, hashes)     scoring)
//! ```
//!
//! A [`Suite`] lists tasks between domains, their files and the paper's table. A [`Study`] lists variants of one
//! method. A [`BenchPlan`] lists the runs that they need; each [`Job`] has the hashes of its configuration and its
//! data. [`run()`] makes one run and writes a [`Record`]. A job that has a record with its hashes is not run again, and
//! a record with other hashes is not used. [`Results`] collects the records of a plan, [`tables`] formats them, and
//! [`Reusable`] takes runs from existing results.
//!
//! Only evaluation reads target labels: after training, or during training for the ORACLE if it is requested.

mod curve;
mod estimate;
mod hashes;
mod job;
mod locate;
mod lock;
mod oracle;
mod pages;
mod plan;
mod probe;
mod record;
mod render;
mod request;
mod results;
mod reuse;
mod run;
mod schedule;
mod stamp;
mod study;
mod suite;
pub mod tables;
#[cfg(test)]
mod tests;

pub use curve::Curve;
pub use estimate::Estimate;
pub use job::Job;
pub use locate::Located;
pub use lock::{BenchClaim, claim};
pub use oracle::Oracle;
pub use pages::{Section, render_document, render_pages};
pub use plan::{BenchPlan, Row};
pub use probe::probe;
pub use record::{Record, Timing};
pub use render::render;
pub use request::Request;
pub use results::{Averages, CellResult, PaperRow, Results};
pub use reuse::Reusable;
pub use run::run;
pub use schedule::{Progress, Update, run_all};
pub use stamp::{Stamp, StampedAddition};
pub use study::{STUDIES, Shows, Study, Variant};
pub use suite::{Domain, PaperCells, PaperTable, SUITES, Suite, Task};
