//! What a run says of its own accuracy, without a label of the target, and which classifier predicts.

use std::fs;

use crate::support::{Dir, FAST, Labels, csv, rows};

const KEYS: &[&str] = &[
    "verdict",
    "reason",
    "advice",
    "estimated_accuracy",
    "estimated_interval",
    "estimated_source_only",
    "disagreement",
    "weight_of_adapted",
    "signals",
];

#[test]
fn a_run_estimates_its_accuracy_and_ends_with_the_verdict() {
    let dir = Dir::with_data();
    let text = dir.train("source.csv", "target.csv", "run", &[]).done().stdout;
    assert!(text.contains("  plain training "), "{text}");
    let last = text.trim_end().lines().last().unwrap();
    let verdicts = ["Adapting helped: ", "Adapting hurt: ", "Whether adapting helped cannot be told: "];
    assert!(verdicts.iter().any(|verdict| last.starts_with(verdict)), "{last}");

    let told = dir.train("source.csv", "target.csv", "told", &["--json"]).done().json(KEYS);
    let (low, high) =
        (told["estimated_interval"][0].as_f64().unwrap(), told["estimated_interval"][1].as_f64().unwrap());
    let accuracy = told["estimated_accuracy"].as_f64().unwrap();
    assert!(0.0 < low && low <= accuracy && accuracy <= high && high <= 1.0, "{told}");
    assert!(["helped", "hurt", "unclear"].contains(&told["verdict"].as_str().unwrap()));
    // Kept with the run, and shown again.
    let later = dir.run(["validate", "told", "--json"]).done().json(KEYS);
    assert!(KEYS.iter().all(|key| later[key] == told[key]), "{later}\n{told}");
    assert!(dir.text("told/summary.json").contains("\"assessment\""));
    let text = dir.run(["validate", "run"]).done().stdout;
    for part in ["estimated without labels", "Why: ", "By class:", "agreement"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn the_plain_classifier_is_that_of_source_only_to_the_bit() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &["--seed", "3"]).done();
    let fast: Vec<&str> = FAST.iter().copied().filter(|word| !word.contains("method.cloth")).collect();
    let fast = &fast[..fast.len() - 1];
    let alone =
        ["train", "source.csv", "target.csv", "-o", "alone", "--method", "source_only", "--seed", "3"];
    dir.run(alone.iter().chain(fast)).done();
    assert!(dir.read("alone/model.safetensors") == dir.read("run/plain/model.safetensors"));
    let predict =
        |run: &str, head: &str| dir.run(["predict", run, "target.csv", "--head", head]).done().stdout;
    assert_eq!(predict("run", "plain"), predict("alone", "c"));
}

#[test]
fn a_guarded_run_predicts_by_both_classifiers_unless_told_otherwise() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &[]).done();
    let predict = |more: &[&str]| dir.run(["predict", "run", "target.csv"].iter().chain(more)).done().stdout;
    assert_eq!(predict(&[]), predict(&["--head", "guarded"]));
    assert_ne!(predict(&[]), predict(&["--head", "c"]), "the guarded confidence is calibrated");
    dir.write("labelled.csv", csv(&rows(90, 3, 1.0), Labels::True));
    for head in ["c", "t", "plain", "guarded"] {
        dir.run(["eval", "run", "labelled.csv", "--head", head, "--json"]).done().json(&["accuracy"]);
    }
}

#[test]
fn labels_correct_the_estimate_of_the_predictions_that_it_was_made_for() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &[]).done();
    dir.write("labelled.csv", csv(&rows(90, 3, 1.0), Labels::True));
    let keys =
        ["accuracy", "accuracy_interval", "estimated_accuracy", "corrected_accuracy", "corrected_interval"];
    let told = dir.run(["eval", "run", "labelled.csv", "--json"]).done().json(&keys);
    let [counted, before, after] =
        ["accuracy", "estimated_accuracy", "corrected_accuracy"].map(|key| told[key].as_f64().unwrap());
    assert!((after - counted).abs() < (before - counted).abs() + 1e-3, "{told}");
    let width = |key: &str| told[key][1].as_f64().unwrap() - told[key][0].as_f64().unwrap();
    assert!(width("corrected_interval") <= width("accuracy_interval") + 1e-3, "{told}");
    let text = dir.run(["eval", "run", "labelled.csv"]).done().stdout;
    assert!(text.contains("estimated before") && text.contains("corrected"), "{text}");
    let text = dir.run(["eval", "run", "labelled.csv", "--head", "plain"]).done().stdout;
    assert!(!text.contains("estimated before"), "the estimate is not of this classifier: {text}");
}

#[test]
fn rows_to_label_next_are_rows_of_the_file_each_once_and_no_more_than_asked() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &[]).done();
    let ran = dir.run(["predict", "run", "target.csv", "--ask", "7", "--proba"]).done();
    let all = dir.run(["predict", "run", "target.csv", "--proba"]).done().stdout;
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!((lines.len(), lines[0]), (8, all.lines().next().unwrap()), "{}", ran.stdout);
    let mut asked = lines[1..].to_vec();
    assert!(asked.iter().all(|line| all.lines().any(|row| row == *line)), "{asked:?}");
    asked.sort_unstable();
    asked.dedup();
    assert_eq!(asked.len(), 7);
    assert!(ran.stderr.contains("rows chosen at random"), "{}", ran.stderr);
    let told = dir.run(["predict", "run", "target.csv", "--ask", "7", "--json"]).done().json(&["ask"]);
    let first: u64 = lines[1].split(',').next().unwrap().parse().unwrap();
    assert_eq!((told["ask"].as_array().unwrap().len(), told["ask"][0].as_u64()), (7, Some(first)));
    dir.run(["predict", "run", "target.csv", "--ask", "0"]).failed(&["--ask"]);
}

#[test]
fn without_the_guard_nothing_is_estimated_and_that_is_said() {
    let dir = Dir::with_data();
    let ran = dir.train("source.csv", "target.csv", "run", &["--set", "train.guard=false"]).done();
    assert!(ran.stdout.contains("no label was used: this is not accuracy"), "{}", ran.stdout);
    assert!(!dir.path("run/plain").exists());
    dir.run(["validate", "run"]).failed(&["found a run that was trained without the guard"]);
    dir.run(["predict", "run", "target.csv", "--head", "plain"]).failed(&["found `plain`", "train.guard"]);
    dir.run(["predict", "run", "target.csv", "--head", "guarded"]).failed(&["found `guarded`"]);
}

#[test]
fn the_adapted_networks_do_not_depend_on_the_guard() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "guarded", &[]).done();
    dir.train("source.csv", "target.csv", "alone", &["--set", "train.guard=false"]).done();
    let predict = |run: &str| dir.run(["predict", run, "target.csv", "--head", "c", "--proba"]).done().stdout;
    assert_eq!(predict("guarded"), predict("alone"));
}

#[test]
fn resuming_a_finished_run_keeps_its_judgement() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &[]).done();
    let (model, summary) = (dir.read("run/model.safetensors"), dir.text("run/summary.json"));
    dir.run(["train", "--resume", "run"]).done();
    assert!(dir.read("run/model.safetensors") == model);
    assert_eq!(dir.text("run/summary.json"), summary);
    // A crash between the last iteration and the judgement leaves no summary of it: resuming makes it.
    fs::remove_file(dir.path("run/summary.json")).unwrap();
    dir.run(["train", "--resume", "run"]).done();
    assert!(dir.text("run/summary.json").contains("\"assessment\""));
    assert!(dir.read("run/model.safetensors") == model);
}
