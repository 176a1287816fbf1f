//! What happens during training, for whoever watches. Events are owned: they can be sent and kept.

use std::fmt;

use crate::data::normalise::Normaliser;
use crate::method::Losses;
use crate::model::{Facts, Model};
use crate::nets::Networks;

/// What happens during training.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// An iteration is done.
    Iteration {
        /// Counted from 1.
        iteration: usize,
        /// How many there will be.
        iterations: usize,
        /// The value of each loss.
        losses: Losses,
    },
    /// The averaged networks were evaluated.
    Evaluated {
        /// The iteration.
        iteration: usize,
        /// Accuracy on the source's validation rows, if there are any.
        source_accuracy: Option<f64>,
        /// The averaged networks, for a closer look. Training goes on the same whatever the look shows.
        snapshot: Box<Snapshot>,
    },
    /// Something looks wrong, without any label being needed to see it.
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
    /// A model of its own, as if training had ended here.
    pub fn model(&self) -> Model {
        Model::new(self.networks.clone(), self.normaliser.clone(), self.facts.clone())
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot({})", self.facts.iteration)
    }
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Save a checkpoint and stop.
    Stop,
}
