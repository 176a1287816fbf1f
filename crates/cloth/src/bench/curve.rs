//! The curve of a loss over training, as a few means.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Problem, Result};
use crate::train::read_metrics;

/// Number of equal parts of a run.
pub(super) const PARTS: usize = 20;

/// A loss over training: its mean in each twentieth of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Symbol of the loss.
    pub loss: String,
    /// Mean of each part; none if the loss was not logged in it.
    pub means: Vec<Option<f64>>,
}

impl Curve {
    /// Reads the curve from a run's `metrics.jsonl`.
    pub(super) fn read(path: &Path, loss: &str, iterations: usize) -> Result<Self> {
        let mut sums = [(0.0, 0u32); PARTS];
        let mut known = BTreeSet::new();
        for line in read_metrics(path)? {
            known.extend(line.values.iter().map(|(name, _)| name.clone()));
            if let Some(value) = line.get(loss) {
                let part = line.iteration.saturating_sub(1) * PARTS / iterations.max(1);
                let (sum, n) = &mut sums[part.min(PARTS - 1)];
                *sum += value;
                *n += 1;
            }
        }
        if !known.contains(loss) {
            let losses: Vec<String> = known.into_iter().collect();
            return Err(Problem::at("`curve` of the study")
                .found(format!("`{loss}`"))
                .wanted(format!("one of the logged losses: {}", losses.join(", ")))
                .into());
        }
        let means = sums.iter().map(|&(sum, n)| (n > 0).then(|| sum / f64::from(n))).collect();
        Ok(Self { loss: loss.to_owned(), means })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_twentieth_has_its_mean() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("metrics.jsonl");
        let lines: Vec<String> =
            (1..=40).map(|i| format!("{{\"iteration\":{},\"l_t\":{i}.0,\"l_c\":9}}", 10 * i)).collect();
        std::fs::write(&path, lines.join("\n") + "\n{\"iterat").unwrap();
        let curve = Curve::read(&path, "l_t", 400).unwrap();
        let expected: Vec<Option<f64>> = (0..20).map(|part| Some(2.0 * f64::from(part) + 1.5)).collect();
        assert_eq!(curve.means, expected);
        let error = Curve::read(&path, "homm", 400).unwrap_err().to_string();
        assert_eq!(error, "`curve` of the study: found `homm`, wanted one of the logged losses: l_c, l_t");
    }
}
