//! What can be seen during training without a target label.

use crate::data::batch::TrainingSet;
use crate::error::Result;
use crate::model::{Head, probabilities};
use crate::nets::Networks;

/// Target rows that a look takes in: enough to see a collapse, few enough to cost nothing.
const TARGET_ROWS: usize = 1000;
/// Fewer target rows may well be of one class.
const FEWEST_ROWS: usize = 20;
/// A class that this share of the target falls into, but not of the source, is a collapse.
const COLLAPSE: f64 = 0.9;

/// Accuracy on the source's validation rows, if there are any.
pub(super) fn source_accuracy(networks: &Networks, data: &TrainingSet) -> Result<Option<f64>> {
    let rows = &data.split().validation;
    if rows.is_empty() {
        return Ok(None);
    }
    let (best, _) = probabilities(networks, &data.source().features().gather(rows), Head::C, "")?.best();
    let right =
        best.iter().zip(rows).filter(|(b, row)| **b == data.source().labels()[**row as usize]).count();
    Ok(Some(right as f64 / rows.len() as f64))
}

/// Warns where C or T calls almost all target rows one class although the source has several.
pub(super) fn collapse(networks: &Networks, data: &TrainingSet, iteration: usize) -> Result<Vec<String>> {
    let n = data.target().rows();
    if n < FEWEST_ROWS {
        return Ok(Vec::new());
    }
    let every = n.div_ceil(TARGET_ROWS).max(1);
    let rows: Vec<u32> = (0..n as u32).step_by(every).collect();
    let values = data.target().gather(&rows);
    let counts = data.source().class_counts();
    let total: usize = counts.iter().sum();
    let mut warnings = Vec::new();
    for (name, head) in [("C", Head::C), ("T", Head::T)] {
        if head == Head::T && networks.t.is_none() {
            continue;
        }
        let (best, _) = probabilities(networks, &values, head, "")?.best();
        for (class, &in_source) in counts.iter().enumerate() {
            let share = best.iter().filter(|&&b| b as usize == class).count() as f64 / best.len() as f64;
            let expected = in_source as f64 / total as f64;
            if share > COLLAPSE && expected < COLLAPSE - 0.2 {
                warnings.push(format!(
                    "iteration {iteration}: {name} calls {:.0} % of the target rows `{}` ({:.0} % of the source): \
                     training may have collapsed",
                    100.0 * share,
                    data.source().classes().name(class as u32),
                    100.0 * expected,
                ));
            }
        }
    }
    Ok(warnings)
}
