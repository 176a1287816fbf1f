//! `cloth bench`

mod command;
mod dry_run;
mod list;
mod outcome;

use std::path::{MAIN_SEPARATOR, Path};

use anyhow::Context;
use cloth::bench::{self, BenchPlan, Job, Request, Results, Reusable, Section, Shows, Study, Suite, Update};
use cloth::{Error, Flow, Methods, Problem};
use serde_json::json;

use self::dry_run::dry_run;
use self::list::list;
use self::outcome::outcome;
use crate::Exit;
use crate::args::Bench;
use crate::board::Board;
use crate::commands::{bench_worker, report};
use crate::interrupt::Interrupt;
use crate::progress::Console;
use crate::text::{count, plural, print, print_json, quoted};

pub(crate) fn run(args: &Bench, console: &Console) -> anyhow::Result<Exit> {
    if args.list {
        return list(args.json);
    }
    if !args.render.is_empty() {
        return render(args, console);
    }
    let plan = BenchPlan::make(request(args)?, &mut |path| {
        console.patience(&format!("reading {}", path.display()))
    })?;
    let reusable = reusable(args, &plan)?;
    console.patient();
    if args.dry_run {
        return dry_run(args, &plan, &reusable, console);
    }
    // Before this point there is nothing to save, and Ctrl-C simply ends the command.
    let interrupt = Interrupt::watch()?;
    let _claim = bench::claim(&plan.output)?;
    let before = Results::read(&plan.output).ok();
    reuse(args, &plan, &reusable, console)?;
    let todo = todo(&plan)?;
    if args.keep {
        without_model(&plan, &todo, console);
    }
    let workers = workers(args, &plan, console);
    let mut board = Board::new(console, &plan, &todo, workers)?;
    let threads = cloth::threads::count();
    let made = bench::run_all(
        &todo,
        workers,
        |job, tell| match workers {
            1 => cloth::threads::with(threads, || make(job, tell)),
            _ => bench_worker::make(job, tell),
        },
        |progress| {
            board.see(progress);
            if interrupt.asked() { Flow::Stop } else { Flow::Continue }
        },
    );
    drop(board);
    // Finished runs get a table even after an error, but an empty table does not replace an existing one.
    let results = Results::gather(&plan)?;
    let nothing = results.runs.is_empty() && before.is_some();
    let mut files = Vec::new();
    if !nothing {
        files = results.write(&plan.output)?;
        files.push(report::of_bench(results.clone(), &plan.output)?);
    }
    let complete = made
        .context("the bench stopped; finished runs are kept: fix the cause, then the same command resumes")?;
    if nothing {
        return end(&results, complete, console);
    }
    match args.json {
        true => print_json(&serde_json::to_value(&results)?)?,
        false => print(&outcome(&results, &files))?,
    }
    if let Some(before) = before.filter(|before| results.lacks_some_of(before)) {
        console.note(&format!(
            "the previous table in {} had other runs; they are kept, and this command shows it again:\n  {}",
            plan.output.display(),
            again(&before, args, &plan.output)
        ));
    }
    end(&results, complete, console)
}

/// The command that shows previous results in the same directory again.
fn again(results: &Results, args: &Bench, output: &Path) -> String {
    let data = args.data.as_deref().unwrap_or(Path::new("DIR"));
    let command = results.stamp.command.replacen("--data DIR", &format!("--data {}", quoted(data)), 1);
    format!("{command} -o {}", quoted(output))
}

/// Makes a run on the calling thread.
fn make(job: &Job, tell: &mut dyn FnMut(Update) -> Flow) -> anyhow::Result<Option<bench::Record>> {
    let watch = &mut |event: &cloth::Event| Update::of(event).map_or(Flow::Continue, &mut *tell);
    Ok(bench::run(job, &Methods::builtin(), watch)?)
}

fn end(results: &Results, complete: bool, console: &Console) -> anyhow::Result<Exit> {
    if !complete {
        let words: Vec<String> = std::env::args().skip(1).map(|word| quoted(Path::new(&word))).collect();
        console.note(&format!(
            "stopped with {} of {} made, and saved\n  resume: cloth {}",
            count(results.runs.len()),
            plural(results.planned, "run"),
            words.join(" ")
        ));
        return Ok(Exit::Interrupted);
    }
    if results.failed() > 0 {
        console.warn(&format!("{} failed: a loss became NaN or infinite", plural(results.failed(), "run")));
        return Ok(Exit::CheckFailed);
    }
    Ok(Exit::Done)
}

fn request(args: &Bench) -> anyhow::Result<Request> {
    let (Some(suite), Some(data)) = (&args.suite, &args.data) else {
        unreachable!("clap requires suite and data without --list and --render");
    };
    let suite = Suite::find(suite)?;
    let study = args.study.as_deref().map(Study::find).transpose()?;
    let mut name = format!("bench-{}", suite.name);
    for part in study.iter().map(|study| &study.name).chain(&args.preset) {
        name += &format!("-{part}");
    }
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| Error::io("read", path, error));
    let output = args.output.clone().unwrap_or_else(|| Path::new("runs").join(name));
    let mut request = Request::new(suite, absolute(data)?, output);
    request.study = study;
    request.methods = trimmed(&args.methods);
    request.tasks = trimmed(&args.tasks);
    request.seeds = args.seeds;
    request.preset.clone_from(&args.preset);
    request.settings.clone_from(&args.set);
    request.features.clone_from(&args.features);
    request.oracle = args.oracle;
    request.keep = args.keep;
    request.command = Some(command::command(&request));
    Ok(request)
}

/// Trims each word, so that `a, b` means `a,b`.
fn trimmed(words: &[String]) -> Vec<String> {
    words.iter().map(|word| word.trim().to_owned()).collect()
}

/// The runs that have no record yet.
fn todo(plan: &BenchPlan) -> cloth::Result<Vec<&Job>> {
    let mut todo = Vec::new();
    for job in &plan.jobs {
        if job.record()?.is_none() {
            todo.push(job);
        }
    }
    Ok(todo)
}

/// Notes that runs made without `--keep` will have no model.
fn without_model(plan: &BenchPlan, todo: &[&Job], console: &Console) {
    let made = plan.jobs.iter().filter(|job| !todo.contains(job));
    let gone = made.filter(|job| !job.directory().exists()).count();
    if gone > 0 {
        console.note(&format!(
            "{} had been made without --keep and will have no model; use another -o to make all runs again",
            plural(gone, "run")
        ));
    }
}

/// Reads the runs of `--reuse`. A study of time refuses them.
fn reusable(args: &Bench, plan: &BenchPlan) -> cloth::Result<Reusable> {
    if plan.alone() && !args.reuse.is_empty() {
        return Err(Problem::at("--reuse")
            .found("a study of time")
            .wanted("runs that are all made here, one after another")
            .into());
    }
    Reusable::read(&args.reuse)
}

fn reuse(args: &Bench, plan: &BenchPlan, reusable: &Reusable, console: &Console) -> cloth::Result<()> {
    let given = reusable.give(&todo(plan)?)?;
    if !args.reuse.is_empty() {
        console.note(&match given {
            0 => "the results of --reuse have no run with these settings, data and seeds".to_owned(),
            given => {
                format!("{} of {} taken from other results", count(given), plural(plan.jobs.len(), "run"))
            }
        });
    }
    Ok(())
}

/// Whether the study is about time, so that runs are made one at a time whatever --jobs says.
pub(crate) fn is_about_time(args: &Bench) -> bool {
    let study = args.study.as_deref().and_then(|name| Study::find(name).ok());
    study.is_some_and(|study| study.shows == Shows::Time)
}

fn workers(args: &Bench, plan: &BenchPlan, console: &Console) -> usize {
    if plan.alone() && args.jobs > 1 {
        console.note(
            "--jobs is ignored: this study measures time, and parallel runs would slow each other down",
        );
        return 1;
    }
    args.jobs.into()
}

/// Inserts the tables of results into a document, or into the pages of a directory.
fn render(args: &Bench, console: &Console) -> anyhow::Result<Exit> {
    let Some(output) = &args.output else { unreachable!("clap requires -o with --render") };
    let sections = args.render.iter().map(|path| Section::read(path)).collect::<Result<Vec<_>, _>>()?;
    // A directory that does not exist yet is recognised by its slash.
    let is_directory =
        output.is_dir() || output.as_os_str().to_string_lossy().ends_with(['/', MAIN_SEPARATOR]);
    let documents = match is_directory {
        true => bench::render_pages(output, &sections)?,
        false => {
            bench::render_document(output, &sections)?;
            vec![output.clone()]
        }
    };
    match args.json {
        true => print_json(&json!({
            "documents": documents,
            "sections": sections.iter().map(|section| &section.name).collect::<Vec<_>>(),
        }))?,
        false => {
            let names: Vec<String> = documents.iter().map(|path| path.display().to_string()).collect();
            console.note(&format!("{} in {}", plural(sections.len(), "section"), names.join(", ")));
        }
    }
    Ok(Exit::Done)
}
