//! `cloth demo`

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cloth::demo::{N_PIXELS, answers};
use cloth::eval::{Evaluation, Evaluator, Score, Spread};
use cloth::report::FILE_NAME;
use cloth::train::Assessment;
use cloth::{Methods, Model};
use serde_json::{Value, json};

use crate::Exit;
use crate::args::Demo;
use crate::commands::report;
use crate::commands::train::{Job, free};
use crate::inputs;
use crate::interrupt::Interrupt;
use crate::progress::Console;
use crate::table::Table;
use crate::text::{print, print_json, spread};

/// The baseline and the method that is compared with it.
const METHODS: [&str; 2] = ["source_only", "cloth"];
/// Most digits that are shown as pictures.
const PICTURES: usize = 4;

pub(crate) fn run(args: &Demo, console: &Console) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let interrupt = Interrupt::watch()?;
    let output = args.output.clone().unwrap_or_else(|| free(Path::new("runs/demo")));
    console.note("source: 2,000 digits drawn by this program, labelled");
    console.note("target: 1,797 handwritten digits, unlabelled");

    let (mut tries, mut reports) = (Vec::new(), Vec::new());
    for seed in args.seed..args.seed + args.seeds {
        let directory = if args.seeds == 1 { output.clone() } else { output.join(format!("seed{seed}")) };
        let (mut results, mut runs) = (Vec::new(), Vec::new());
        for method in METHODS {
            let config = Methods::builtin().layers(method)?.set(&format!("seed={seed}"))?.build()?;
            let job = Job::start(
                config,
                inputs::from_demo(),
                Some(directory.join(method)),
                !args.no_report,
                console,
            )?;
            let mut fitted = job.train(console, &interrupt)?;
            if fitted.outcome.stopped {
                if args.json {
                    print_json(&json!({ "run": output, "stopped": true }))?;
                }
                console.note(
                    "stopped: the next `cloth demo` starts over, in a directory that does not exist yet",
                );
                return Ok(Exit::Interrupted);
            }
            let scored = Scored::new(&fitted.outcome.model, fitted.outcome.seconds)?;
            scored.evaluation.save(fitted.run.evaluation())?;
            runs.push((fitted.run, fitted.outcome.rows.take()));
            results.push(scored);
            // Made before any answer was looked at; that of the baseline comes with the method it is compared with.
            if let Some(Assessment { plain, estimate, .. }) = fitted.assessment {
                let estimates = [plain.accuracy, estimate.accuracy];
                results
                    .iter_mut()
                    .zip(estimates)
                    .for_each(|(result, estimate)| result.estimated = Some(estimate));
            }
        }
        if !args.no_report {
            reports.extend(report::of_runs(runs, &directory.join(FILE_NAME), console));
        }
        tries.push(Try { seed, results });
    }

    let seconds = started.elapsed().as_secs_f64();
    match args.json {
        true => print_json(&json(&tries, &output, &reports, seconds))?,
        false => print(&text(&tries, &output, &reports))?,
    }
    Ok(Exit::Done)
}

/// Results of one seed, one per method.
struct Try {
    seed: u64,
    results: Vec<Scored>,
}

/// A model's predictions, scored with the target labels after training.
struct Scored {
    evaluation: Evaluation,
    predictions: Vec<u32>,
    seconds: f64,
    /// The accuracy that was estimated without the labels.
    estimated: Option<f64>,
}

impl Scored {
    fn new(model: &Model, seconds: f64) -> cloth::Result<Self> {
        let digits = inputs::handwritten()?;
        let mut evaluator = Evaluator::new(model, model.head(), inputs::DIGIT);
        let predictions = evaluator.add(digits, &answers::handwritten_labels(), None)?;
        Ok(Self { evaluation: evaluator.finish("demo:answers"), predictions, seconds, estimated: None })
    }

    fn score(&self) -> &Score {
        &self.evaluation.score
    }
}

fn text(tries: &[Try], output: &Path, reports: &[PathBuf]) -> String {
    let mut table = Table::new(1, ["method", "accuracy", "estimated", "seconds"]);
    for (m, method) in METHODS.iter().enumerate() {
        let over = |value: &dyn Fn(&Scored) -> f64| Spread::of(tries.iter().map(|t| value(&t.results[m])));
        table.row([
            (*method).to_owned(),
            spread(over(&|r| 100.0 * r.score().accuracy), " %"),
            spread(over(&|r| 100.0 * r.estimated.unwrap_or(f64::NAN)), " %"),
            spread(over(&|r| r.seconds), ""),
        ]);
    }
    let mut text =
        "Handwritten digits read right, and the estimate made without a label of theirs".to_owned();
    if tries.len() > 1 {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n({} seeds, mean ± standard deviation)", tries.len());
    }
    text += &format!(":\n\n{}\n", table.render());
    if let Some(first) = tries.first() {
        text += &pictures(first);
    }
    let _ = writeln!(text, "Runs: {}", output.display());
    for report in reports {
        let _ = writeln!(text, "Report: {}", report.display());
    }
    text + "\nNext, with your own data, of which one side has labels:\n\
            \x20 cloth inspect SOURCE TARGET\n\
            \x20 cloth train SOURCE TARGET\n"
}

/// A few digits that the two methods predict differently, at most one per class.
fn pictures(one: &Try) -> String {
    let [before, after] = [0, 1].map(|m| &one.results[m].predictions);
    let pixels = cloth::demo::handwritten();
    let actual = answers::handwritten_labels();
    let mut shown: Vec<usize> = Vec::new();
    for row in 0..actual.len() {
        if before[row] != after[row] && shown.iter().all(|&other| actual[other] != actual[row]) {
            shown.push(row);
        }
    }
    shown.truncate(PICTURES);
    if shown.is_empty() {
        return String::new();
    }
    let drawn: Vec<[String; 4]> =
        shown.iter().map(|&row| picture(&pixels[row * N_PIXELS..(row + 1) * N_PIXELS])).collect();
    let mut text = "The first that they read differently:\n".to_owned();
    for line in 0..4 {
        let cells: Vec<&str> = drawn.iter().map(|picture| picture[line].as_str()).collect();
        text += &format!("               {}\n", cells.join("   "));
    }
    for (name, read) in [METHODS[0], METHODS[1], "answer"].into_iter().zip([before, after, &actual]) {
        let cells: Vec<String> = shown.iter().map(|&row| format!("{:^8}", read[row])).collect();
        text += format!("  {name:<11}  {}", cells.join("   ")).trim_end();
        text.push('\n');
    }
    text + "\n"
}

/// Draws 8 × 8 counts of ink as four lines of half blocks.
fn picture(pixels: &[f32]) -> [String; 4] {
    let ink = |line: usize, column: usize| pixels[8 * line + column] >= 7.0;
    std::array::from_fn(|line| {
        let half = |column| match (ink(2 * line, column), ink(2 * line + 1, column)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        };
        (0..8).map(half).collect()
    })
}

fn json(tries: &[Try], output: &Path, reports: &[PathBuf], seconds: f64) -> Value {
    let mean = |m: usize, value: &dyn Fn(&Score) -> f64| {
        Spread::of(tries.iter().map(|t| value(t.results[m].score()))).map(|spread| spread.mean)
    };
    let estimated =
        |m: usize| Spread::of(tries.iter().filter_map(|t| t.results[m].estimated)).map(|spread| spread.mean);
    let each = tries.iter().map(|one| {
        json!({
            "seed": one.seed,
            METHODS[0]: one.results[0].score().accuracy,
            METHODS[1]: one.results[1].score().accuracy,
        })
    });
    json!({
        METHODS[0]: mean(0, &|score| score.accuracy),
        METHODS[1]: mean(1, &|score| score.accuracy),
        "balanced_accuracy": {
            METHODS[0]: mean(0, &|score| score.balanced_accuracy),
            METHODS[1]: mean(1, &|score| score.balanced_accuracy),
        },
        "estimated_accuracy": {
            METHODS[0]: estimated(0),
            METHODS[1]: estimated(1),
        },
        "run": output,
        "reports": reports,
        "seed": tries.first().map(|one| one.seed),
        "seeds": each.collect::<Vec<_>>(),
        "seconds": seconds,
    })
}
