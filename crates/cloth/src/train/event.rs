//! Events of the training loop. They own their data, so that they can be kept or sent to another thread.

use std::fmt;

use crate::data::normalise::Normaliser;
use crate::method::Losses;
use crate::model::{Facts, Model};
use crate::nets::Networks;

/// An event of the training loop.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// An iteration has finished.
    Iteration {
        /// Counted from 1.
        iteration: usize,
        /// Iterations of the whole run.
        iterations: usize,
        /// The value of each loss in this iteration.
        losses: Losses,
    },
    /// The averaged networks were evaluated.
    Evaluated {
        /// Counted from 1.
        iteration: usize,
        /// Accuracy on the source's validation rows, if there are any.
        source_accuracy: Option<f64>,
        /// The averaged networks, for further evaluation. Using them does not affect training.
        snapshot: Box<Snapshot>,
    },
    /// A sign of failed training, found without target labels.
    Warning(String),
}

/// The averaged networks of a run at one iteration.
#[derive(Clone)]
pub struct Snapshot {
    pub(super) networks: Networks,
    pub(super) normaliser: Normaliser,
    pub(super) facts: Facts,
}

impl Snapshot {
    /// The model that training would return if it ended at this iteration.
    pub fn model(&self) -> Model {
        Model::new(self.networks.clone(), self.normaliser.clone(), self.facts.clone())
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot({})", self.facts.iteration)
    }
}

/// Whether training continues after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Continue with the next iteration.
    Continue,
    /// Save a checkpoint and stop.
    Stop,
}
