//! Opens reports in a browser and reads events with TensorBoard, if these are installed.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::support::{Dir, Labels, csv, rows};

/// Exit code of a script whose requirements are not installed.
const CANNOT: i32 = 77;

/// Runs a script in `tests/` that needs more than Rust. If its requirements are not installed, prints `untested`, so
/// that the output of the tests shows what was not tested. `.ci/run` names a file for these lines, and prints it at its
/// end.
#[track_caller]
fn script(name: &str, arguments: &[&Path], untested: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name);
    let ran = Command::new(&path).args(arguments).output().unwrap();
    let said = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    match ran.status.code() {
        Some(0) => {}
        Some(CANNOT) => {
            let why = said.trim().lines().last().unwrap_or("it does not say why");
            let line = format!("NOT TESTED: {untested} (tests/{name}: {why})\n");
            // Directly to stderr: the output of macros is shown only for tests that fail.
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            if let Some(file) = std::env::var_os("CLOTH_NOT_TESTED") {
                let file = OpenOptions::new().create(true).append(true).open(file);
                file.unwrap().write_all(line.as_bytes()).unwrap();
            }
        }
        _ => panic!("{}: {}\n{said}", path.display(), ran.status),
    }
}

#[test]
fn a_run_s_report_works_in_a_browser() {
    let dir = Dir::with_data();
    dir.write("labelled.csv", csv(&rows(90, 3, 1.0), Labels::True));
    dir.train("source.csv", "target.csv", "run", &[]).done();
    dir.run(["eval", "run", "labelled.csv"]).done();
    dir.run(["report", "run"]).done();
    script("browser/run", &[&dir.path("run/report.html")], "no report was opened in a browser");
}

#[test]
fn the_report_of_a_bench_and_its_studies_works_in_a_browser() {
    let dir = crate::bench::toy();
    // Few iterations: if all rows were at 100 %, every task would look the same.
    let base = ["bench", "toy.toml", "--data", "data", "--seeds", "3", "--set", "train.iterations=8"];
    dir.run(base.iter().chain(&["--methods", "cloth,source_only", "-o", "all"])).done();
    dir.run(base.iter().chain(&["--study", "order", "-o", "order"])).done();
    dir.run(base.iter().chain(&["--study", "wasserstein", "-o", "course"])).done();
    dir.run(["report", "all", "order", "course", "-o", "benches.html"]).done();
    script("browser/run", &[&dir.path("benches.html")], "no report was opened in a browser");
}

#[test]
fn tensorboard_reads_what_was_written_for_it() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &["--tensorboard", "--no-report"]).done();
    script("events.py", &[&dir.path("run")], "no events were read by TensorBoard");
}
