//! Runs: made once, scored, resumed.

use super::*;

#[test]
fn runs_are_made_once_scored_and_put_together() {
    let home = Home::new();
    let plan = home.plan(|_| {});
    let results = make(&plan, 1);
    assert_eq!((results.runs.len(), results.planned, results.failed()), (8, 8, 0));
    for run in &results.runs {
        assert!(run.metrics["accuracy"] > 0.4 && run.metrics["n"] == 60.0, "{run:?}");
        assert!(
            run.metrics.contains_key("calibration_error") && run.metrics.contains_key("balanced_accuracy")
        );
        assert_eq!((run.iterations, run.selected_iteration), (30, 30));
        assert!(run.parameters > 0 && run.oracle.is_none() && !run.on_test_rows);
    }
    assert_eq!(results.paper[0].cells, [90.0, 80.5]);
    let written = results.write(&plan.output).unwrap();
    let names: Vec<_> = written.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["results.json", "table.md", "table.csv", "table.tex"]);
    assert_eq!(tables::section(&Results::read(&plan.output).unwrap()), tables::section(&results));
    assert_eq!(
        files(&plan.output),
        ["results.json", "runs", "table.csv", "table.md", "table.tex"],
        "no training left"
    );

    let mut trained = 0;
    for job in &plan.jobs {
        run(job, &Methods::builtin(), &mut |_| {
            trained += 1;
            Flow::Continue
        })
        .unwrap();
    }
    assert_eq!(trained, 0, "what is made is not made again");
}

#[test]
fn a_run_stopped_in_the_middle_ends_in_the_same_record() {
    let home = Home::new();
    for oracle in [false, true] {
        let whole = make(&home.plan(|r| (r.output, r.oracle) = (home.path("whole"), oracle)), 1);
        let plan = home.plan(|r| (r.output, r.oracle) = (home.path("parts"), oracle));
        for job in &plan.jobs {
            for stop_at in [1, 13, 20] {
                let stopped = run(job, &Methods::builtin(), &mut |event| match event {
                    Event::Iteration { iteration, .. } if iteration == &stop_at => Flow::Stop,
                    _ => Flow::Continue,
                });
                assert_eq!(stopped.unwrap(), None);
                assert!(job.directory().exists() && !job.record_file().exists());
            }
        }
        assert_eq!(make(&plan, 1), whole);
        for path in ["whole", "parts"] {
            std::fs::remove_dir_all(home.path(path)).unwrap();
        }
    }
}

#[test]
fn the_oracle_is_at_least_as_good_as_every_look_and_changes_nothing_else() {
    let home = Home::new();
    let plain = make(&home.plan(|r| r.output = home.path("plain")), 1);
    let watched = make(&home.plan(|r| (r.output, r.oracle) = (home.path("watched"), true)), 1);
    for (plain, watched) in plain.runs.iter().zip(&watched.runs) {
        let oracle = watched.oracle.unwrap();
        assert!(oracle.accuracy >= watched.metrics["accuracy"] && [10, 20, 30].contains(&oracle.iteration));
        assert_eq!(
            (&plain.metrics, plain.selected_iteration),
            (&watched.metrics, watched.selected_iteration)
        );
    }
    assert!(
        tables::section(&watched).contains("| ORACLE mean |") && !tables::section(&plain).contains("ORACLE")
    );
    // Who does not ask for an ORACLE does not see one, though the records have it.
    let again = make(&home.plan(|r| r.output = home.path("watched")), 1);
    assert_eq!(timeless(again), timeless(plain));
}

#[test]
fn test_rows_are_scored_where_there_are_any() {
    let home = Home::new();
    for (from, to) in [("a.csv", "a_train.csv"), ("b.csv", "b_train.csv")] {
        std::fs::rename(home.path(from), home.path(to)).unwrap();
    }
    let text = std::fs::read_to_string(home.path("b_train.csv")).unwrap();
    let some: String = text.lines().take(24).map(|line| format!("{line}\n")).collect();
    std::fs::write(home.path("b_test.csv"), some).unwrap();
    let plan = home.plan(|r| (r.tasks, r.seeds) = (vec!["A-B".into()], 1));
    let results = make(&plan, 1);
    assert!(results.runs.iter().all(|run| run.on_test_rows && run.metrics["n"] == 24.0));
    let note = |results: &Results| {
        tables::section(results).lines().find(|line| line.contains("Scored")).unwrap().to_owned()
    };
    assert_eq!(note(&results), "- Scored on the target's test rows, which training never saw.");
    // A has none, so B→A is scored on what it was adapted to; the table says which is which.
    let results = make(&home.plan(|r| r.seeds = 1), 1);
    assert!(results.runs.iter().all(|run| run.on_test_rows == (run.task == "A→B")));
    assert!(
        note(&results).contains("used for adaptation; in A→B, on the target's test rows"),
        "{}",
        note(&results)
    );
}

#[test]
fn a_loss_that_is_no_number_is_recorded_and_the_others_go_on() {
    let home = Home::new();
    // Values this large, not normalised, overflow in the third power of their products.
    home.write_scaled("a.csv", 0.0, 1e12);
    home.write_scaled("b.csv", 0.4, 1e12);
    let plan = home.plan(|r| {
        r.settings = vec!["data.normalise=none".into(), "method.cloth.moment_scale=one".into()];
        r.seeds = 1;
    });
    let results = make(&plan, 1);
    assert!(results.failed() >= 1, "{:?}", results.runs);
    let failed = results.runs.iter().find(|run| run.failed.is_some()).unwrap();
    assert!(failed.row == "cloth" && failed.failed.as_ref().unwrap().contains("became"), "{failed:?}");
    assert!(results.runs.iter().filter(|run| run.row == "source_only").all(|run| run.failed.is_none()));
}

#[test]
fn a_source_of_another_number_of_classes_is_refused() {
    let home = Home::new();
    let mut plan = home.plan(|_| {});
    plan.jobs[0].n_classes = Some(31);
    let error = run(&plan.jobs[0], &Methods::builtin(), &mut go_on).unwrap_err().to_string();
    assert!(error.ends_with("a.csv: found 3 classes, wanted 31, as in the suite"), "{error}");
}

#[test]
fn models_stay_if_they_are_wanted() {
    let home = Home::new();
    let plan = home.plan(|r| (r.keep, r.seeds) = (true, 1));
    make(&plan, 1);
    let kept = files(&plan.jobs[0].directory());
    assert!(kept.contains(&"model.safetensors".to_owned()), "{kept:?}");
    assert!(!kept.contains(&"checkpoint.safetensors".to_owned()), "{kept:?}");
}

#[test]
fn a_curve_is_kept_for_a_study_that_shows_one() {
    let home = Home::new();
    let plan = |loss: &str| {
        home.plan(|request| {
            request.methods.clear();
            let study = Study::find("wasserstein").unwrap();
            request.study = Some(Study { curve: Some(loss.to_owned()), ..study });
            request.settings = vec!["train.iterations=200".into()];
            request.seeds = 1;
        })
    };
    let results = make(&plan("l_t"), 1);
    let curve = results.runs[0].curve.as_ref().unwrap();
    assert!(curve.loss == "l_t" && curve.means.iter().all(Option::is_some), "{curve:?}");
    let other = &plan("l_nonsense").jobs[0];
    assert_eq!(other.record().unwrap(), None, "the curve of another loss is no answer");
    let error = run(other, &Methods::builtin(), &mut go_on).unwrap_err().to_string();
    assert!(error.contains("found `l_nonsense`, wanted one of the logged losses: l_c, l_d,"), "{error}");
}

#[test]
fn a_probe_tells_a_time_and_leaves_nothing() {
    let home = Home::new();
    let plan = home.plan(|_| {});
    assert!(probe(&plan.jobs[0], &Methods::builtin()).unwrap() > 0.0);
    assert!(!plan.output.exists());
}
