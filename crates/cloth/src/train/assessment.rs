//! How far a run can be trusted: the part of `summary.json` that is added after plain training.

use serde::{Deserialize, Serialize};

/// Whether adapting to the target helped, as far as can be told without labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// The predictions are probably better than those of plain training.
    Helped,
    /// The adapted networks are probably worse than plain training, which predicts in their place.
    Hurt,
    /// The two are too close, or the signs contradict each other.
    Unclear,
}

impl Effect {
    /// The effect in a word, as in `summary.json`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Helped => "helped",
            Self::Hurt => "hurt",
            Self::Unclear => "unclear",
        }
    }
}

/// An estimate of the accuracy on the target, made without its labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The most probable accuracy, 0 to 1.
    pub accuracy: f64,
    /// An interval that holds the accuracy in nine of ten runs like those it was calibrated on.
    pub interval: [f64; 2],
}

/// The estimate of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassEstimate {
    /// Name of the class.
    pub class: String,
    /// Target rows that the model predicts as this class.
    pub predicted: usize,
    /// Estimated share of these rows that are of the class, 0 to 1; none if there are none.
    pub precision: Option<f64>,
}

/// The judgement on a run: estimates of its accuracy and of that of plain training, and what follows from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Whether adapting helped.
    pub verdict: Effect,
    /// Why, as a sentence.
    pub reason: String,
    /// What to do about it, as a sentence.
    pub advice: String,
    /// Accuracy of the run's predictions, which are the mixture of both classifiers.
    pub estimate: Estimate,
    /// Accuracy of the adapted classifier by itself.
    pub adapted: Estimate,
    /// Accuracy of plain training.
    pub plain: Estimate,
    /// Estimated accuracy of predicting the source's most frequent class everywhere, and the name of that class.
    pub majority: (String, f64),
    /// Share of the target rows for which the adapted and the plain classifier predict different classes.
    pub disagreement: f64,
    /// Weight of the adapted classifier in the predictions, 0 to 1.
    pub weight: f64,
    /// One entry per class, in the order of the classes.
    pub classes: Vec<ClassEstimate>,
    /// Temperatures of the adapted and the plain classifier, by the source's validation rows.
    pub temperatures: [f64; 2],
    /// The signals that the estimates are made of, by name.
    pub signals: Vec<(String, f64)>,
}
