//! Which rows to label next: those on which two classifiers contradict each other, for a label there decides between them.

use crate::error::Result;
use crate::linalg::argmax;
use crate::model::{Head, Model, Probabilities, tempered};

/// Weight of the doubt that both share beside their contradiction.
const SHARED_DOUBT: f64 = 0.1;

/// What the label of a row would tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worth {
    /// The more, the more it tells: the Jensen-Shannon divergence of the two classifiers, and a tenth of the entropy of
    /// their mean, in nats.
    pub value: f64,
    /// The classes that the two predict.
    pub classes: (u32, u32),
}

impl Worth {
    /// The worth of each row's label to a model: its adapted against its plain classifier, or C against T, or only C's
    /// doubt. `rows` are raw values.
    pub fn of(model: &Model, rows: &[f32]) -> Result<Vec<Self>> {
        let ours = model.predict(rows, Head::C)?;
        let theirs = match model.mixture() {
            Some(_) => model.predict(rows, Head::Plain)?,
            None if model.has_t() => model.predict(rows, Head::T)?,
            None => ours.clone(),
        };
        let temperatures = model.mixture().map_or([1.0, 1.0], |mixture| mixture.temperatures);
        Ok(Self::between(&ours, &theirs, temperatures))
    }

    fn between(ours: &Probabilities, theirs: &Probabilities, [t_a, t_b]: [f64; 2]) -> Vec<Self> {
        let pairs = ours.values.chunks_exact(ours.n_classes).zip(theirs.values.chunks_exact(ours.n_classes));
        let worth = |(a, b): (&[f32], &[f32])| {
            let classes = (argmax(a) as u32, argmax(b) as u32);
            let (a, b) = (tempered(a, t_a), tempered(b, t_b));
            let mean: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (a + b) / 2.0).collect();
            let doubt = entropy(&mean);
            let contradiction = doubt - (entropy(&a) + entropy(&b)) / 2.0;
            Self { value: contradiction + SHARED_DOUBT * doubt, classes }
        };
        pairs.map(worth).collect()
    }

    /// The `n` rows whose labels tell most, the most telling first. Pairs of predicted classes take turns, so that the
    /// rows are not all of one kind.
    pub fn ask(worths: &[Self], n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..worths.len()).collect();
        order.sort_by(|&a, &b| worths[b].value.total_cmp(&worths[a].value).then(a.cmp(&b)));
        let mut asked = std::collections::HashMap::new();
        let mut turns: Vec<(usize, usize)> = order
            .into_iter()
            .map(|row| {
                let turn = asked.entry(worths[row].classes).or_insert(0usize);
                *turn += 1;
                (*turn, row)
            })
            .collect();
        // Stable: within a turn the most telling pair comes first.
        turns.sort_by_key(|&(turn, _)| turn);
        turns.into_iter().map(|(_, row)| row).take(n).collect()
    }
}

fn entropy(p: &[f64]) -> f64 {
    p.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: &[f32]) -> Probabilities {
        Probabilities { values: values.to_vec(), n_classes: 2 }
    }

    #[test]
    fn a_sure_contradiction_tells_most_then_shared_doubt_then_agreement() {
        let ours = rows(&[0.99, 0.01, 0.5, 0.5, 0.99, 0.01]);
        let theirs = rows(&[0.01, 0.99, 0.5, 0.5, 0.99, 0.01]);
        let worths = Worth::between(&ours, &theirs, [1.0, 1.0]);
        assert_eq!(Worth::ask(&worths, 3), [0, 1, 2]);
        // By hand: the mean of the first is (0.5, 0.5), and each side has an entropy of 0.056.
        assert!((worths[0].value - (1.1 * 2f64.ln() - 0.0560)).abs() < 1e-4, "{worths:?}");
        assert!((worths[1].value - 0.1 * 2f64.ln()).abs() < 1e-6);
    }

    #[test]
    fn kinds_of_contradiction_take_turns() {
        let worth = |value, classes| Worth { value, classes };
        let worths = [worth(0.9, (0, 1)), worth(0.8, (0, 1)), worth(0.7, (0, 1)), worth(0.1, (1, 0))];
        assert_eq!(Worth::ask(&worths, 3), [0, 3, 1]);
        assert_eq!(Worth::ask(&worths, 9).len(), 4, "no more than there are");
    }
}
