//! The judgement on a run: which classifier predicts, how accurate it probably is, and whether adapting helped.

use super::calibrate::{confidence, temperature_for};
use super::estimate::Estimates;
use super::evidence::Evidence;
use super::signals::{Signals, agreement};
use crate::data::Shape;
use crate::error::{Problem, Result};
use crate::linalg::argmax;
use crate::model::{Mixture, Model, Probabilities};
use crate::train::{Assessment, ClassEstimate, Effect, Estimate, Outcome};
use crate::words::percent;

/// Estimated gain over plain training below which the adapted classifier has no say.
///
/// This and the next were chosen by `benchmarks/calibrate/fit`, an ORACLE, with each suite judged by weights that were
/// fitted on the others.
const NO_GAIN: f64 = 0.02;
/// Estimated gain from which on it decides alone. In between both predict, for their errors partly cancel.
const CLEAR_GAIN: f64 = 0.1;
/// Smallest share of differently predicted rows that is called an effect; accuracies cannot differ by more than it.
const EFFECT: f64 = 0.02;
/// Smallest estimated difference that is called an effect.
const DIFFERENCE: f64 = 0.01;

/// Whether runs on rows of this shape can be judged. Those on images cannot: witnesses compare pixels, and the nearest
/// image is rarely one of the same thing.
pub fn can_judge(shape: Shape) -> bool {
    matches!(shape, Shape::Flat(_))
}

/// Judges a finished run beside a plain classifier. The outcome's model predicts by a mixture of both from now on, and
/// its predictions are counted again.
///
/// The run must have kept its rows ([`TrainingOptions::keep_rows`](crate::TrainingOptions::keep_rows)), of a shape that
/// [`can_judge`] knows.
pub fn judge(outcome: &mut Outcome, plain: Model) -> Result<Assessment> {
    let Some(rows) = &outcome.rows else {
        return Err(Problem::at("run")
            .found("no rows")
            .wanted("a run that has kept its rows")
            .help("set `keep_rows` of its options")
            .into());
    };
    let shape = rows.source.layout().shape;
    if !can_judge(shape) {
        return Err(Problem::at("run")
            .found(shape)
            .wanted("rows of features: images cannot be judged")
            .into());
    }
    let evidence = Evidence::of(&outcome.model, &plain, rows)?;
    let signals = Signals::of(&evidence);
    let estimates = Estimates::of(&signals, evidence.n_classes);
    let weight = weigh(&estimates);
    let (mixture, predicted) = mix(&evidence, weight, estimates.of_weight(weight).accuracy);
    let assessment = assess(&evidence, &signals, &estimates, mixture, &predicted, outcome);
    outcome.target_called = counts(&predicted.best().0, evidence.n_classes);
    outcome.target_confidence = confidence(&predicted, 1.0);
    outcome.target_proportions = predicted.mean();
    outcome.model = outcome.model.clone().guarded(plain, mixture);
    Ok(assessment)
}

/// The weight of the adapted classifier: none, or a half at [`NO_GAIN`] to all at [`CLEAR_GAIN`].
fn weigh(estimates: &Estimates) -> f64 {
    match estimates.adapted.accuracy - estimates.plain.accuracy {
        gain if gain < NO_GAIN => 0.0,
        gain => (0.5 + 0.5 * (gain - NO_GAIN) / (CLEAR_GAIN - NO_GAIN)).min(1.0),
    }
}

impl Estimates {
    /// The estimate of a mixture: that of plain training, or one between equal weights and the adapted classifier alone.
    fn of_weight(&self, weight: f64) -> Estimate {
        if weight == 0.0 {
            return self.plain;
        }
        let between = |even: f64, adapted: f64| even + (2.0 * weight - 1.0) * (adapted - even);
        let [low, high] = [0, 1].map(|i| between(self.even.interval[i], self.adapted.interval[i]));
        Estimate { accuracy: between(self.even.accuracy, self.adapted.accuracy), interval: [low, high] }
    }
}

/// The mixture whose mean confidence on the target is the estimated accuracy, and its probabilities.
fn mix(evidence: &Evidence, weight: f64, accuracy: f64) -> (Mixture, Probabilities) {
    let Evidence { adapted, plain, .. } = evidence;
    let temperatures = [adapted.temperature, plain.temperature];
    let raw = Mixture { weight, temperatures, temperature: 1.0 };
    let temperature = temperature_for(&raw.of(&adapted.target, &plain.target), accuracy);
    let mixture = Mixture { temperature, ..raw };
    (mixture, mixture.of(&adapted.target, &plain.target))
}

fn assess(
    evidence: &Evidence,
    signals: &Signals,
    estimates: &Estimates,
    mixture: Mixture,
    predicted: &Probabilities,
    outcome: &Outcome,
) -> Assessment {
    let Evidence { adapted, plain, .. } = evidence;
    let names = outcome.model.about().classes.names();
    let disagreement = 1.0 - agreement(&adapted.predicted, &plain.predicted);
    let estimate = estimates.of_weight(mixture.weight);
    let verdict = verdict(estimates, mixture.weight, disagreement);
    let majority = argmax(&evidence.proportions);
    Assessment {
        verdict,
        reason: reason(estimates, mixture.weight, disagreement),
        advice: advice(verdict, mixture.weight),
        estimate,
        adapted: estimates.adapted,
        plain: estimates.plain,
        majority: (names[majority].clone(), f64::from(predicted.mean()[majority])),
        disagreement,
        weight: mixture.weight,
        classes: classes(predicted, names),
        temperatures: mixture.temperatures,
        signals: signals.iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}

fn verdict(estimates: &Estimates, weight: f64, disagreement: f64) -> Effect {
    let gain = estimates.adapted.accuracy - estimates.plain.accuracy;
    match weight > 0.0 {
        _ if disagreement < EFFECT => Effect::Unclear,
        true => Effect::Helped,
        false if gain < -DIFFERENCE => Effect::Hurt,
        false => Effect::Unclear,
    }
}

fn reason(estimates: &Estimates, weight: f64, disagreement: f64) -> String {
    let Estimates { adapted, plain, .. } = estimates;
    let both = format!(
        "the adapted and the plain classifier disagree on {} of the target rows, and their estimated accuracies are {} \
         and {}",
        percent(disagreement),
        percent(adapted.accuracy),
        percent(plain.accuracy)
    );
    match weight {
        0.0 => format!("{both}: plain training predicts"),
        1.0 => format!("{both}: the adapted one predicts"),
        _ => {
            format!("{both}: too close to drop one, so both predict, the adapted one with weight {weight:.2}")
        }
    }
}

fn advice(verdict: Effect, weight: f64) -> String {
    match (verdict, weight) {
        (Effect::Helped, _) => "use the predictions; a few dozen labelled target rows would make the estimate exact",
        (Effect::Hurt, _) => {
            "use the predictions, which are those of plain training; the adapted classifier is kept as head `c`"
        }
        (Effect::Unclear, _) => "label a few dozen target rows and score the run on them before you rely on it",
    }
    .to_owned()
}

fn counts(predicted: &[u32], n_classes: usize) -> Vec<usize> {
    let mut counts = vec![0; n_classes];
    predicted.iter().for_each(|&class| counts[class as usize] += 1);
    counts
}

/// The mean confidence of the rows predicted as each class: the mean over all rows is the estimated accuracy.
fn classes(predicted: &Probabilities, names: &[String]) -> Vec<ClassEstimate> {
    let (best, sure) = predicted.best();
    let counts = counts(&best, names.len());
    let mut sums = vec![0f64; names.len()];
    best.iter().zip(&sure).for_each(|(&class, &sure)| sums[class as usize] += f64::from(sure));
    let of = |(m, name): (usize, &String)| ClassEstimate {
        class: name.clone(),
        predicted: counts[m],
        precision: (counts[m] > 0).then(|| sums[m] / counts[m] as f64),
    };
    names.iter().enumerate().map(of).collect()
}
