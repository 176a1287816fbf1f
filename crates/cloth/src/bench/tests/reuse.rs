//! Runs that are taken from other results.

use super::*;

/// The runs of `plan`, made and written.
fn kept(plan: &BenchPlan) -> (Results, Reusable) {
    make(plan, 1);
    let results = Results::gather(plan).unwrap();
    results.write(&plan.output).unwrap();
    (results, Reusable::read(&[plan.output.join("results.json")]).unwrap())
}

#[test]
fn results_alone_stand_for_their_runs() {
    let home = Home::new();
    let (results, reusable) = kept(&home.plan(|_| {}));
    let plan = home.plan(|r| r.output = home.path("elsewhere"));
    let jobs: Vec<&Job> = plan.jobs.iter().collect();
    assert!(jobs.iter().all(|job| reusable.answer(job).is_some()));
    assert!(!plan.output.exists(), "asking writes nothing");
    assert_eq!(reusable.give(&jobs).unwrap(), 8);
    assert_eq!(Results::gather(&plan).unwrap().runs, results.runs, "with their seconds");
}

#[test]
fn other_settings_data_or_seeds_are_no_answer() {
    let home = Home::new();
    let (_, reusable) = kept(&home.plan(|_| {}));
    let answered = |plan: BenchPlan| plan.jobs.iter().filter(|job| reusable.answer(job).is_some()).count();
    assert_eq!(answered(home.plan(|r| r.seeds = 3)), 8, "of 12");
    assert_eq!(answered(home.plan(|r| r.settings = vec!["train.iterations=31".into()])), 0);
    assert_eq!(answered(home.plan(|r| r.oracle = true)), 0, "nobody watched those runs");
    home.write("b.csv", 0.5);
    assert_eq!(answered(home.plan(|_| {})), 0);
}

#[test]
fn a_variant_without_changes_is_the_method_itself() {
    let home = Home::new();
    let (results, reusable) = kept(&home.plan(|r| r.methods = vec!["cloth".into()]));
    let study = "name = \"s\"\ntitle = \"S\"\nmethod = \"cloth\"\n[[variants]]\nname = \"as it is\"\nset = []\n\
                 [[variants]]\nname = \"without T\"\nset = [\"method.cloth.alpha=0\"]\n";
    let plan = home.plan(|request| {
        request.methods.clear();
        request.study = Some(Study::parse(study, "s.toml").unwrap());
        request.output = home.path("study");
    });
    assert_eq!(reusable.give(&plan.jobs.iter().collect::<Vec<_>>()).unwrap(), 4);
    let taken = Results::gather(&plan).unwrap().runs;
    assert!(taken.iter().all(|run| run.row == "as it is"), "{taken:?}");
    let metrics = |runs: &[Record]| runs.iter().map(|run| run.metrics.clone()).collect::<Vec<_>>();
    assert_eq!(metrics(&taken), metrics(&results.runs));
}

#[test]
fn results_of_a_newer_version_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("results.json");
    let text = include_str!("results.json").replacen("\"version\": 1", "\"version\": 2", 1);
    std::fs::write(&file, text).unwrap();
    for path in [home.path(), file.as_path()] {
        let error = Reusable::read(&[path.to_owned()]).unwrap_err().to_string();
        assert!(error.ends_with("results.json: found version 2, wanted 1 or lower"), "{error}");
    }
}
