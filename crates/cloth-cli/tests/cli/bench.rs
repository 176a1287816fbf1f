//! `cloth bench`, end to end, on a synthetic suite.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Dir, Labels, csv, rows};

const SUITE: &str = r#"
name = "toy"
title = "Toy"
classes = ["ant", "bee", "cat"]
tasks = [["A", "B"], ["B", "A"]]
settings = [
    "train.iterations=40", "generator.hidden=[16]", "train.evaluate_every=20", "train.warmup=5",
    "train.learning_rate=0.02", "train.average=0.9",
]
get = ["nowhere: it is made up"]

[[domains]]
name = "A"
files = ["ants"]

[[domains]]
name = "B"
files = ["bees"]

[paper]
table = "Table 9"
features = "made-up features"
rows = [{ name = "CLOTH", cells = [90.0, 80.5], mean = 85.2 }]
"#;

pub(crate) fn toy() -> Dir {
    let dir = Dir::new();
    dir.write("toy.toml", SUITE);
    dir.write("data/ants.csv", csv(&rows(90, 1, 0.0), Labels::True));
    dir.write("data/bees.csv", csv(&rows(80, 2, 1.0), Labels::True));
    dir
}

/// Arguments of `cloth bench` on the toy suite, followed by `more`.
fn words<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["bench", "toy.toml", "--data", "data", "--methods", "cloth,source_only", "--seeds", "2"]
        .into_iter()
        .chain(more.iter().copied())
        .collect()
}

/// `results.json` without its times.
fn results(dir: &Dir, output: &str) -> Value {
    let mut results: Value = serde_json::from_str(&dir.text(&format!("{output}/results.json"))).unwrap();
    for run in results["runs"].as_array_mut().unwrap() {
        run["timing"] = Value::Null;
    }
    for averages in results["averages"].as_array_mut().unwrap() {
        averages["seconds"] = Value::Null;
    }
    results
}

#[test]
fn a_suite_of_one_s_own_ends_in_tables_and_is_not_made_twice() {
    let dir = toy();
    let ran = dir.run(words(&[])).done();
    for part in [
        "A→B",
        "B→A",
        "mean",
        "CLOTH (paper)",
        "Target labels used: for scoring only",
        "runs/bench-toy/results.json",
    ] {
        assert!(ran.stdout.contains(part), "no {part:?} in\n{}", ran.stdout);
    }
    assert!(ran.stderr.contains("[8/8]"), "{}", ran.stderr);
    let first = results(&dir, "runs/bench-toy");
    assert_eq!(first["runs"].as_array().unwrap().len(), 8);
    assert_eq!(first["stamp"]["target_labels"], "for scoring only");
    assert!(first["cells"][0]["accuracy"]["mean"].as_f64().unwrap() > 0.5);
    for (file, part) in [
        ("table.md", "| *CLOTH (paper)* | *90.0* | *80.5* | *85.2* |"),
        ("table.csv", "1,CLOTH,paper,A→B,90,,"),
        ("table.tex", "\\begin{tabular}{lrrr}"),
        ("report.html", "<tr class=\"theirs\"><th scope=\"row\">CLOTH (paper)</th><td class=\"n\">90.0</td>"),
    ] {
        let text = dir.text(&format!("runs/bench-toy/{file}"));
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(!dir.path("runs/bench-toy/training").exists());
    dir.run(["report", "runs/bench-toy", "--labels", "data/bees.csv"])
        .failed(&["--labels: found no run to score, only benches", "leave --labels out"]);

    let again = dir.run(words(&["--json"])).done();
    assert!(again.stderr.contains("8 of 8 runs were already made"), "{}", again.stderr);
    assert_eq!(again.json(&["cells", "runs", "stamp"])["runs"].as_array().unwrap().len(), 8);
    assert_eq!(results(&dir, "runs/bench-toy"), first);
}

#[test]
fn the_documentation_s_suite_and_study_work_as_they_stand() {
    let document = include_str!("../../../../docs/suites.md");
    let examples: Vec<&str> =
        document.split("```toml\n").skip(1).map(|part| part.split("```").next().unwrap()).collect();
    let dir = Dir::new();
    dir.write("sensors.toml", examples[0]);
    dir.write("smoothing.toml", examples[1]);
    dir.write("exports/year2025.csv", csv(&rows(90, 1, 0.0), Labels::True));
    dir.write("exports/2026.csv", csv(&rows(80, 2, 1.0), Labels::True));
    let base = ["bench", "sensors.toml", "--data", "exports", "--seeds", "1", "--set", "train.iterations=20"];
    let ran = dir.run(base.iter().chain(&["--methods", "source_only"])).done();
    assert!(ran.stdout.contains("DAN (paper)"), "{}", ran.stdout);
    let table = dir.text("runs/bench-sensors/table.md");
    assert!(!table.contains("train.iterations=500"), "it was set otherwise:\n{table}");
    dir.run(base.iter().chain(&["--study", "smoothing.toml"])).done();
    let table = dir.text("runs/bench-sensors-smoothing/table.md");
    for part in ["| none |", "| strong |", "*70.5*", "- Labels of this plant are known to be noisy."] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }
}

#[test]
fn a_smaller_bench_says_how_to_see_the_larger_one_again() {
    let dir = toy();
    let words = |methods| {
        ["bench", "toy.toml", "--data", "data", "--seeds", "1", "--tasks", "A-B", "--methods", methods]
    };
    let ran = dir.run(words("source_only,mcc")).done();
    assert!(!ran.stderr.contains("had other runs"), "{}", ran.stderr);
    let ran = dir.run(words("mcc")).done();
    let again = "had other runs; they are kept, and this command shows it again:\n  \
                 cloth bench toy.toml --data data --methods source_only,mcc --tasks A-B --seeds 1 -o runs/bench-toy";
    assert!(ran.stderr.contains(again), "{}", ran.stderr);
}

#[test]
fn results_that_were_kept_are_reused_and_a_study_of_time_refuses_them() {
    let dir = toy();
    dir.run(words(&["-o", "first"])).done();
    std::fs::remove_dir_all(dir.path("first/runs")).unwrap();
    let reuse = ["--reuse", "first/results.json", "-o", "second", "--seeds", "3"];
    let base = ["bench", "toy.toml", "--data", "data", "--methods", "cloth,source_only"];
    let planned = dir.run(base.iter().chain(&reuse).chain(&["--dry-run", "--json"])).done();
    assert_eq!(planned.json(&["to_do"])["to_do"], 4, "two rows, two tasks, and the third seed");
    assert!(!dir.path("second").exists());
    let ran = dir.run(base.iter().chain(&reuse)).done();
    assert!(ran.stderr.contains("8 of 12 runs taken from other results"), "{}", ran.stderr);
    dir.run(base.iter().chain(&["--seeds", "3", "-o", "whole"])).done();
    let runs = |output| results(&dir, output)["runs"].clone();
    assert_eq!(runs("second"), runs("whole"));
    let words = ["bench", "toy.toml", "--data", "data"];
    let ran = dir.run(words.iter().chain(&["--study", "time", "--reuse", "first"]));
    ran.failed(&["--reuse: found a study of time, wanted runs that are all made here"]);
    let nothing = ["--methods", "mcc", "--seeds", "1", "--reuse", "first", "-o", "third"];
    let ran = dir.run(words.iter().chain(&nothing)).done();
    assert!(ran.stderr.contains("the results of --reuse have no run with these settings"), "{}", ran.stderr);
}

#[test]
fn a_bench_that_makes_nothing_leaves_the_table_that_is_there() {
    let dir = toy();
    dir.run(words(&["-o", "out"])).done();
    let before = (dir.text("out/results.json"), dir.text("out/table.md"));
    dir.run(words(&["-o", "out", "--set", "train.batch_size=5000"])).failed(&["batch_size"]);
    assert_eq!((dir.text("out/results.json"), dir.text("out/table.md")), before);
    // Other settings with the same rows, tasks and seeds replace the table, with a note.
    let ran = dir.run(words(&["-o", "out", "--set", "train.iterations=20"])).done();
    let again = "this command shows it again:\n  \
                 cloth bench toy.toml --data data --methods cloth,source_only --seeds 2 -o out";
    assert!(ran.stderr.contains(again), "{}", ran.stderr);
    // Runs that were made without --keep have no model.
    let ran = dir.run(words(&["-o", "out", "--keep"])).done();
    assert!(ran.stderr.contains("8 runs had been made without --keep"), "{}", ran.stderr);
}

#[test]
fn a_bench_and_a_run_keep_out_of_each_other_s_directories() {
    let dir = toy();
    dir.train("data/ants.csv", "data/bees.csv", "run", &[]).done();
    dir.run(words(&["-o", "run"])).failed(&["run: found a training run, wanted a directory of its own"]);
    dir.run(words(&["-o", "bench", "--set", "train.iterations=5"])).done();
    dir.train("data/ants.csv", "data/bees.csv", "bench", &[])
        .failed(&["bench: found the results of a bench, wanted a directory of its own"]);
    dir.run(["bench", "--render", "run", "-o", "results.md"])
        .failed(&["run: found no results.json, wanted a directory of bench results"]);
    let json =
        dir.run(["bench", "--render", "bench", "-o", "results.md", "--json"]).done().json(&["documents"]);
    assert_eq!(json["sections"], serde_json::json!(["bench"]));
}

#[test]
fn settings_and_methods_are_those_that_were_asked_for() {
    let dir = toy();
    let base = ["bench", "toy.toml", "--data", "data", "--seeds", "1", "-o", "out", "--json"];
    let more = ["--methods", "source_only", "--tasks", "B-A", "--set", "train.iterations=20"];
    let json = dir.run(base.iter().chain(&more)).done().json(&["rows", "tasks"]);
    assert_eq!(
        (&json["rows"], &json["tasks"]),
        (&serde_json::json!(["source_only"]), &serde_json::json!(["B→A"]))
    );
    assert_eq!(json["runs"][0]["iterations"], 20);
    assert_eq!(json["paper"][0]["cells"], serde_json::json!([80.5]));
    dir.run(base.iter().chain(&["--methods", "nobody"]))
        .failed(&["setting `method.name`: found `nobody`", "one of cloth, source_only"]);
    dir.run(["bench", "nothing", "--data", "data"]).failed(&["suite: found `nothing`", "office31"]);
    dir.run(base.iter().chain(&["--study", "nothing"])).failed(&["study: found `nothing`", "losses"]);
}

#[test]
fn a_missing_domain_says_what_was_looked_for_and_where_people_get_it() {
    let dir = toy();
    dir.run(["bench", "office31", "--data", "data"]).failed(&[
        "data: found no file of the domain A, wanted amazon.npz, amazon_train.npz, amazon_amazon.csv",
        "Office-31 page",
        "jindongwang/transferlearning",
    ]);
    assert!(!dir.path("runs").exists(), "nothing is written before the data are there");
}

#[test]
fn runs_side_by_side_give_the_same() {
    let dir = toy();
    dir.run(words(&["-o", "one"])).done();
    let ran = dir.run(words(&["-o", "two", "--jobs", "2"])).done();
    assert!(ran.stderr.contains("[8/8]"), "{}", ran.stderr);
    assert_eq!(results(&dir, "one"), results(&dir, "two"));
}

/// Enough iterations to kill a run midway, with a checkpoint after each iteration.
const LONG: &[&str] = &["--set", "train.iterations=300", "--set", "train.checkpoint_seconds=0", "-o", "out"];

fn start(dir: &Dir, jobs: &str) -> Child {
    let mut command = dir.command();
    command.args(words(LONG)).args(["--jobs", jobs]).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until an unfinished run has a checkpoint.
fn wait_for_training(dir: &Dir, child: &mut Child) {
    let started = Instant::now();
    let some = || std::fs::read_dir(dir.path("out/training")).into_iter().flatten().flatten();
    while !some().any(|run| run.path().join("checkpoint.safetensors").exists()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was interrupted");
        assert!(started.elapsed() < Duration::from_secs(60), "no checkpoint");
        sleep(Duration::from_millis(1));
    }
}

#[test]
fn killed_and_started_again_gives_the_same_results() {
    let dir = toy();
    let whole: Vec<&str> = LONG[..4].iter().copied().chain(["-o", "whole"]).collect();
    dir.run(words(&whole)).done();
    for jobs in ["1", "2"] {
        for pause in [0, 150, 400] {
            let mut child = start(&dir, jobs);
            wait_for_training(&dir, &mut child);
            sleep(Duration::from_millis(pause));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        // Workers of a killed bench may still be saving: the next bench waits for them.
        dir.run(words(LONG).iter().chain(&["--jobs", jobs])).done();
        assert_eq!(results(&dir, "out"), results(&dir, "whole"), "--jobs {jobs}");
        std::fs::remove_dir_all(dir.path("out")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_says_how_to_go_on_and_exits_with_130() {
    let dir = toy();
    let whole: Vec<&str> = LONG[..4].iter().copied().chain(["-o", "whole"]).collect();
    dir.run(words(&whole)).done();
    for (jobs, signal) in [("1", "-INT"), ("2", "-TERM")] {
        let mut child = start(&dir, jobs);
        wait_for_training(&dir, &mut child);
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        assert!(stderr.contains("of 8 runs made, and saved"), "{stderr}");
        assert!(stderr.contains("resume: cloth bench toy.toml --data data"), "{stderr}");
        assert!(dir.text("out/table.md").contains("INCOMPLETE"));
        dir.run(words(LONG).iter().chain(&["--jobs", jobs])).done();
        assert_eq!(results(&dir, "out"), results(&dir, "whole"));
        std::fs::remove_dir_all(dir.path("out")).unwrap();
    }
}

#[test]
fn a_dry_run_tells_what_and_how_long_and_writes_nothing() {
    let dir = toy();
    let before = dir.files();
    let ran = dir.run(words(&["--dry-run"])).done();
    for part in [
        "Toy: 2 tasks × 2 methods × 2 seeds = 8 runs",
        "8 features, csv",
        "source_only",
        "About",
        "runs/bench-toy",
    ] {
        assert!(ran.stdout.contains(part), "no {part:?} in\n{}", ran.stdout);
    }
    let json = dir.run(words(&["--dry-run", "--json"])).done().json(&["rows", "seconds", "to_do", "stamp"]);
    assert_eq!((&json["to_do"], &json["rows"][0]["row"]), (&8.into(), &"cloth".into()));
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(dir.files(), before);
}

#[test]
fn a_study_shows_its_variants() {
    let dir = toy();
    let base = ["bench", "toy.toml", "--data", "data", "--seeds", "1", "--study", "sharing", "--json"];
    let json = dir.run(base).done().json(&["rows"]);
    assert_eq!(json["rows"], serde_json::json!(["S_CT (one)", "U_CT (two)"]));
    assert_eq!(json["stamp"]["study"], "sharing");
    assert!(dir.path("runs/bench-toy-sharing/table.md").exists());
    let both = dir.run(base.iter().chain(&["--methods", "cloth"]));
    assert!(both.code == 2 && both.stderr.contains("cannot be used with"), "{}", both.stderr);
}

#[test]
fn the_oracle_is_a_column_of_its_own_and_only_if_it_is_asked_for() {
    let dir = toy();
    dir.run(words(&["-o", "plain"])).done();
    assert!(!dir.text("plain/table.md").contains("ORACLE"));
    dir.run(words(&["-o", "watched", "--oracle"])).done();
    let table = dir.text("watched/table.md");
    assert!(table.contains("| ORACLE mean |") && table.contains("a bound and not a result"), "{table}");
}

#[test]
fn a_document_keeps_what_people_wrote_between_the_tables() {
    let dir = toy();
    dir.run(words(&["-o", "one"])).done();
    dir.write("results.md", "# My results\n\nA first word.\n");
    let render = || dir.run(["bench", "--render", "one", "-o", "results.md"]).done();
    render();
    let remarked = dir.text("results.md") + "\nA last word.\n";
    assert!(remarked.contains("<!-- cloth bench: one -->\n## Toy\n"), "{remarked}");
    dir.write("results.md", &remarked);
    render();
    assert_eq!(dir.text("results.md"), remarked);
    dir.run(["bench", "--render", "nowhere", "-o", "results.md"])
        .failed(&["cannot read nowhere/results.json"]);
    assert_eq!(dir.text("results.md"), remarked);
}

#[test]
fn a_directory_gets_a_page_for_each_suite() {
    let dir = toy();
    dir.run(words(&["-o", "one"])).done();
    let json = dir.run(["bench", "--render", "one", "-o", "pages/", "--json"]).done().json(&["documents"]);
    assert_eq!(json["documents"], serde_json::json!(["pages/toy.md"]));
    let page = dir.text("pages/toy.md");
    assert!(page.starts_with("# Toy\n\n<!-- cloth bench: one -->\n## Toy\n"), "{page}");
    // An existing directory needs no slash.
    dir.run(["bench", "--render", "one/results.json", "-o", "pages"]).done();
    assert_eq!(dir.text("pages/toy.md"), page);
}

#[test]
fn suites_and_studies_are_listed() {
    let dir = Dir::new();
    let text = dir.run(["bench", "--list"]).done().stdout;
    for part in [
        "digits",
        "office31: Office-31, 6 tasks, 31 classes",
        "files: amazon, webcam, dslr",
        "losses",
        "Table 5: office31, imageclef",
        "structure: What the structure loss is worth (not in the paper)",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let json = dir.run(["bench", "--list", "--json"]).done().json(&["suites", "studies"]);
    assert_eq!(
        (json["suites"].as_array().unwrap().len(), json["studies"].as_array().unwrap().len()),
        (4, 11)
    );
}

#[test]
fn two_benches_do_not_write_to_one_directory() {
    let dir = toy();
    let mut child = start(&dir, "1");
    wait_for_training(&dir, &mut child);
    dir.run(words(LONG)).failed(&["out: found another bench at work"]);
    child.kill().unwrap();
    child.wait().unwrap();
}
