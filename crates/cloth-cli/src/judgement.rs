//! The judgement on a run, as text and as JSON.

use cloth::train::{Assessment, Effect, Estimate};
use serde_json::{Map, Value, json};

use crate::table::Table;
use crate::text::{percent, rounded};

/// The estimates, as lines of text.
pub(crate) fn estimates(assessment: &Assessment) -> Vec<String> {
    let Assessment { estimate, adapted, plain, majority, disagreement, weight, .. } = assessment;
    let who = match weight {
        0.0 => "by plain training",
        1.0 => "by the adapted classifier",
        _ => "by the adapted classifier and plain training together",
    };
    let mut table = Table::new(1, ["Accuracy on the target, estimated without labels", "", "nine in ten"]);
    let mut row = |name: String, estimate: &Estimate| {
        let [low, high] = estimate.interval;
        table.row([name, percent(estimate.accuracy), format!("{} to {}", percent(low), percent(high))]);
    };
    row("  these predictions".to_owned(), estimate);
    row("  adapted classifier alone".to_owned(), adapted);
    row("  plain training".to_owned(), plain);
    table.row([format!("  always \"{}\"", majority.0), percent(majority.1)]);
    let mut lines: Vec<String> = table.render().lines().map(|line| line.trim_end().to_owned()).collect();
    // The table truncates long cells.
    lines[0] =
        "Accuracy on the target, estimated without labels (nine in ten lie within the range):".to_owned();
    lines.push(format!(
        "Rows on which adapted and plain disagree: {}; predicted {who}.",
        percent(*disagreement)
    ));
    lines
}

/// The verdict, and what to do.
pub(crate) fn last_word(assessment: &Assessment) -> String {
    let verdict = match assessment.verdict {
        Effect::Helped => "Adapting helped",
        Effect::Hurt => "Adapting hurt",
        Effect::Unclear => "Whether adapting helped cannot be told",
    };
    format!("{verdict}: {}.", assessment.advice)
}

/// The judgement as fields of JSON.
pub(crate) fn json(assessment: &Assessment) -> Map<String, Value> {
    let Assessment { estimate, adapted, plain, .. } = assessment;
    let signals = assessment.signals.iter().map(|(name, value)| (name.clone(), rounded(*value).into()));
    let signals: Map<String, Value> = signals.collect();
    let classes: Vec<Value> = assessment
        .classes
        .iter()
        .map(|class| {
            let precision = class.precision.map(rounded);
            json!({ "class": class.class, "predicted": class.predicted, "estimated_precision": precision })
        })
        .collect();
    let fields = json!({
        "verdict": assessment.verdict.word(),
        "reason": assessment.reason,
        "advice": assessment.advice,
        "estimated_accuracy": rounded(estimate.accuracy),
        "estimated_interval": estimate.interval.map(rounded),
        "estimated_adapted": rounded(adapted.accuracy),
        "estimated_source_only": rounded(plain.accuracy),
        "estimated_source_only_interval": plain.interval.map(rounded),
        "majority_class": assessment.majority.0,
        "estimated_majority": rounded(assessment.majority.1),
        "disagreement": rounded(assessment.disagreement),
        "weight_of_adapted": rounded(assessment.weight),
        "temperatures": assessment.temperatures.map(rounded),
        "estimated_classes": classes,
        "signals": signals,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
