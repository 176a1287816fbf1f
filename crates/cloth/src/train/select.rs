//! Which iteration's weights are kept. Target labels cannot take part: there are none.

use crate::config::Select;
use crate::error::Result;
use crate::nets::{Networks, Weights, export, import};

/// The best iteration so far, under the rule of the run.
#[derive(Debug, Clone, Default)]
pub(super) struct Selection {
    pub(super) iteration: usize,
    pub(super) accuracy: Option<f64>,
    /// The networks of that iteration; none where the rule is to take the last.
    pub(super) networks: Option<Weights>,
}

impl Selection {
    /// Looks at one more iteration. Equal accuracy goes to the later one, which has seen more of the target.
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

    /// The selected networks, their iteration and their accuracy on the source.
    pub(super) fn resolve(&self, latest: Networks, done: usize) -> Result<(Networks, usize, Option<f64>)> {
        match &self.networks {
            Some(weights) => Ok((import(latest, weights)?, self.iteration, self.accuracy)),
            None => Ok((latest, done, self.accuracy.filter(|_| self.iteration == done))),
        }
    }
}
