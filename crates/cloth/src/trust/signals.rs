//! Signals: numbers from the evidence that tell something of the accuracy on the target.

use super::calibrate::confidence;
use super::evidence::{Evidence, Testimony};

/// Shares are kept this far from 0 and 1 before their log odds are taken.
const EDGE: f64 = 0.02;

/// How sharply `familiar` turns from 0 to 1 where the target is as near to the source as it is and centred.
const SHARPNESS: f64 = 6.0;

/// Named numbers, in a fixed order.
///
/// Most are shares of rows as log odds: `adapted.neighbour` is how often the adapted classifier agrees with the witness
/// `neighbour`, `dispute.neighbour` whom that witness believes where the classifiers disagree. `familiar` tells whether the
/// target lies among the source's rows as it is, or is explained by other class proportions (1), or lies there only once
/// it has been centred (0): a domain that is the source with other proportions must not be centred, and one that has moved
/// must be. `fit` signals go by it.
#[derive(Debug, Clone, PartialEq)]
pub struct Signals(Vec<(String, f64)>);

impl Evidence {
    /// The share of the distance between the domains that the class proportions explain which a classifier predicts.
    fn explained(&self, by: &Testimony) -> f64 {
        self.witnesses.overlap.explained(&self.proportions, &shares(by, self.n_classes))
    }
}

impl Signals {
    /// Computes every signal.
    pub fn of(evidence: &Evidence) -> Self {
        let Evidence { adapted, plain, witnesses, .. } = evidence;
        let mut signals = Self(Vec::new());
        signals.add("classes", (evidence.n_classes as f64).ln());
        signals.add("shift", evidence.shift.unwrap_or(1.0));
        let [by_row, by_mean] = witnesses.on_source;
        signals.share("source.neighbour", by_row);
        signals.share("source.mean", by_mean);
        let [reach, reach_centred] = witnesses.overlap.reach;
        signals.add("reach", reach);
        signals.add("reach_centred", reach_centred);
        let familiar = 1.0 / (1.0 + (-(reach_centred - reach) * SHARPNESS).exp());
        let explained = evidence.explained(plain);
        signals.add("familiar", 1.0 - (1.0 - familiar) * (1.0 - explained));
        signals.share("agreement", agreement(&adapted.predicted, &plain.predicted));
        let sampled = |testimony: &Testimony| -> Vec<u32> {
            witnesses.rows.iter().map(|&row| testimony.predicted[row as usize]).collect()
        };
        let both = [("adapted", adapted), ("plain", plain)].map(|(name, of)| (name, of, sampled(of)));
        for (name, testimony, sample) in &both {
            signals.of_classifier(name, testimony, sample, evidence);
        }
        let [(_, _, a), (_, _, b)] = &both;
        for (witness, answers) in &witnesses.answers {
            signals.add(&format!("dispute.{witness}"), dispute(a, b, answers));
        }
        for subject in ["adapted", "plain", "dispute"] {
            for witness in ["neighbour", "mean"] {
                signals.add_fit(subject, witness);
            }
        }
        signals
    }

    fn of_classifier(&mut self, name: &str, testimony: &Testimony, sample: &[u32], evidence: &Evidence) {
        let Evidence { witnesses, proportions, labels, .. } = evidence;
        let confidence = confidence(&testimony.target, testimony.temperature);
        self.share(&format!("{name}.confidence"), confidence);
        self.add(&format!("{name}.familiar_confidence"), self.get("familiar") * log_odds(confidence));
        self.share(&format!("{name}.validation"), validation(testimony, labels));
        let found = shares(testimony, evidence.n_classes);
        self.add(&format!("{name}.proportions"), distance(&found, proportions));
        self.share(&format!("{name}.explained"), evidence.explained(testimony));
        self.share(&format!("{name}.neighbours"), consistency(sample, &witnesses.neighbours));
        for (witness, answers) in &witnesses.answers {
            self.share(&format!("{name}.{witness}"), agreement(sample, answers));
        }
    }

    /// What a witness says with the target as it is, as far as it is familiar, and centred, as far as it is not.
    fn add_fit(&mut self, subject: &str, witness: &str) {
        let (as_it_is, centred) = (format!("{subject}.{witness}"), format!("{subject}.{witness}_centred"));
        let familiar = self.get("familiar");
        let fit = familiar * self.get(&as_it_is) + (1.0 - familiar) * self.get(&centred);
        self.add(&format!("{subject}.fit_{witness}"), fit);
    }

    fn add(&mut self, name: &str, value: f64) {
        self.0.push((name.to_owned(), value));
    }

    fn share(&mut self, name: &str, share: f64) {
        self.add(name, log_odds(share));
    }

    /// The value of a signal.
    ///
    /// # Panics
    /// If there is no signal of this name.
    pub fn get(&self, name: &str) -> f64 {
        self.iter().find(|signal| signal.0 == name).expect("a signal that exists").1
    }

    /// Name and value of each signal.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, f64); N]> for Signals {
    fn from(signals: [(&str, f64); N]) -> Self {
        Self(signals.map(|(name, value)| (name.to_owned(), value)).to_vec())
    }
}

/// log(p / (1 − p)), with p kept away from 0 and 1.
pub fn log_odds(share: f64) -> f64 {
    let p = share.clamp(EDGE, 1.0 - EDGE);
    (p / (1.0 - p)).ln()
}

/// Share of rows for which two classifiers predict the same class.
pub fn agreement(a: &[u32], b: &[u32]) -> f64 {
    a.iter().zip(b).filter(|(a, b)| a == b).count() as f64 / a.len().max(1) as f64
}

/// Accuracy on the validation rows, as if there were one more row of which half is right.
fn validation(testimony: &Testimony, labels: &[u32]) -> f64 {
    let right = testimony.validation.best().0.iter().zip(labels).filter(|(a, b)| a == b).count();
    (right as f64 + 0.5) / (labels.len() as f64 + 1.0)
}

/// Whom a witness believes where two classifiers disagree: log of the ratio of the rows, as if each had one more, so that
/// a few rows decide nothing.
fn dispute(a: &[u32], b: &[u32], answers: &[u32]) -> f64 {
    let split: Vec<usize> = (0..a.len()).filter(|&i| a[i] != b[i]).collect();
    let believed = |of: &[u32]| split.iter().filter(|&&i| of[i] == answers[i]).count() as f64;
    ((believed(a) + 1.0) / (believed(b) + 1.0)).ln()
}

/// Shares of the predicted classes.
fn shares(testimony: &Testimony, n_classes: usize) -> Vec<f64> {
    let mut shares = vec![0f64; n_classes];
    let n = testimony.predicted.len().max(1) as f64;
    testimony.predicted.iter().for_each(|&class| shares[class as usize] += 1.0 / n);
    shares
}

/// Total variation.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

/// Share of pairs of neighbours that are predicted alike.
fn consistency(predicted: &[u32], neighbours: &[Vec<usize>]) -> f64 {
    let pairs = neighbours.iter().map(Vec::len).sum::<usize>().max(1);
    let alike = predicted.iter().zip(neighbours);
    let alike = alike.map(|(own, near)| near.iter().filter(|&&j| predicted[j] == *own).count());
    alike.sum::<usize>() as f64 / pairs as f64
}
