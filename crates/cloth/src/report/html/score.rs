//! The score on labelled rows, which are read after training.

use crate::eval::{Evaluation, Mistake};
use crate::model::Head;
use crate::words::{count, percent};

/// Most confusions listed.
const PAIRS: usize = 10;

/// A score, as text and tables.
pub(super) struct ScoreView<'a> {
    evaluation: &'a Evaluation,
    classes: &'a [String],
}

/// A confusion: rows of one class that are predicted as another.
pub(super) struct Pair<'a> {
    pub(super) actual: &'a str,
    pub(super) called: &'a str,
    pub(super) rows: String,
    pub(super) share: String,
}

/// A mistake, as text.
pub(super) struct MistakeText<'a> {
    pub(super) mistake: &'a Mistake,
    pub(super) actual: &'a str,
    pub(super) called: &'a str,
    pub(super) confidence: String,
    pub(super) probability: String,
    /// Row name, or row number if rows have no names.
    pub(super) name: String,
}

impl<'a> ScoreView<'a> {
    pub(super) fn new(evaluation: &'a Evaluation, classes: &'a [String]) -> Self {
        Self { evaluation, classes }
    }

    fn class(&self, index: u32) -> &'a str {
        self.classes.get(index as usize).map_or("?", String::as_str)
    }

    pub(super) fn labelled(&self) -> String {
        self.evaluation.labelled.display().to_string()
    }

    pub(super) fn head(&self) -> &'static str {
        match self.evaluation.head {
            Head::C => "the classifier C",
            Head::T => "the transport network T",
            Head::Plain => "the plain classifier",
            Head::Guarded => "the guarded model",
        }
    }

    pub(super) fn rows(&self) -> String {
        count(self.evaluation.score.n)
    }

    pub(super) fn accuracy(&self) -> String {
        percent(self.evaluation.score.accuracy)
    }

    pub(super) fn balanced(&self) -> String {
        percent(self.evaluation.score.balanced_accuracy)
    }

    pub(super) fn calibration_error(&self) -> String {
        percent(self.evaluation.score.calibration_error)
    }

    /// Bins of confidence: rows, confidence, accuracy.
    pub(super) fn bins(&self) -> Vec<[String; 3]> {
        let bins = self.evaluation.score.calibration.iter();
        bins.map(|bin| [count(bin.n), percent(bin.confidence), percent(bin.accuracy)]).collect()
    }

    /// The most frequent confusions.
    pub(super) fn pairs(&self) -> Vec<Pair<'a>> {
        let score = &self.evaluation.score;
        let confusions = score.confusions().into_iter();
        confusions
            .take(PAIRS)
            .map(|(n, actual, called)| Pair {
                actual: self.class(actual),
                called: self.class(called),
                rows: count(n),
                share: percent(n as f64 / score.per_class[actual as usize].n as f64),
            })
            .collect()
    }

    pub(super) fn mistakes(&self) -> Vec<MistakeText<'a>> {
        let text = |mistake: &'a Mistake| MistakeText {
            mistake,
            actual: self.class(mistake.actual),
            called: self.class(mistake.called),
            confidence: percent(mistake.confidence.into()),
            probability: percent(mistake.probability.into()),
            name: mistake.name.clone().unwrap_or_else(|| format!("row {}", count(mistake.row))),
        };
        self.evaluation.mistakes.iter().map(text).collect()
    }

    pub(super) fn has_pictures(&self) -> bool {
        self.evaluation.mistakes.iter().any(|mistake| mistake.picture.is_some())
    }
}
