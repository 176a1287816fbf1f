//! Selects the iteration whose weights are kept. It cannot use target labels: training has none.

use crate::config::Select;
use crate::error::Result;
use crate::nets::{Networks, Weights, export, import};

/// The iteration selected so far, by the rule `train.select`.
#[derive(Debug, Clone, Default)]
pub(super) struct Selection {
    pub(super) iteration: usize,
    pub(super) accuracy: Option<f64>,
    /// The networks of that iteration; none if the rule selects the last one.
    pub(super) networks: Option<Weights>,
}

impl Selection {
    /// Considers one more iteration. On equal accuracy the later one wins, because it has seen more of the target.
    pub(super) fn see(&mut self, rule: Select, iteration: usize, accuracy: Option<f64>, networks: &Networks) {
        let better = match rule {
            Select::Last => true,
            Select::SourceVal => accuracy >= self.accuracy,
        };
        if better {
            self.iteration = iteration;
            self.accuracy = accuracy;
            self.networks = (rule == Select::SourceVal).then(|| export(networks));
        }
    }

    /// The selected networks, their iteration and their accuracy on the source's validation rows.
    pub(super) fn resolve(&self, latest: Networks, done: usize) -> Result<(Networks, usize, Option<f64>)> {
        match &self.networks {
            Some(weights) => Ok((import(latest, weights)?, self.iteration, self.accuracy)),
            None => Ok((latest, done, self.accuracy.filter(|_| self.iteration == done))),
        }
    }
}
