//! The settings that training would use on the data.

use cloth::Training;
use cloth::nets::GeneratorKind;
use serde_json::{Value, json};

use crate::text::{count, percent, rounded};

/// Method, normalisation, network and batches that `train` would use.
pub(super) struct TrainingOutline {
    method: String,
    normalise: String,
    own_statistics: bool,
    network: String,
    iterations: usize,
    rounds: Option<usize>,
    batch_size: usize,
    adapts: bool,
    validation: f64,
}

impl TrainingOutline {
    pub(super) fn new(training: &Training) -> cloth::Result<Self> {
        let (config, normalisers, spec) = (training.config(), training.normalisers(), training.generator());
        let phases = training.recipe().phases(config)?;
        let kind = serde_json::to_value(normalisers.source.kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default();
        let dense: Vec<String> = spec.hidden.iter().map(usize::to_string).collect();
        Ok(Self {
            method: config.method.name.clone(),
            normalise: if normalisers.source.log1p {
                format!("log(1 + x), then {kind}")
            } else {
                kind.to_owned()
            },
            own_statistics: normalisers.source != normalisers.target,
            network: match spec.kind {
                GeneratorKind::Mlp => format!("mlp {}-{}", spec.input.len(), dense.join("-")),
                GeneratorKind::Lenet => {
                    format!("lenet, {} and {} filters, {}", spec.filters[0], spec.filters[1], dense.join("-"))
                }
            },
            iterations: config.train.iterations,
            rounds: phases.iter().find_map(|phase| phase.rounds),
            batch_size: config.train.batch_size,
            adapts: training.recipe().adapts(),
            validation: config.train.validation,
        })
    }

    pub(super) fn text(&self) -> String {
        let by = if self.own_statistics {
            "each domain by its own statistics"
        } else {
            "both by the source's statistics"
        };
        let batch = count(self.batch_size);
        let rows = match (self.rounds, self.adapts) {
            (Some(rounds), _) => format!("with {rounds} rounds over all rows"),
            (None, true) => format!("each of {batch} source and {batch} target rows"),
            (None, false) => format!("each of {batch} source rows"),
        };
        let network = if self.rounds.is_some() { "the method's own" } else { &self.network };
        format!(
            "`cloth train` would use:\n\
             \x20 method         {}\n\
             \x20 normalisation  {}, {by}\n\
             \x20 network        {network}\n\
             \x20 iterations     {}, {rows}\n\
             \x20 held out       {} of the source, to measure accuracy\n",
            self.method,
            self.normalise,
            count(self.iterations),
            percent(self.validation),
        )
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "method": self.method,
            "normalise": self.normalise,
            "own_statistics": self.own_statistics,
            "network": self.rounds.is_none().then_some(&self.network),
            "iterations": self.iterations,
            "rounds": self.rounds,
            "batch_size": self.rounds.is_none().then_some(self.batch_size),
            "validation": rounded(self.validation),
        })
    }
}
