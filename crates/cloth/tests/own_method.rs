//! The example of a method from outside works: its assertions compare a resumed run with one that nobody stopped.
#![cfg(feature = "bench")]
#![allow(clippy::unwrap_used, dead_code)]

#[path = "../examples/own_method.rs"]
mod own_method;

use cloth::bench::Results;

#[test]
fn a_method_from_outside_trains_saves_resumes_and_benches() {
    let home = tempfile::tempdir().unwrap();
    own_method::show(home.path()).unwrap();
    let results = Results::read(&home.path().join("bench")).unwrap();
    assert!(results.complete());
    let mean = |row: &str| {
        let found: Vec<f64> =
            results.accuracies(row, None).into_iter().map(|(_, accuracy)| accuracy).collect();
        assert_eq!(found.len(), 2, "a mean over tasks for each seed");
        found.iter().sum::<f64>() / 2.0
    };
    assert!(mean("sliced") > mean("source_only") + 0.03, "{} {}", mean("sliced"), mean("source_only"));
    let runs = results.runs.iter().filter(|run| run.method == "sliced");
    assert!(runs.clone().count() == 4 && runs.into_iter().all(|run| run.revision == 1));
}
