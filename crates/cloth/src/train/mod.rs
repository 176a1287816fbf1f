//! The training loop: Algorithm 1 of the paper, with events, checkpoints and resumption.

mod assessment;
mod checkpoint;
mod collapse;
mod event;
mod fingerprint;
mod metrics;
mod outcome;
mod resolve;
mod run_dir;
mod select;
mod summary;
mod tensorboard;
mod training;
mod watch;

pub use assessment::{Assessment, ClassEstimate, Effect, Estimate};
pub use collapse::{Collapse, collapse};
pub use event::{Event, Flow, Snapshot};
#[cfg_attr(not(feature = "report"), allow(unused_imports))]
pub(crate) use metrics::SHARE;
pub use metrics::{MetricsLine, read_metrics};
pub use outcome::{Outcome, TrainedRows};
#[cfg_attr(not(feature = "bench"), allow(unused_imports))]
pub(crate) use run_dir::{CLAIM, Claim};
pub use run_dir::{Provenance, RunDir};
pub use summary::Summary;
pub use training::{Training, TrainingOptions};
