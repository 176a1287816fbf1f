//! The evidence for a judgement: what both classifiers say of source validation rows and of the target. It has no field
//! for a label of the target.

use super::calibrate::temperature;
use super::witness::{Latents, Sample, Witnesses};
use crate::error::{Problem, Result};
use crate::eval::proxy_a_distance;
use crate::model::{Model, Probabilities};
use crate::nets::Domain;
use crate::train::TrainedRows;

/// Seed of the measurement of the shift.
const SEED: u64 = 0;

/// What is known of an adapted classifier and a plain one without target labels.
pub struct Evidence {
    /// Number of classes.
    pub n_classes: usize,
    /// Labels of the source's validation rows.
    pub labels: Vec<u32>,
    /// Share of each class in the source.
    pub proportions: Vec<f64>,
    /// The adapted classifier.
    pub adapted: Testimony,
    /// The plain classifier.
    pub plain: Testimony,
    /// Classifiers of other kinds.
    pub witnesses: Witnesses,
    /// Proxy A-distance between the domains, 0 to 2; none if there are too few rows.
    pub shift: Option<f64>,
}

/// The output of one classifier.
pub struct Testimony {
    /// Probabilities of the source's validation rows.
    pub validation: Probabilities,
    /// Probabilities of all target rows.
    pub target: Probabilities,
    /// The most probable class of each target row.
    pub predicted: Vec<u32>,
    /// Temperature that fits the validation rows.
    pub temperature: f64,
}

impl Evidence {
    /// Collects the evidence of a run that kept its rows, beside a plain classifier.
    pub fn of(adapted: &Model, plain: &Model, rows: &TrainedRows) -> Result<Self> {
        let TrainedRows { source, target, normalisers, split, outputs, .. } = rows;
        let n_classes = source.classes().len();
        if plain.about().classes != *source.classes() || plain.about().layout != *source.layout() {
            return Err(Problem::at("plain classifier")
                .found("one of other classes or columns")
                .wanted("those of the run")
                .into());
        }
        let labels: Vec<u32> = split.validation.iter().map(|&row| source.labels()[row as usize]).collect();
        let of_adapted = |raw: &[f32]| {
            let mut rows = raw.to_vec();
            normalisers.source.apply(&mut rows);
            adapted.outputs_of_normalised(&rows, Domain::Source)
        };
        let of_plain = plain.outputs(target.features().values())?;
        let sample = Sample::of(source, target.features());
        let raw = source.features().gather(&sample.source);
        let latents = [
            Latents::new("neighbour_adapted", of_adapted(&raw), outputs, &sample.target),
            Latents::new("neighbour_plain", plain.outputs(&raw)?, &of_plain, &sample.target),
        ];
        let raw = source.features().gather(&split.validation);
        let adapted = Testimony::new(of_adapted(&raw).c, &labels, outputs.c.clone());
        let plain = Testimony::new(plain.outputs(&raw)?.c, &labels, of_plain.c);
        let all = source.len() as f64;
        Ok(Self {
            n_classes,
            labels,
            proportions: source.class_counts().into_iter().map(|n| n as f64 / all).collect(),
            adapted,
            plain,
            witnesses: Witnesses::of(source, target.features(), sample, &latents),
            shift: proxy_a_distance(source.features(), target.features(), SEED).map(|s| s.proxy_a_distance),
        })
    }
}

impl Testimony {
    /// The output of a classifier on labelled validation rows and on the target.
    pub fn new(validation: Probabilities, labels: &[u32], target: Probabilities) -> Self {
        let temperature = temperature(&validation, labels);
        let predicted = target.best().0;
        Self { validation, target, predicted, temperature }
    }
}
