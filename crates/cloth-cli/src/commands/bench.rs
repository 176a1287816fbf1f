//! `cloth bench`

use std::path::{Path, PathBuf};

use anyhow::Context;
use cloth::bench::tables::{self, Cell};
use cloth::bench::{self, Job, Plan, Request, Results, Reusable, Shows, Study, Suite, Update};
use cloth::eval::Spread;
use cloth::{Error, Flow, Problem};
use console::Term;
use serde_json::{Value, json};

use crate::Exit;
use crate::args::Bench;
use crate::board::Board;
use crate::commands::{bench_worker, report};
use crate::interrupt::Interrupt;
use crate::progress::Console;
use crate::table::Table;
use crate::text::{count, duration, plural, print, print_json, quoted, rounded};

pub(crate) fn run(args: &Bench, console: &Console) -> anyhow::Result<Exit> {
    if args.list {
        return list(args.json);
    }
    if !args.render.is_empty() {
        return render(args, console);
    }
    let plan =
        Plan::make(request(args)?, &mut |path| console.patience(&format!("reading {}", path.display())))?;
    let reusable = reusable(args, &plan)?;
    console.patient();
    if args.dry_run {
        return dry_run(args, &plan, &reusable, console);
    }
    // Until here there is nothing to save, and Ctrl-C just ends the command.
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
    // Whatever happened, what was made is worth a table; but nothing is not worth the table that is there.
    let results = Results::gather(&plan)?;
    let nothing = results.runs.is_empty() && before.is_some();
    let mut files = Vec::new();
    if !nothing {
        files = results.write(&plan.output)?;
        files.push(report::of_bench(results.clone(), &plan.output)?);
    }
    let complete = made.context(
        "the bench stopped; what it finished is kept, and once the cause is gone the same command goes on",
    )?;
    if nothing {
        return end(&results, complete, console);
    }
    match args.json {
        true => print_json(&serde_json::to_value(&results)?)?,
        false => print(&outcome(&results, &files))?,
    }
    if let Some(before) = before.filter(|before| results.lacks_some_of(before)) {
        console.note(&format!(
            "the table that was in {} had other runs, too; they are kept, and this shows it again:\n  {}",
            plan.output.display(),
            again(&before, args, &plan.output)
        ));
    }
    end(&results, complete, console)
}

/// The command that shows other results in the same directory again.
fn again(results: &Results, args: &Bench, output: &Path) -> String {
    let data = args.data.as_deref().unwrap_or(Path::new("DIR"));
    let command = results.stamp.command.replacen("--data DIR", &format!("--data {}", quoted(data)), 1);
    format!("{command} -o {}", quoted(output))
}

/// Makes a run on the thread that asks for it.
fn make(job: &Job, tell: &mut dyn FnMut(Update) -> Flow) -> anyhow::Result<Option<bench::Record>> {
    let watch = &mut |event: &cloth::Event<'_>| Update::of(event).map_or(Flow::Continue, &mut *tell);
    Ok(bench::run(job, watch)?)
}

fn end(results: &Results, complete: bool, console: &Console) -> anyhow::Result<Exit> {
    if !complete {
        let words: Vec<String> = std::env::args().skip(1).map(|word| quoted(Path::new(&word))).collect();
        console.note(&format!(
            "stopped with {} of {} made, and saved\n  go on: cloth {}",
            count(results.runs.len()),
            plural(results.planned, "run"),
            words.join(" ")
        ));
        return Ok(Exit::Interrupted);
    }
    if results.failed() > 0 {
        console.warn(&format!("{} failed: a loss was no longer a number", plural(results.failed(), "run")));
        return Ok(Exit::CheckFailed);
    }
    Ok(Exit::Done)
}

fn request(args: &Bench) -> anyhow::Result<Request> {
    let (Some(suite), Some(data)) = (&args.suite, &args.data) else {
        unreachable!("clap asks for suite and data where nothing else is wanted");
    };
    let suite = Suite::find(suite)?;
    let study = args.study.as_deref().map(Study::find).transpose()?;
    let mut name = format!("bench-{}", suite.name);
    for part in study.iter().map(|study| &study.name).chain(&args.preset) {
        name += &format!("-{part}");
    }
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| Error::io("read", path, error));
    Ok(Request {
        output: args.output.clone().unwrap_or_else(|| Path::new("runs").join(name)),
        data: absolute(data)?,
        suite,
        study,
        methods: trimmed(&args.methods),
        tasks: trimmed(&args.tasks),
        seeds: args.seeds,
        preset: args.preset.clone(),
        settings: args.set.clone(),
        features: args.features.clone(),
        oracle: args.oracle,
        keep: args.keep,
    })
}

/// `a, b` is `a,b`.
fn trimmed(words: &[String]) -> Vec<String> {
    words.iter().map(|word| word.trim().to_owned()).collect()
}

/// The runs that have not been made.
fn todo(plan: &Plan) -> cloth::Result<Vec<&Job>> {
    let mut todo = Vec::new();
    for job in &plan.jobs {
        if job.record()?.is_none() {
            todo.push(job);
        }
    }
    Ok(todo)
}

/// Says that runs were made before anybody wanted their models.
fn without_model(plan: &Plan, todo: &[&Job], console: &Console) {
    let made = plan.jobs.iter().filter(|job| !todo.contains(job));
    let gone = made.filter(|job| !job.directory().exists()).count();
    if gone > 0 {
        console.note(&format!(
            "{} had been made without --keep and will have no model; another -o makes all again",
            plural(gone, "run")
        ));
    }
}

/// The runs that need not be made.
fn reusable(args: &Bench, plan: &Plan) -> cloth::Result<Reusable> {
    if plan.alone() && !args.reuse.is_empty() {
        return Err(Problem::at("--reuse")
            .found("a study of time")
            .wanted("runs that are all made here, one after another")
            .into());
    }
    Reusable::read(&args.reuse)
}

fn reuse(args: &Bench, plan: &Plan, reusable: &Reusable, console: &Console) -> cloth::Result<()> {
    let given = reusable.give(&todo(plan)?)?;
    if !args.reuse.is_empty() {
        console.note(&match given {
            0 => "no run of the results to reuse has these settings, data and seeds".to_owned(),
            given => {
                format!("{} of {} taken from other results", count(given), plural(plan.jobs.len(), "run"))
            }
        });
    }
    Ok(())
}

/// Whether the runs are made one at a time, whatever --jobs says.
pub(crate) fn is_about_time(args: &Bench) -> bool {
    let study = args.study.as_deref().and_then(|name| Study::find(name).ok());
    study.is_some_and(|study| study.shows == Shows::Time)
}

fn workers(args: &Bench, plan: &Plan, console: &Console) -> usize {
    if plan.alone() && args.jobs > 1 {
        console
            .note("one run at a time: side by side they would slow each other, and this study is about time");
        return 1;
    }
    args.jobs.into()
}

fn outcome(results: &Results, files: &[PathBuf]) -> String {
    let out = Term::stdout();
    let columns = if out.is_term() { out.size().1.into() } else { usize::MAX };
    let mut text = String::new();
    for shown in tables::tables(results) {
        // What a narrow window cannot show is in the files.
        let narrower = [
            (plain(&shown, true), ""),
            (plain(&shown, false), "; this window is too narrow for deviations"),
            (means(&shown), "; this window is too narrow for all columns"),
        ];
        let fits = narrower.iter().find(|(table, _)| table.width() <= columns).unwrap_or(&narrower[2]);
        text += &format!("{}{}:\n\n{}\n", shown.caption, fits.1, fits.0.render());
    }
    if !results.complete() {
        text += &format!(
            "INCOMPLETE: {} of {} made\n",
            count(results.runs.len()),
            plural(results.planned, "run")
        );
    }
    text += &format!("Target labels used: {}\n", results.stamp.target_labels);
    if !results.paper.is_empty() {
        let features = results.stamp.paper_features.as_deref().unwrap_or("other");
        text += &format!("(paper): the paper's own cells, on other features ({features})\n");
    }
    text += "\nResults:\n";
    files.iter().for_each(|file| text += &format!("  {}\n", file.display()));
    text
}

/// The names and the last column, which is the mean.
fn means(shown: &tables::Table) -> Table {
    let last = |cells: &[Cell]| cells.last().map_or(String::new(), |cell| cell.text("±"));
    let mut table =
        Table::new(1, [&shown.header[0], &shown.header[shown.header.len() - 1]].map(String::as_str));
    for row in &shown.rows {
        table.row([row.name.clone(), last(&row.cells)]);
    }
    table
}

fn plain(shown: &tables::Table, with_deviations: bool) -> Table {
    let mut table = Table::new(1, shown.header.iter().map(String::as_str));
    for row in &shown.rows {
        let cells = row.cells.iter().map(|cell| match cell {
            Cell::Spread(spread, decimals, failed) if !with_deviations => {
                Cell::Spread(Spread { std: None, ..*spread }, *decimals, *failed).text("±")
            }
            cell => cell.text("±"),
        });
        table.row([row.name.clone()].into_iter().chain(cells));
    }
    table
}

/// What would run, and how long.
fn dry_run(args: &Bench, plan: &Plan, reusable: &Reusable, console: &Console) -> anyhow::Result<Exit> {
    let mut todo = todo(plan)?;
    todo.retain(|job| reusable.answer(job).is_none());
    let workers = workers(args, plan, console);
    let mut table = Table::new(1, ["", "runs", "made", "to do", "each", "in all"]);
    let (mut seconds, mut rows) = (0.0, Vec::new());
    for row in &plan.rows {
        let all: Vec<&Job> = plan.jobs.iter().filter(|job| job.row == row.name).collect();
        let left: Vec<&&Job> = todo.iter().filter(|job| job.row == row.name).collect();
        let each = match left.first() {
            None => None,
            Some(job) => {
                console.patience(&format!("trying {}", row.name));
                Some(bench::probe(job)?)
            }
        };
        let total = each.unwrap_or(0.0) * left.len() as f64;
        seconds += total;
        table.row([
            row.name.clone(),
            count(all.len()),
            count(all.len() - left.len()),
            count(left.len()),
            each.map_or(String::new(), duration),
            duration(total),
        ]);
        rows.push(json!({
            "row": row.name,
            "method": row.method,
            "settings": row.settings,
            "runs": all.len(),
            "made": all.len() - left.len(),
            "seconds_each": each.map(rounded),
        }));
    }
    console.patient();
    let left = seconds / workers.min(todo.len()).max(1) as f64;
    if args.json {
        print_json(&json!({
            "stamp": plan.stamp,
            "tasks": plan.tasks.iter().map(|task| task.name()).collect::<Vec<_>>(),
            "rows": rows,
            "runs": plan.jobs.len(),
            "to_do": todo.len(),
            "jobs": workers,
            "seconds": rounded(left),
            "output": plan.output,
        }))?;
    } else {
        let stamp = &plan.stamp;
        print(&format!(
            "{}{}: {} × {} × {} = {}\n{}\npreset {}\n\n{}\nAbout {} with --jobs {workers}, by a few iterations of each on its first task.\nResults would go to {}\n",
            stamp.title,
            stamp.study_title.as_ref().map_or(String::new(), |study| format!(", {study}")),
            plural(plan.tasks.len(), "task"),
            plural(plan.rows.len(), if stamp.study.is_some() { "variant" } else { "method" }),
            plural(stamp.seeds.len(), "seed"),
            plural(plan.jobs.len(), "run"),
            stamp.features,
            stamp.preset,
            table.render(),
            duration(left),
            plan.output.display(),
        ))?;
    }
    Ok(Exit::Done)
}

/// Puts sections into a document.
fn render(args: &Bench, console: &Console) -> anyhow::Result<Exit> {
    let Some(document) = &args.output else { unreachable!("clap asks for the document") };
    let text = match std::fs::read_to_string(document) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "# Results\n".to_owned(),
        Err(error) => return Err(Error::io("read", document, error).into()),
    };
    let mut sections = Vec::new();
    for directory in &args.render {
        let results = Results::read(directory)?;
        let name = std::path::absolute(directory).unwrap_or_else(|_| directory.clone());
        let name = if directory.is_file() { name.parent().unwrap_or(&name) } else { &name };
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        sections.push((name, tables::section(&results)));
    }
    let borrowed: Vec<(&str, &str)> =
        sections.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    cloth::atomic::write_atomic(document, bench::render(&text, &borrowed)?.as_bytes())?;
    match args.json {
        true => print_json(&json!({
            "document": document,
            "sections": sections.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        }))?,
        false => console.note(&format!("{} in {}", plural(sections.len(), "section"), document.display())),
    }
    Ok(Exit::Done)
}

/// Suites and studies.
fn list(as_json: bool) -> anyhow::Result<Exit> {
    let suites =
        bench::SUITES.iter().map(|(name, _)| Suite::find(name)).collect::<cloth::Result<Vec<_>>>()?;
    let studies =
        bench::STUDIES.iter().map(|(name, _)| Study::find(name)).collect::<cloth::Result<Vec<_>>>()?;
    let papers = |study: &Study| -> Vec<String> {
        let known =
            |suite: &&Suite| study.variants.iter().any(|variant| variant.paper.contains_key(&suite.name));
        suites.iter().filter(known).map(|suite| suite.name.clone()).collect()
    };
    if as_json {
        let suite = |suite: &Suite| -> Value {
            json!({
                "name": suite.name,
                "title": suite.title,
                "classes": suite.classes,
                "tasks": suite.tasks.iter().map(|task| task.name()).collect::<Vec<_>>(),
                "files": suite.domains.iter().map(|domain| &domain.files[0]).collect::<Vec<_>>(),
                "get": suite.get,
            })
        };
        let study = |study: &Study| -> Value {
            json!({
                "name": study.name,
                "title": study.title,
                "paper": study.table,
                "paper_suites": papers(study),
                "variants": study.variants.iter().map(|variant| &variant.name).collect::<Vec<_>>(),
            })
        };
        print_json(&json!({
            "suites": suites.iter().map(suite).collect::<Vec<_>>(),
            "studies": studies.iter().map(study).collect::<Vec<_>>(),
        }))?;
        return Ok(Exit::Done);
    }
    let mut text = "Suites:\n".to_owned();
    for suite in &suites {
        let files: Vec<&str> = suite.domains.iter().map(|domain| domain.files[0].as_str()).collect();
        text += &format!(
            "\n  {}: {}, {}, {}\n    files: {}\n",
            suite.name,
            suite.title,
            plural(suite.tasks.len(), "task"),
            plural(suite.classes.len(), "class"),
            files.join(", ")
        );
        suite.get.iter().for_each(|place| text += &format!("    - {place}\n"));
    }
    text += "\nA file is NAME.npz, or NAME_train and NAME_test, or SOURCE_NAME.csv, in any format that `cloth train` reads.\n";
    text += "\nStudies (--study), all of the method cloth:\n\n";
    for study in &studies {
        let cells = match papers(study).as_slice() {
            [] => String::new(),
            suites => format!(": {}", suites.join(", ")),
        };
        let table = if study.table.is_empty() { "not in the paper" } else { &study.table };
        text += &format!("  {}: {} ({table}{cells})\n", study.name, study.title);
    }
    print(&text)?;
    Ok(Exit::Done)
}
