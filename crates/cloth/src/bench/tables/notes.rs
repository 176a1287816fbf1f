//! What must be said with every table.

use crate::bench::results::Results;
use crate::config::{PRESETS, Select};
use crate::words::one_line;

/// The conditions, as sentences without marks of any format.
pub fn notes(results: &Results) -> Vec<String> {
    let stamp = &results.stamp;
    let mut notes = Vec::new();
    if !results.complete() {
        notes.push(format!("INCOMPLETE: {} of {} runs were made.", results.runs.len(), results.planned));
    }
    if results.failed() > 0 {
        let runs = if results.failed() == 1 { "run" } else { "runs" };
        notes.push(format!("{} {runs} failed: a loss was no longer a number.", results.failed()));
    }
    notes.push(format!("Features: {}.", stamp.features));
    notes.push(match stamp.seeds.as_slice() {
        [first, .., last] => format!("Seeds: {first} to {last}."),
        _ => "Seeds: 0.".to_owned(),
    });
    let settings = if stamp.settings.is_empty() {
        String::new()
    } else {
        format!(" with {}", stamp.settings.join(", "))
    };
    notes.push(format!("Preset: {}{settings}.", stamp.preset));
    let (of_one, of_all): (Vec<String>, Vec<String>) =
        stamp.suite_settings.iter().cloned().partition(|setting| setting.starts_with("method."));
    for (whose, settings) in [("all methods", of_all), ("one method alone", of_one)] {
        if !settings.is_empty() {
            notes.push(format!("Settings of the suite, for {whose}: {}.", settings.join(", ")));
        }
    }
    let active = stamp.additions.iter().filter(|addition| addition.active);
    notes.extend(active.map(|addition| addition.note.clone()));
    notes.extend(stamp.study_note.clone());
    notes.push(match stamp.selection {
        Select::Last => "Selection: the last iteration; nothing is chosen.".to_owned(),
        Select::SourceVal => "Selection: the best iteration on source validation rows.".to_owned(),
    });
    notes.push(scored_on(results));
    notes.push(format!("Target labels used: {}.", stamp.target_labels));
    if results.averages.iter().any(|averages| averages.oracle.is_some()) {
        notes.push(
            "ORACLE: the best of each run's looks by target accuracy. It needs the labels that are to be predicted, \
             so it is a bound and not a result."
                .to_owned(),
        );
    }
    if !results.paper.is_empty() {
        let table = stamp.paper_table.as_deref().unwrap_or("its tables");
        let features = stamp.paper_features.as_deref().unwrap_or("other");
        notes.push(format!(
            "Rows marked (paper) are the paper's own cells, {table}: its features are {features}, so they are context \
             and no yardstick."
        ));
    }
    let off = results.paper.iter().filter_map(|row| Some(format!("{}: {}", row.name, row.off.as_ref()?)));
    let off: Vec<String> = off.collect();
    if !off.is_empty() {
        notes.push(format!("Means that the paper prints otherwise than its cells give: {}.", off.join("; ")));
    }
    notes.push(format!("Made by cloth {}.", stamp.cloth));
    // Whatever people wrote on several lines: each is one item of a list, or one comment.
    notes.iter().map(|note| one_line(note)).collect()
}

/// Which rows the scores are of. A target may have test rows where another has none.
fn scored_on(results: &Results) -> String {
    let apart: Vec<&str> = results
        .tasks
        .iter()
        .filter(|task| results.runs.iter().any(|run| run.task == **task && run.on_test_rows))
        .map(String::as_str)
        .collect();
    match apart.len() {
        0 => "Scored on the target rows that were adapted to.".to_owned(),
        n if n == results.tasks.len() => {
            "Scored on the target's test rows, which training never saw.".to_owned()
        }
        _ => format!(
            "Scored on the target rows that were adapted to; in {}, on the target's test rows, which training never saw.",
            apart.join(", ")
        ),
    }
}

/// The heading: what is measured, and what is otherwise than the default.
pub fn title(results: &Results) -> String {
    let stamp = &results.stamp;
    let mut title = match &stamp.study_title {
        Some(study) => format!("{study}: {}", stamp.title),
        None => stamp.title.clone(),
    };
    let mut others: Vec<String> = Vec::new();
    others.extend((stamp.preset != PRESETS[0].name).then(|| format!("{} preset", stamp.preset)));
    // A study is often made twice, with an addition to the paper and without it: their headings must differ in words.
    for addition in &stamp.additions {
        if stamp.settings.contains(&addition.without) {
            others.push(format!("without the {}", addition.name));
        } else if addition.active && stamp.study.is_some() && !title.contains(&addition.name) {
            others.push(format!("with the {}", addition.name));
        }
    }
    let said = |setting: &&String| stamp.additions.iter().any(|addition| addition.without == **setting);
    others.extend(stamp.settings.iter().filter(|setting| !said(setting)).cloned());
    if !others.is_empty() {
        title += &format!(" ({})", others.join(", "));
    }
    one_line(&title)
}
