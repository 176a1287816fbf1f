//! `cloth train`

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use cloth::bench::Results;
use cloth::config::Config;
use cloth::eval::remarks;
use cloth::train::{Assessment, Provenance, RunDir};
use cloth::trust;
use cloth::{Error, Flow, Methods, Outcome, Problem, Source, Target, Training, TrainingOptions};
use serde_json::{Map, Value, json};

use crate::Exit;
use crate::args::Train;
use crate::commands::report;
use crate::flags::translate;
use crate::inputs;
use crate::interrupt::Interrupt;
use crate::judgement;
use crate::progress::Console;
use crate::text::{count, duration, percent, plural, print, print_json, quoted, rounded};

pub(crate) fn run(args: &Train, console: &Console) -> anyhow::Result<Exit> {
    let job = match (&args.resume, &args.source, &args.target) {
        (Some(path), ..) => Job::resume(path, !args.no_report)?,
        (None, Some(source), Some(target)) => {
            let config = inputs::config(&args.settings)?;
            Job::start(
                config,
                inputs::from_files(source, target)?,
                args.output.clone(),
                !args.no_report,
                console,
            )?
        }
        _ => unreachable!("clap requires source and target without --resume"),
    };
    let job = match tensorboard(args, &job.run) {
        Some(directory) => job.with_tensorboard(&directory)?,
        None => job,
    };
    // Before this point there is nothing to save, and Ctrl-C simply ends the command.
    let interrupt = Interrupt::watch()?;
    let mut fitted = job.train(console, &interrupt)?;
    interrupt.end();
    let report = match args.no_report || fitted.outcome.stopped {
        true => None,
        false => report::of_run(&fitted.run, fitted.outcome.rows.take(), console),
    };
    match args.json {
        true => print_json(&fitted.json(report.as_deref()))?,
        false => print(&fitted.summary(report.as_deref()))?,
    }
    fitted.end(console, args.tensorboard.as_ref().and_then(|given| given.as_deref()))
}

/// Directory for TensorBoard events, if they are written. A resumed run that has events continues them.
fn tensorboard(args: &Train, run: &RunDir) -> Option<PathBuf> {
    match &args.tensorboard {
        Some(None) => Some(run.tensorboard()),
        // TensorBoard expects a directory for each run.
        Some(Some(given)) => Some(given.join(run.path().file_name().unwrap_or(OsStr::new("run")))),
        None => Some(run.tensorboard()).filter(|directory| directory.is_dir()),
    }
}

/// A run that is ready to train, with its directory and a description of its data.
pub(crate) struct Job {
    training: Training,
    /// Plain training, if the run is guarded.
    plain: Option<Training>,
    run: RunDir,
    data: Data,
}

/// Description of a run's data for the summary.
struct Data {
    provenance: Provenance,
    source_rows: usize,
    target_rows: usize,
    target_has_labels: bool,
}

impl Job {
    /// Prepares a new run. Nothing is written before the data have been checked.
    pub(crate) fn start(
        config: Config,
        provenance: Provenance,
        output: Option<PathBuf>,
        keep_rows: bool,
        console: &Console,
    ) -> anyhow::Result<Self> {
        let default = default_path(&provenance, &config);
        check_output(output.as_ref().unwrap_or(&free(&default)))?;
        let (source, target) = inputs::load(&provenance, &config)?;
        if target.had_labels() {
            let file = inputs::shorter(&provenance.target);
            console.note(&format!("target labels in {} ignored", file.display()));
        }
        let mut remarks = remarks::on_ignored(&source, &target);
        remarks.extend(remarks::on_source(&source));
        remarks.extend(remarks::on_target(&target, source.classes().len()));
        if wants_guard(&config)? && !trust::can_judge(source.layout().shape) {
            let remark = "the accuracy on images is not estimated, and the adapted classifier predicts: neighbours by \
                          their pixels tell nothing of images";
            remarks.push(remark.to_owned());
        }
        remarks.iter().for_each(|remark| console.note(remark));
        Self::prepare(config, provenance, (source, target), keep_rows, |training, provenance| {
            let path = output.map_or_else(|| take_free(&default), Ok)?;
            RunDir::create(path, training.config(), provenance)
        })
    }

    /// Prepares an existing run to be resumed.
    fn resume(path: &Path, keep_rows: bool) -> anyhow::Result<Self> {
        let (run, config, provenance) = RunDir::open(path, &Methods::builtin())?;
        let (source, target) = inputs::load(&provenance, &config)?;
        Self::prepare(config, provenance, (source, target), keep_rows, |_, _| Ok(run))
    }

    fn prepare(
        config: Config,
        provenance: Provenance,
        (source, target): (Source, Target),
        keep_rows: bool,
        directory: impl FnOnce(&Training, &Provenance) -> cloth::Result<RunDir>,
    ) -> anyhow::Result<Self> {
        let data = Data {
            provenance,
            source_rows: source.len(),
            target_rows: target.len(),
            target_has_labels: target.had_labels(),
        };
        let options = TrainingOptions::default();
        let is_guarded = wants_guard(&config)? && trust::can_judge(source.layout().shape);
        let plain = match is_guarded {
            true => Some(trust::plain_training(&config, source.clone(), target.clone(), &options)?),
            false => None,
        };
        let options = options.keep_rows(keep_rows || is_guarded);
        let training = Training::with_options(config, source, target, &options)?;
        let run = directory(&training, &data.provenance)?;
        let training = training.in_directory(run.clone())?;
        let plain = plain.map(|plain| in_plain_directory(plain, &run, &data.provenance)).transpose()?;
        Ok(Self { training, plain, run, data })
    }

    fn with_tensorboard(self, directory: &Path) -> anyhow::Result<Self> {
        Ok(Self { training: self.training.with_tensorboard(directory)?, ..self })
    }

    /// Trains to the end, or until interrupted. Plain training comes first, so that it is there to be compared with.
    pub(crate) fn train(self, console: &Console, interrupt: &Interrupt) -> anyhow::Result<TrainedRun> {
        let Self { training, plain, run, data } = self;
        let config = training.config().clone();
        let (done, iterations) = (training.done(), config.train.iterations);
        match done {
            0 => {}
            done if done >= iterations => {
                console.note(&format!("{} had already finished", run.path().display()))
            }
            done => {
                console.note(&format!("resuming after iteration {} of {}", count(done), count(iterations)))
            }
        }
        let run_to_end = |training: Training, name: &str| {
            let mut progress = console.training(name, training.done());
            training.run(|event| {
                progress.see(event);
                if interrupt.asked() { Flow::Stop } else { Flow::Continue }
            })
        };
        let plain = plain.map(|plain| run_to_end(plain, "plain training")).transpose();
        let plain = plain.map_err(|error| stopped_by(error, &run))?;
        let outcome = match &plain {
            Some(plain) if plain.stopped => training.finish(),
            _ => run_to_end(training, &config.method.name),
        };
        let mut outcome = outcome.map_err(|error| stopped_by(error, &run))?;
        let assessment = match plain {
            Some(plain) if !outcome.stopped => {
                let assessment = trust::judge(&mut outcome, plain.model)?;
                outcome.model.save(run.model())?;
                run.add_assessment(&assessment)?;
                Some(assessment)
            }
            _ => None,
        };
        Ok(TrainedRun { outcome, assessment, resumed_after: done, config, run, data })
    }
}

/// Whether a run is to be compared with plain training.
fn wants_guard(config: &Config) -> cloth::Result<bool> {
    Ok(config.train.guard && Methods::builtin().find(&config.method.name)?.adapts())
}

/// Plain training in its own directory inside that of the run, where it resumes like any other.
fn in_plain_directory(plain: Training, run: &RunDir, provenance: &Provenance) -> cloth::Result<Training> {
    let path = run.plain();
    let directory = match RunDir::is_at(&path) {
        true => RunDir::open(path, &Methods::builtin())?.0,
        false => RunDir::create(path, plain.config(), provenance)?,
    };
    plain.in_directory(directory)
}

/// Adds to an error what it left of the run, and how to resume.
fn stopped_by(error: Error, run: &RunDir) -> anyhow::Error {
    let checkpoint = run.checkpoint();
    let left = match (checkpoint.exists(), &error) {
        (false, _) => format!(
            "training stopped before its first checkpoint; its settings and metrics are in {}",
            run.path().display()
        ),
        (true, Error::NonFinite { .. }) => {
            format!("training stopped; its last checkpoint is {}", checkpoint.display())
        }
        (true, _) => format!(
            "training stopped; fix the cause, then `cloth train --resume {}` resumes from the last checkpoint",
            quoted(run.path())
        ),
    };
    anyhow::Error::new(error).context(left)
}

/// A run that has finished or was interrupted.
pub(crate) struct TrainedRun {
    pub(crate) outcome: Outcome,
    /// How far to trust the run; none if it is not guarded or was interrupted.
    pub(crate) assessment: Option<Assessment>,
    pub(crate) run: RunDir,
    resumed_after: usize,
    config: Config,
    data: Data,
}

impl TrainedRun {
    /// The command's exit. For an interrupted run, prints the command that resumes it, with `--tensorboard` if given.
    fn end(&self, console: &Console, tensorboard: Option<&Path>) -> anyhow::Result<Exit> {
        if !self.outcome.stopped {
            return Ok(Exit::Done);
        }
        let events = tensorboard.map(|directory| format!(" --tensorboard={}", quoted(directory)));
        console.note(&format!(
            "stopped after iteration {} of {} and saved\n  resume: cloth train --resume {}{}",
            count(self.outcome.iterations),
            count(self.config.train.iterations),
            quoted(self.run.path()),
            events.unwrap_or_default()
        ));
        Ok(Exit::Interrupted)
    }

    fn json(&self, report: Option<&Path>) -> Value {
        let Self { outcome, config, run, .. } = self;
        let classes = outcome.model.about().classes.names();
        let proportions = classes.iter().zip(&outcome.target_proportions);
        let proportions: Map<String, Value> =
            proportions.map(|(class, &share)| (class.clone(), rounded(share.into()).into())).collect();
        let called: Map<String, Value> =
            classes.iter().cloned().zip(outcome.target_called.iter().map(|&rows| rows.into())).collect();
        let mut json = json!({
            "run": run.path(),
            "model": (!outcome.stopped).then(|| run.model()),
            "report": report,
            "method": config.method.name,
            "seed": config.seed,
            "iterations": outcome.iterations,
            "selected_iteration": outcome.selected_iteration,
            "seconds": outcome.seconds,
            "stopped": outcome.stopped,
            "source_accuracy": outcome.source_accuracy,
            "target_confidence": rounded(outcome.target_confidence),
            "target_proportions": proportions,
            "target_called": called,
            "warnings": outcome.warnings,
        });
        if let (Some(assessment), Value::Object(fields)) = (&self.assessment, &mut json) {
            fields.extend(judgement::json(assessment));
        }
        json
    }

    /// Number of iterations, and the time taken by those of this command.
    fn iterations(&self) -> String {
        let (all, took) = (self.outcome.iterations, duration(self.outcome.seconds));
        match all.saturating_sub(self.resumed_after) {
            0 => plural(all, "iteration"),
            now if now == all => format!("{} in {took}", plural(all, "iteration")),
            now => format!("{}, the last {} in {took}", plural(all, "iteration"), count(now)),
        }
    }

    fn summary(&self, report: Option<&Path>) -> String {
        let Self { outcome, config, run, data, .. } = self;
        let Provenance { source, target, .. } = &data.provenance;
        let classes = outcome.model.about().classes.names();
        let mut lines = vec![
            format!("{} with seed {}", config.method.name, config.seed),
            format!("  source  {}", inputs::shorter(source).display()),
            format!("          {}, {}", plural(data.source_rows, "row"), plural(classes.len(), "class")),
            format!("  target  {}", inputs::shorter(target).display()),
            format!("          {}", plural(data.target_rows, "row")),
            format!("  {}", self.iterations()),
        ];
        if outcome.selected_iteration != outcome.iterations {
            lines.push(format!("  weights of iteration {} kept", count(outcome.selected_iteration)));
        }
        lines.push(String::new());
        if let Some(accuracy) = outcome.source_accuracy {
            lines.push(format!("Accuracy on held-out source rows: {}", percent(accuracy)));
        }
        if let Some(assessment) = &self.assessment {
            lines.extend(judgement::estimates(assessment));
            lines.push(String::new());
        }
        lines.push("Predictions on the target:".to_owned());
        if self.assessment.is_none() {
            lines.push(format!("  mean confidence  {}", percent(outcome.target_confidence)));
        }
        let called = classes.iter().zip(&outcome.target_called);
        let share = |rows: usize| percent(rows as f64 / data.target_rows.max(1) as f64);
        if let (Some((most, &largest)), Some((least, &smallest))) =
            (called.clone().max_by_key(|class| class.1), called.min_by_key(|class| class.1))
        {
            lines.push(format!("  most frequent    \"{most}\", {} of the rows", share(largest)));
            lines.push(format!("  least frequent   \"{least}\", {} of the rows", share(smallest)));
        }
        if self.assessment.is_none() {
            lines.push("  (no label was used: this is not accuracy)".to_owned());
        }
        if let Some(last) = outcome.warnings.last() {
            let last = translate(last);
            lines.push(format!("\n{}, the last:\n  {last}", plural(outcome.warnings.len(), "warning")));
        }
        if !outcome.stopped {
            lines.push(format!("\nModel:  {}", run.model().display()));
            lines.extend(report.map(|report| format!("Report: {}", report.display())));
            lines.push("\nNext:".to_owned());
            let target = match inputs::are_files(&data.provenance) {
                true => quoted(&inputs::shorter(target)),
                false => "DATA".to_owned(),
            };
            let labelled = if data.target_has_labels { &target } else { "LABELLED" };
            let run = quoted(run.path());
            lines.push(format!("  cloth predict {run} {target} -o predictions.csv"));
            lines.push(format!("  cloth eval {run} {labelled}"));
        }
        if let Some(assessment) = &self.assessment {
            lines.push(String::new());
            lines.push(judgement::last_word(assessment));
        }
        lines.join("\n") + "\n"
    }
}

/// `runs/<source>-<target>-<method>-seed<N>`
fn default_path(provenance: &Provenance, config: &Config) -> PathBuf {
    let name = format!(
        "{}-{}-{}-seed{}",
        inputs::stem(&provenance.source),
        inputs::stem(&provenance.target),
        config.method.name,
        config.seed
    );
    Path::new("runs").join(name)
}

/// `path`, or else the first of `path-2`, `path-3`, … that does not exist.
pub(crate) fn free(path: &Path) -> PathBuf {
    let numbered = |n: u64| match n {
        1 => path.to_owned(),
        n => path.with_file_name(format!("{}-{n}", path.file_name().unwrap_or_default().display())),
    };
    (1..).map(numbered).find(|path| !path.exists()).unwrap_or_else(|| path.to_owned())
}

/// Creates the directory that [`free`] finds. Commands that run at the same time get different ones.
fn take_free(path: &Path) -> cloth::Result<PathBuf> {
    loop {
        let path = free(path);
        let failed = |error| Error::io("create", &path, error);
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path.clone()).map_err(failed),
        }
    }
}

/// Fails early if a run cannot be written to `path`. Leaves nothing there.
pub(crate) fn check_output(path: &Path) -> cloth::Result<()> {
    let failed = |error| Error::io("create", path, error);
    if Results::are_in(path) {
        return Err(Problem::in_file(path)
            .found("the results of a bench")
            .wanted("a directory of its own for each run")
            .help("choose another with -o")
            .into());
    }
    if RunDir::is_at(path) {
        return Err(Problem::in_file(path)
            .found("an existing run")
            .wanted("a directory of its own for each run")
            .help(format!("choose another with -o, or resume the run with --resume {}", quoted(path)))
            .into());
    }
    let absolute = std::path::absolute(path).map_err(failed)?;
    let existing = absolute.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(&absolute);
    if !existing.is_dir() {
        return Err(failed(io::ErrorKind::NotADirectory.into()));
    }
    let probe = existing.join(format!(".cloth-{}.tmp", std::process::id()));
    OpenOptions::new().write(true).create_new(true).open(&probe).map_err(failed)?;
    fs::remove_file(probe).map_err(failed)
}
