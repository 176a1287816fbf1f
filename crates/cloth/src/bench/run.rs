//! Makes one run: trains, resuming from a checkpoint if there is one, and scores.

use std::fs;
use std::path::Path;
use std::time::Instant;

use super::curve::Curve;
use super::job::Job;
use super::oracle::Watcher;
use super::record::{Record, Timing, VERSION, metrics};
use crate::data::{Classes, HeldOut, Layout, ReadOptions, Source, Target};
use crate::error::{Error, Problem, Result};
use crate::eval::score;
use crate::method::Methods;
use crate::model::Head;
use crate::train::{CLAIM, Claim, Event, Flow, Provenance, RunDir, Training, TrainingOptions};

/// Makes a run and returns its record, or the existing record. None if `watch` stopped it: the checkpoint is kept, and
/// the next call resumes from it.
///
/// A run in which a loss became NaN or infinite has a record, too, with the error in [`Record::failed`].
pub fn run(job: &Job, methods: &Methods, watch: &mut dyn FnMut(&Event) -> Flow) -> Result<Option<Record>> {
    if let Some(record) = job.record()? {
        return Ok(Some(record));
    }
    let directory = job.directory();
    // A worker left behind by a killed bench notices and ends, but that may take a moment.
    let claim = Claim::wait(&directory)?;
    // The previous holder of the lock may have finished the run.
    if let Some(record) = job.record()? {
        return Ok(Some(record));
    }
    let record = make(job, methods, claim, watch)?;
    if record.is_some() {
        tidy(&directory, job.keep);
    }
    Ok(record)
}

/// A run whose data have been read and checked.
pub(super) struct Prepared {
    pub(super) training: Training,
    options: ReadOptions,
    layout: Layout,
    classes: Classes,
}

impl Prepared {
    pub(super) fn new(job: &Job, methods: &Methods) -> Result<Self> {
        let read = ReadOptions::of(&job.config.data);
        let source = Source::load(&job.files.source, &read)?;
        let (layout, classes) = (source.layout().clone(), source.classes().clone());
        check_classes(&job.files.source, &classes, job.n_classes)?;
        let target = Target::load(&job.files.target, &read, &layout)?;
        // Report rows that cannot be scored now, and not after hours of training.
        HeldOut::open(job.files.scored(), &read, &layout, &classes)?;
        let options = TrainingOptions::default().methods(methods.clone());
        let training = Training::with_options(job.config.clone(), source, target, &options)?;
        let options = read;
        Ok(Self { training, options, layout, classes })
    }
}

/// Rejects a source whose number of classes is not that of the suite.
pub(super) fn check_classes(path: &Path, found: &Classes, wanted: Option<usize>) -> Result<()> {
    match wanted.filter(|&wanted| wanted != found.len()) {
        None => Ok(()),
        Some(wanted) => Err(Problem::in_file(path)
            .found(format!("{} classes", found.len()))
            .wanted(format!("{wanted}, as in the suite"))
            .help("check that this is the right file, and that it has rows of all classes")
            .into()),
    }
}

fn make(
    job: &Job,
    methods: &Methods,
    claim: Claim,
    watch: &mut dyn FnMut(&Event) -> Flow,
) -> Result<Option<Record>> {
    let Prepared { training, options, layout, classes } = Prepared::new(job, methods)?;
    let parameters = training.parameters();
    let run = run_directory(job, &training, methods, claim)?;
    let training = training.in_directory(run.clone())?.briefly();
    let done = training.done();
    let mut oracle = match job.oracle {
        true => {
            let file = run.path().join("oracle.json");
            let (options, layout, classes) = (options.clone(), layout.clone(), classes.clone());
            Some(Watcher::new(file, &job.files, options, layout, classes, done)?)
        }
        false => None,
    };
    let mut clock = Clock::start();
    let mut problem = None;
    let trained = training.run(|event| {
        clock.see(event);
        if let (Some(oracle), Event::Evaluated { iteration, snapshot, .. }) = (&mut oracle, event) {
            problem = problem.take().or(oracle.look(*iteration, &snapshot.model()).err());
        }
        let flow = watch(event);
        if problem.is_some() { Flow::Stop } else { flow }
    });
    if let Some(problem) = problem {
        return Err(problem);
    }
    let mut record = Record {
        version: VERSION,
        cloth: env!("CARGO_PKG_VERSION").to_owned(),
        row: job.row.clone(),
        task: job.task.clone(),
        method: job.config.method.name.clone(),
        revision: job.revision,
        seed: job.seed,
        config_hash: job.config_hash.clone(),
        data_hash: job.data_hash.clone(),
        selection: job.config.train.select,
        iterations: done + clock.times.len(),
        selected_iteration: 0,
        on_test_rows: job.files.test.is_some(),
        source_accuracy: None,
        metrics: Default::default(),
        parameters,
        timing: clock.timing(),
        warnings: Vec::new(),
        failed: None,
        oracle: oracle.as_ref().and_then(Watcher::best),
        curve: None,
    };
    let outcome = match trained {
        Ok(outcome) if outcome.stopped => return Ok(None),
        Ok(outcome) => outcome,
        Err(error @ Error::NonFinite { .. }) => {
            record.failed = Some(error.to_string());
            record.write(&job.record_file(), None, &job.config)?;
            return Ok(Some(record));
        }
        Err(error) => return Err(error),
    };
    let rows = HeldOut::open(job.files.scored(), &options, &layout, &classes)?;
    let score = score(&outcome.model, rows, Head::C)?;
    record.metrics = metrics(&score);
    record.selected_iteration = outcome.selected_iteration;
    record.source_accuracy = outcome.source_accuracy;
    record.warnings = outcome.warnings;
    if let Some(loss) = &job.curve {
        record.curve = Some(Curve::read(&run.metrics(), loss, outcome.iterations)?);
    }
    record.write(&job.record_file(), Some(&score), &job.config)?;
    Ok(Some(record))
}

/// The run directory: that of an interrupted run, or a new one.
fn run_directory(job: &Job, training: &Training, methods: &Methods, claim: Claim) -> Result<RunDir> {
    let path = job.directory();
    if RunDir::is_at(&path) {
        return Ok(RunDir::open(path, methods)?.0.holding(claim));
    }
    let provenance = Provenance::new(&job.files.source, &job.files.target);
    RunDir::create_with(Some(claim), path, training.config(), &provenance)
}

/// Removes the run directory or, if `keep` is set, only its checkpoint and temporary files. Failures do no harm.
fn tidy(directory: &Path, keep: bool) {
    if keep {
        for file in ["checkpoint.safetensors", "oracle.json", CLAIM] {
            let _ = fs::remove_file(directory.join(file));
        }
    } else {
        let _ = fs::remove_dir_all(directory);
    }
}

/// Measures the time of iterations, in seconds.
struct Clock {
    started: Instant,
    last: Instant,
    times: Vec<f64>,
}

impl Clock {
    fn start() -> Self {
        Self { started: Instant::now(), last: Instant::now(), times: Vec::new() }
    }

    fn see(&mut self, event: &Event) {
        if let Event::Iteration { .. } = event {
            let now = Instant::now();
            self.times.push(now.duration_since(self.last).as_secs_f64());
            self.last = now;
        }
    }

    fn median(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(0.0)
    }

    fn timing(&self) -> Timing {
        Timing {
            seconds: self.started.elapsed().as_secs_f64(),
            iterations: self.times.len(),
            median_iteration: self.median(),
        }
    }
}
