//! Unusual but realistic input: it is read correctly, or refused with an error that names the problem.

use std::fs;
use std::process::{Command, Stdio};

use crate::support::{Dir, FAST, Labels, Row, csv, npy, rows};

/// A table with the header `names` and two columns that separate two classes.
fn table(names: &str, labels: bool) -> String {
    let row = |i: usize| {
        let (class, noise) = (i % 2, (i * 7 % 11) as f32 / 20.0);
        let values = format!("{},{}", 3 * class, 1.5 + noise);
        if labels { format!("{values},{}\n", ["cat", "dog"][class]) } else { values + "\n" }
    };
    let rows: String = (0..60).map(row).collect();
    if names.is_empty() { rows } else { format!("{names}\n{rows}") }
}

fn features(rows: &[Row]) -> Vec<u8> {
    let values: Vec<u8> = rows.iter().flat_map(|row| row.0).flat_map(f32::to_le_bytes).collect();
    npy("<f4", &format!("{}, 8", rows.len()), &values)
}

fn labels(rows: &[Row], turn: usize) -> Vec<u8> {
    let values: Vec<u8> = rows.iter().flat_map(|row| (((row.1 + turn) % 3) as i64).to_le_bytes()).collect();
    npy("<i8", &format!("{},", rows.len()), &values)
}

#[test]
fn a_header_of_numbers_is_one_in_the_target_too() {
    let dir = Dir::new();
    dir.write("source.csv", table("400,401,label", true));
    dir.write("target.csv", table("400,401", false));
    dir.train("source.csv", "target.csv", "run", &[]).done();
    let predicted = dir.run(["predict", "run", "target.csv"]).done().stdout;
    assert_eq!(predicted.lines().count(), 1 + 60, "{predicted}");
}

#[test]
fn a_table_without_a_header_keeps_its_first_row_whatever_it_holds() {
    let dir = Dir::new();
    let swapped = |text: String| -> String {
        let line =
            |line: &str| line.rsplit_once(',').map(|(rest, label)| format!("{label},{rest}\n")).unwrap();
        text.lines().map(line).collect()
    };
    dir.write("source.csv", swapped(table("", true)));
    let json =
        dir.run(["inspect", "source.csv", "--label", "1", "--json"]).done().json(&["source", "classes"]);
    assert_eq!(json["source"]["rows"], 60);
    assert_eq!(json["classes"][0]["class"], "cat");
}

#[test]
fn two_columns_of_one_name_or_two_that_may_be_the_label_are_refused() {
    let dir = Dir::new();
    dir.write("twice.csv", table("a,a,label", true));
    let ran = dir.run(["train", "twice.csv", "twice.csv"].iter().chain(FAST));
    ran.failed(&["twice.csv: found two columns named \"a\"", "rename one of them"]);
    dir.write("both.csv", table("x,y,class", true));
    let ran = dir.run(["train", "both.csv", "both.csv"].iter().chain(FAST));
    ran.failed(&[
        "both.csv: found the columns \"y\" and \"class\", wanted only one possible label column",
        "--label",
    ]);
    dir.train("both.csv", "both.csv", "run", &["--label", "class"]).done();
}

#[test]
fn a_row_without_a_label_is_no_class_of_its_own() {
    let dir = Dir::with_data();
    dir.write("x.npy", features(&rows(6, 1, 0.0)));
    dir.write(
        "y.npy",
        npy(
            "<U3",
            "6,",
            &"a\0\0b\0\0nana\0\0b\0\0\0\0\0"
                .chars()
                .flat_map(|c| (c as u32).to_le_bytes())
                .collect::<Vec<u8>>(),
        ),
    );
    let ran = dir.run(["train", "x.npy", "target.csv"].iter().chain(FAST));
    ran.failed(&["x.npy, row 3: found `nan`, which is no label, wanted one in each row"]);
}

#[test]
fn the_source_s_file_of_labels_never_scores_another_file() {
    let dir = Dir::new();
    let (source, target) = (rows(150, 1, 0.0), rows(150, 2, 0.5));
    dir.write("source.npy", features(&source));
    dir.write("known.npy", labels(&source, 0));
    dir.write("target.npy", features(&target));
    dir.train("source.npy", "target.npy", "run", &["--label", "known.npy"]).done();
    dir.run(["eval", "run", "target.npy"]).failed(&["target.npy: found no labels", "target_y.npy"]);
    // Every row has the label of another class, so correct predictions count as wrong.
    dir.write("target_y.npy", labels(&target, 1));
    let score = dir.run(["eval", "run", "target.npy", "--json"]).done().json(&["accuracy"]);
    assert!(score["accuracy"].as_f64().unwrap() < 0.5, "{score}");
    // The report's verdict is bad, too.
    let report = dir.run(["report", "run", "--labels", "target.npy", "--json"]).done().json(&["runs"]);
    assert_eq!(report["runs"][0]["verdict"], "bad", "{report}");
}

#[test]
fn a_report_of_data_that_have_changed_says_so_whatever_the_change() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &["--no-report"]).done();
    let scaled: Vec<Row> = rows(120, 2, 1.0).into_iter().map(|(x, y)| (x.map(|v| 1024.0 * v), y)).collect();
    dir.write("target.csv", csv(&scaled, Labels::None));
    let changed = || dir.run(["report", "run"]).done().stderr;
    assert!(changed().contains("data have changed"), "{}", changed());
    for name in ["source.csv", "target.csv"] {
        let wider: Vec<String> = dir.text(name).lines().map(|line| format!("{line},1")).collect();
        dir.write(name, wider.join("\n").replacen(",1\n", ",more\n", 1));
    }
    assert!(changed().contains("data have changed"), "{}", changed());
}

#[test]
fn a_failed_check_fails_though_nobody_reads_why() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &[]).done();
    dir.write("wrong.csv", csv(&rows(60, 2, 1.0), Labels::Wrong));
    let args = ["eval", "run", "wrong.csv", "--min-accuracy", "0.9"];
    let mut child = dir.command().args(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf_8_and_threads_without_number_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = Dir::with_data();
    let mut command: Command = dir.command();
    let output = command.arg("inspect").arg(OsStr::from_bytes(b"\xff.csv")).arg("--json").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && stderr.contains("not UTF-8"), "{stderr}");
    dir.run(["--threads", "100000", "methods"]).failed(&["wanted at most 1024"]);
}

#[test]
fn of_two_trainings_at_once_one_is_refused_and_the_other_is_whole() {
    let dir = Dir::with_data();
    let long = ["--set", "train.iterations=150", "--no-report", "-q"];
    dir.train("source.csv", "target.csv", "alone", &long).done();
    for _ in 0..3 {
        let start = |seed: &str| {
            let args = ["train", "source.csv", "target.csv", "-o", "run", "--seed", seed];
            let args = args.iter().chain(FAST).chain(&long);
            dir.command().args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let mut both = [start("0"), start("0")];
        let codes = both.each_mut().map(|child| child.wait().unwrap().code());
        assert!(codes == [Some(0), Some(2)] || codes == [Some(2), Some(0)], "{codes:?}");
        assert!(dir.read("run/model.safetensors") == dir.read("alone/model.safetensors"));
        assert_eq!(dir.text("run/metrics.jsonl"), dir.text("alone/metrics.jsonl"));
        fs::remove_dir_all(dir.path("run")).unwrap();
    }
    // Without -o each gets a directory of its own.
    let start = || {
        let args = ["train", "source.csv", "target.csv"].iter().chain(FAST).chain(&long);
        dir.command().args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut three = [start(), start(), start()];
    assert!(three.each_mut().map(|child| child.wait().unwrap().success()) == [true; 3]);
    assert_eq!(fs::read_dir(dir.path("runs")).unwrap().count(), 3);
}
