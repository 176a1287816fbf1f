//! `cloth report`, and the reports that `train`, `demo` and `bench` write at their end.

use std::fs;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use cloth::bench::Results;
use cloth::config::Config;
use cloth::eval::Evaluation;
use cloth::report::run::{self, ReportOptions, RunData, RunInputs, STAGES};
use cloth::report::{BenchReport, FILE_NAME, Level, Report, RunReport, bench};
use cloth::train::{Provenance, RunDir, TrainedRows};
use cloth::{Error, Methods, Problem};
use serde_json::{Value, json};

use crate::Exit;
use crate::args;
use crate::commands::eval::evaluate;
use crate::inputs;
use crate::progress::{Console, StagesProgress};
use crate::text::{print_json, quoted, rounded, with_causes};

/// How many levels below a directory are searched for runs: a demo with several seeds has them two levels below.
const DEEPEST: usize = 2;

pub(crate) fn run(args: &args::Report, console: &Console) -> anyhow::Result<Exit> {
    let paths = paths(&args.runs)?;
    let output = output(args, &paths)?;
    let options =
        args.points.map_or(ReportOptions::default(), |points| ReportOptions { points: points as usize });
    let (benches, runs): (Vec<&PathBuf>, Vec<&PathBuf>) =
        paths.iter().partition(|path| Results::are_in(path));
    if args.labels.is_some() && runs.is_empty() {
        let problem = Problem::at("--labels")
            .found("no run to score, only benches")
            .wanted("at least one run directory")
            .help("leave --labels out: a bench has scored its runs");
        return Err(Error::from(problem).into());
    }
    let benches = benches.into_iter().map(|path| bench::collect(path)).collect::<cloth::Result<Vec<_>>>()?;
    let mut reports = Vec::new();
    let evaluations: Vec<Option<Evaluation>> = runs
        .iter()
        .map(|path| match &args.labels {
            None => Evaluation::load(RunDir::open(path, &Methods::builtin())?.0.evaluation()),
            Some(labels) => evaluate(&inputs::open_model(path, &args.reading)?, labels, console).map(Some),
        })
        .collect::<cloth::Result<_>>()?;
    let mut progress = console.stages("report", STAGES * runs.len());
    for (path, evaluation) in runs.iter().zip(evaluations) {
        reports.push(collect(path, None, evaluation, options, &mut progress)?);
    }
    drop(progress);
    for report in &reports {
        if let Err(why) = &report.view {
            console
                .warn(&format!("{}: {why}; the report shows only what the run directory holds", report.path));
        }
    }
    let report = Report { benches, runs: reports };
    report.save(&output)?;
    match args.json {
        true => print_json(&json(&report, &output))?,
        false => console.note(&format!("report written to {}", output.display())),
    }
    Ok(Exit::Done)
}

/// Directories of runs and benches. A given directory that is neither, such as a demo's, stands for those in it.
fn paths(given: &[PathBuf]) -> cloth::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for path in given {
        let before = paths.len();
        find(path, DEEPEST, &mut paths)?;
        if paths.len() == before {
            return Err(Problem::in_file(path)
                .found("neither a run nor a bench")
                .wanted("a directory made by `cloth train`, `cloth demo` or `cloth bench`")
                .into());
        }
    }
    Ok(paths)
}

fn find(path: &Path, deeper: usize, found: &mut Vec<PathBuf>) -> cloth::Result<()> {
    let failed = |error| Error::io("read", path, error);
    if RunDir::is_at(path) || Results::are_in(path) {
        found.push(path.to_owned());
    } else if path.metadata().map_err(failed)?.is_dir() && deeper > 0 {
        let inside = fs::read_dir(path).map_err(failed)?;
        let mut inside =
            inside.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>().map_err(failed)?;
        inside.sort();
        for path in inside.iter().filter(|path| path.is_dir()) {
            find(path, deeper - 1, found)?;
        }
    }
    Ok(())
}

/// The file to write. Fails before the work if it cannot be written.
fn output(args: &args::Report, paths: &[PathBuf]) -> cloth::Result<PathBuf> {
    let output = match (&args.output, paths) {
        (Some(output), _) => output.clone(),
        (None, [only]) if Results::are_in(only) => only.join(FILE_NAME),
        (None, [only]) => RunDir::open(only, &Methods::builtin())?.0.report(),
        (None, _) => PathBuf::from(FILE_NAME),
    };
    if output.is_dir() {
        return Err(Problem::in_file(&output)
            .found("a directory")
            .wanted("a file to write, such as report.html")
            .into());
    }
    let parent = match output.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match parent.is_dir() {
        true => Ok(output),
        false => Err(Error::io("create", output, std::io::ErrorKind::NotFound.into())),
    }
}

/// Writes the report of a bench to its directory: tables and charts of the runs so far.
pub(crate) fn of_bench(results: Results, directory: &Path) -> cloth::Result<PathBuf> {
    let output = directory.join(FILE_NAME);
    let bench = BenchReport::new(directory, results);
    Report { benches: vec![bench], ..Report::default() }.save(&output)?;
    Ok(output)
}

/// Writes the report of a run that has just ended to its directory.
pub(crate) fn of_run(run: &RunDir, rows: Option<TrainedRows>, console: &Console) -> Option<PathBuf> {
    of_runs(vec![(run.clone(), rows)], &run.report(), console)
}

/// Writes one report of runs that have just ended. If that fails, there is a warning and no error: the runs are
/// complete.
pub(crate) fn of_runs(
    runs: Vec<(RunDir, Option<TrainedRows>)>,
    output: &Path,
    console: &Console,
) -> Option<PathBuf> {
    let mut progress = console.stages("report", STAGES * runs.len());
    let make = || {
        let runs = runs.into_iter().map(|(run, rows)| {
            let evaluation = Evaluation::load(run.evaluation())?;
            collect(run.path(), rows, evaluation, ReportOptions::default(), &mut progress)
        });
        Report { runs: runs.collect::<cloth::Result<_>>()?, ..Report::default() }.save(output)
    };
    let made = panic::catch_unwind(AssertUnwindSafe(make));
    drop(progress);
    let why = match made {
        Ok(Ok(())) => return Some(output.to_owned()),
        Ok(Err(error)) => with_causes(&error),
        Err(_) => "a bug in this program".to_owned(),
    };
    console.warn(&format!("the run is complete, but its report could not be written: {why}"));
    None
}

/// Collects the report of one run. Paths are absolute, so that it does not depend on the current directory.
fn collect(
    path: &Path,
    rows: Option<TrainedRows>,
    evaluation: Option<Evaluation>,
    options: ReportOptions,
    progress: &mut StagesProgress<'_>,
) -> cloth::Result<RunReport> {
    let path = std::path::absolute(path).map_err(|error| Error::io("read", path, error))?;
    let methods = Methods::builtin();
    let (run, config, provenance) = RunDir::open(&path, &methods)?;
    let data = match rows {
        Some(rows) => Ok(RunData::Trained(Box::new(rows))),
        None => inputs::load(&provenance, &config).map(|domains| RunData::Read(Box::new(domains))),
    };
    let about = RunInputs {
        run: &run,
        config: &config,
        provenance: &provenance,
        names: inputs::names(&provenance),
        methods: &methods,
        data,
        evaluation,
        commands: commands(&run, &config, &provenance),
    };
    run::collect(about, options, |stage| progress.begin(stage))
}

/// Commands that repeat the run, use its model and write its report.
fn commands(run: &RunDir, config: &Config, provenance: &Provenance) -> Vec<String> {
    let (path, target) = (quoted(run.path()), quoted(&provenance.target));
    if !inputs::are_files(provenance) {
        return vec![format!("cloth demo --seed {}", config.seed), format!("cloth report {path}")];
    }
    vec![
        format!("cloth train {} {target} --config {}", quoted(&provenance.source), quoted(&run.config())),
        format!("cloth predict {path} {target} -o predictions.csv"),
        format!("cloth report {path}"),
    ]
}

fn json(report: &Report, output: &Path) -> Value {
    let level = |level: Level| match level {
        Level::Note => "note",
        Level::Fine => "fine",
        Level::Look => "look",
        Level::Bad => "bad",
    };
    let run = |run: &RunReport| {
        let view = run.view.as_ref().ok();
        let verdict = run.verdict();
        let signs = verdict.iter().flat_map(|verdict| &verdict.signs);
        json!({
            "run": run.path,
            "method": run.method.name,
            "seed": run.seed,
            "verdict": verdict.as_ref().map(|verdict| level(verdict.level)),
            "signs": signs.map(|sign| json!({ "level": level(sign.level), "text": sign.text })).collect::<Vec<_>>(),
            "target_confidence": view.map(|view| rounded(view.target.mean)),
            "proxy_a_distance": view.and_then(|view| view.shift).map(|shift| json!({
                "before": rounded(shift.before.proxy_a_distance),
                "after": rounded(shift.after.proxy_a_distance),
            })),
            "agreement": view.and_then(|view| view.agreement).map(rounded),
            "accuracy": run.evaluation.as_ref().map(|evaluation| evaluation.score.accuracy),
            "missing": run.view.as_ref().err(),
        })
    };
    let bench = |bench: &BenchReport| {
        let verdict = bench.verdict();
        json!({
            "bench": bench.path,
            "verdict": level(verdict.level),
            "headline": verdict.headline,
            "signs": verdict.signs.iter().map(|sign| json!({ "level": level(sign.level), "text": sign.text })).collect::<Vec<_>>(),
        })
    };
    json!({
        "report": output,
        "benches": report.benches.iter().map(bench).collect::<Vec<_>>(),
        "runs": report.runs.iter().map(run).collect::<Vec<_>>(),
    })
}
