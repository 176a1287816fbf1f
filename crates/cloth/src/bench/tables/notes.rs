//! The notes below every table.

use crate::bench::results::Results;
use crate::config::{PRESETS, Select};
use crate::words::one_line;

/// The conditions of the results, as plain sentences without markup.
pub fn notes(results: &Results) -> Vec<String> {
    let stamp = &results.stamp;
    let mut notes = Vec::new();
    if !results.complete() {
        notes.push(format!("INCOMPLETE: {} of {} runs were made.", results.runs.len(), results.planned));
    }
    if results.failed() > 0 {
        let runs = if results.failed() == 1 { "run" } else { "runs" };
        notes.push(format!("{} {runs} failed: a loss became NaN or infinite.", results.failed()));
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
    for (whose, settings) in [("all methods", of_all), ("single methods", of_one)] {
        if !settings.is_empty() {
            notes.push(format!("Settings of the suite, for {whose}: {}.", settings.join(", ")));
        }
    }
    let active = stamp.additions.iter().filter(|addition| addition.active);
    notes.extend(active.map(|addition| addition.note.clone()));
    notes.extend(stamp.study_note.clone());
    notes.push(match stamp.selection {
        Select::Last => "Selection: always the last iteration.".to_owned(),
        Select::SourceVal => "Selection: the best iteration on source validation rows.".to_owned(),
    });
    notes.push(scored_on(results));
    notes.push(format!("Target labels used: {}.", stamp.target_labels));
    if results.averages.iter().any(|averages| averages.oracle.is_some()) {
        notes.push(
            "ORACLE: the best evaluation of each run by target accuracy. It needs the labels that are to be predicted, \
             so it is a bound and not a result."
                .to_owned(),
        );
    }
    if !results.paper.is_empty() {
        let table = stamp.paper_table.as_deref().unwrap_or("its tables");
        let features = stamp.paper_features.as_deref().unwrap_or("other");
        notes.push(format!(
            "Rows marked (paper) are the paper's own numbers, {table}. Its features are {features}, so they give context \
             but are not directly comparable."
        ));
    }
    let off = results.paper.iter().filter_map(|row| Some(format!("{}: {}", row.name, row.off.as_ref()?)));
    let off: Vec<String> = off.collect();
    if !off.is_empty() {
        notes.push(format!(
            "Means printed in the paper that differ from the mean of its cells: {}.",
            off.join("; ")
        ));
    }
    notes.push(format!("Made by cloth {}.", stamp.cloth));
    // Each note is one list item or one comment, so it must be on one line.
    notes.iter().map(|note| one_line(note)).collect()
}

/// Which rows were scored. Only some targets may have test rows.
fn scored_on(results: &Results) -> String {
    let apart: Vec<&str> = results
        .tasks
        .iter()
        .filter(|task| results.runs.iter().any(|run| run.task == **task && run.on_test_rows))
        .map(String::as_str)
        .collect();
    match apart.len() {
        0 => "Scored on the target rows used for adaptation.".to_owned(),
        n if n == results.tasks.len() => {
            "Scored on the target's test rows, which training never saw.".to_owned()
        }
        _ => format!(
            "Scored on the target rows used for adaptation; in {}, on the target's test rows, which training never saw.",
            apart.join(", ")
        ),
    }
}

/// The heading: study and suite, and the settings that differ from the default.
pub fn title(results: &Results) -> String {
    let stamp = &results.stamp;
    let mut title = match &stamp.study_title {
        Some(study) => format!("{study}: {}", stamp.title),
        None => stamp.title.clone(),
    };
    let mut others: Vec<String> = Vec::new();
    others.extend((stamp.preset != PRESETS[0].name).then(|| format!("{} preset", stamp.preset)));
    // A study is often made with and without an addition to the paper; the headings must tell which.
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
