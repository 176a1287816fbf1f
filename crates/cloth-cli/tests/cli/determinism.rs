//! What the result depends on: the seed, but neither target labels nor the number of threads.

use crate::support::{Dir, Labels, csv, rows};

/// Target labels must not leak into training or model selection.
#[test]
fn labels_of_the_target_change_nothing() {
    let dir = Dir::with_data();
    let mut models = Vec::new();
    for (name, labels) in [("none", Labels::None), ("true", Labels::True), ("wrong", Labels::Wrong)] {
        let target = format!("{name}.csv");
        dir.write(&target, csv(&rows(120, 2, 1.0), labels));
        let ran = dir.train("source.csv", &target, name, &["--set", "train.select=source-val"]).done();
        let said = ran.stderr.contains("target labels in") && ran.stderr.contains("ignored");
        assert_eq!(said, name != "none", "{}", ran.stderr);
        models.push(dir.read(&format!("{name}/model.safetensors")));
    }
    assert!(models[0] == models[1] && models[0] == models[2]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let dir = Dir::with_data();
    for threads in ["1", "2", "0"] {
        dir.train("source.csv", "target.csv", threads, &["--threads", threads]).done();
    }
    let model = |run: &str| dir.read(&format!("{run}/model.safetensors"));
    assert!(model("1") == model("2") && model("1") == model("0"));
    assert_eq!(dir.text("1/metrics.jsonl"), dir.text("2/metrics.jsonl"));
}

#[test]
fn the_seed_changes_the_model() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "a", &["--seed", "1"]).done();
    dir.train("source.csv", "target.csv", "b", &["--seed", "2"]).done();
    assert!(dir.read("a/model.safetensors") != dir.read("b/model.safetensors"));
}
