//! A small suite, from its file to its tables.

mod plan;
mod reuse;
mod runs;
mod schedule;

use std::path::{Path, PathBuf};

use super::*;
use crate::method::Methods;
use crate::train::{Event, Flow};

const TOY: &str = r#"
name = "toy"
title = "Toy"
classes = ["ant", "bee", "cat"]
tasks = [["A", "B"], ["B", "A"]]
settings = [
    "train.iterations=30", "generator.hidden=[8]", "train.evaluate_every=10", "train.batch_size=16",
    "train.learning_rate=0.05", "train.warmup=1", "train.average=0.9",
]
get = ["nowhere: it is made up"]

[[domains]]
name = "A"
files = ["a"]

[[domains]]
name = "B"
files = ["b"]

[presets]
paper = ["generator.hidden=[6]"]

[paper]
table = "Table 9"
features = "made up"
rows = [{ name = "CLOTH", cells = [90.0, 80.5], mean = 85.2 }]
"#;

/// A directory with the two domains, and what to ask for.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        home.write("a.csv", 0.0);
        home.write("b.csv", 0.4);
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, shift: f32) {
        self.write_scaled(name, shift, 1.0);
    }

    /// Three clouds in six dimensions, moved by `shift`; no header, and the label last.
    fn write_scaled(&self, name: &str, shift: f32, scale: f32) {
        let row = |i: usize| {
            let value =
                |j: usize| f32::from(u8::from(j % 3 == i % 3)) + shift + ((i * 7 + j * 5) % 11) as f32 / 20.0;
            let values: Vec<String> = (0..6).map(|j| (scale * value(j)).to_string()).collect();
            format!("{},{}.0\n", values.join(","), i % 3)
        };
        std::fs::write(self.path(name), (0..60).map(row).collect::<String>()).unwrap();
    }

    fn request(&self) -> Request {
        let suite = Suite::parse(TOY, "toy.toml").unwrap();
        let methods = ["cloth", "source_only"].map(str::to_owned).to_vec();
        Request { methods, seeds: 2, ..Request::new(suite, self.0.path(), self.path("out")) }
    }

    fn plan(&self, change: impl FnOnce(&mut Request)) -> BenchPlan {
        let mut request = self.request();
        change(&mut request);
        BenchPlan::make(request, &mut |_| {}).unwrap()
    }
}

fn go_on(_: &Event) -> Flow {
    Flow::Continue
}

/// Makes every run.
fn make(plan: &BenchPlan, workers: usize) -> Results {
    let jobs: Vec<&Job> = plan.jobs.iter().collect();
    let all = run_all(&jobs, workers, |job, _| run(job, &Methods::builtin(), &mut go_on), |_| Flow::Continue)
        .unwrap();
    assert!(all);
    timeless(Results::gather(plan).unwrap())
}

/// Removes measured times, the only values that differ between two executions.
fn timeless(mut results: Results) -> Results {
    results
        .runs
        .iter_mut()
        .for_each(|run| run.timing = Timing { seconds: 0.0, iterations: 0, median_iteration: 0.0 });
    results.averages.iter_mut().for_each(|averages| averages.seconds = None);
    results
}

fn files(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_example_of_results_json_is_what_the_program_writes() {
    let text = include_str!("results.json");
    let results: Results = serde_json::from_str(text).unwrap();
    assert_eq!(results.json(), text);
    let none = Results { runs: Vec::new(), ..results.clone() };
    assert_eq!(serde_json::from_str::<Results>(&none.json()).unwrap(), none);
    assert_eq!((results.complete(), results.failed()), (true, 1));
}
