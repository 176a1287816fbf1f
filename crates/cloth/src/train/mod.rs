//! The training loop: Algorithm 1, watched, checkpointed and resumable.

mod checkpoint;
mod collapse;
mod run_dir;
mod select;
mod summary;
mod tensorboard;
mod watch;

pub use collapse::{Collapse, collapse};
pub(crate) use run_dir::{CLAIM, REPORT};
pub use run_dir::{Provenance, RunDir};
pub use summary::Summary;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::time::Instant;

use self::checkpoint::Checkpoint;
use self::select::Selection;
use self::tensorboard::EventFile;
use crate::config::{Config, Select};
use crate::data::batch::TrainingSet;
use crate::data::normalise::{Fitted, fit};
use crate::data::{Classes, Features, Layout, Source, Target, split};
use crate::error::{Error, Problem, Result};
use crate::hash::Fnv;
use crate::method::{self, Losses, Method, Setup, Step};
use crate::model::{Facts, Head, Model, probabilities};
use crate::nets::{GeneratorSpec, Networks};
use crate::optim;

/// Losses are written to `metrics.jsonl` at every so many iterations.
const LOG_EVERY: usize = 10;

/// What happens during training, for whoever watches.
#[derive(Debug)]
pub enum Event<'a> {
    /// An iteration is done.
    Iteration {
        /// Counted from 1.
        iteration: usize,
        /// How many there will be.
        iterations: usize,
        /// The value of each loss.
        losses: &'a Losses,
    },
    /// The averaged networks were looked at.
    Evaluated {
        /// The iteration.
        iteration: usize,
        /// Accuracy on the source's validation rows, if there are any.
        source_accuracy: Option<f64>,
        /// The averaged networks, for a closer look. Training goes on the same whatever the look shows.
        snapshot: Snapshot<'a>,
    },
    /// Something looks wrong, without any label being needed to see it.
    Warning(&'a str),
}

/// The averaged networks of a run at one iteration.
pub struct Snapshot<'a> {
    training: &'a Training,
    networks: &'a Networks,
    iteration: usize,
}

impl Snapshot<'_> {
    /// A model of its own, as if training had ended here.
    pub fn model(&self) -> Model {
        self.training.model(self.networks.clone(), self.iteration)
    }
}

impl fmt::Debug for Snapshot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot({})", self.iteration)
    }
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Save a checkpoint and stop.
    Stop,
}

/// What training gives.
#[derive(Debug)]
pub struct Outcome {
    /// The model of the selected iteration, among those that were made.
    pub model: Model,
    /// Iterations that were made, in all sessions of the run.
    pub iterations: usize,
    /// The iteration that was selected.
    pub selected_iteration: usize,
    /// Accuracy on the source's validation rows at that iteration.
    pub source_accuracy: Option<f64>,
    /// Mean probability of each class on the target's rows: an estimate, no label was used.
    pub target_proportions: Vec<f32>,
    /// How many of the target's rows are called each class.
    pub target_called: Vec<usize>,
    /// Mean confidence on the target's rows.
    pub target_confidence: f64,
    /// Seconds of this session.
    pub seconds: f64,
    /// Whether training was stopped before its end.
    pub stopped: bool,
    /// Warnings that were given.
    pub warnings: Vec<String>,
}

/// A run that is ready to start.
pub struct Training {
    config: Config,
    data: TrainingSet,
    method: Box<dyn Method>,
    normalisers: Fitted,
    layout: Layout,
    classes: Classes,
    done: usize,
    selection: Selection,
    warnings: Vec<String>,
    fingerprint: u64,
    run: Option<RunDir>,
    events: Option<EventFile>,
    brief: bool,
}

impl Training {
    /// Normalises the rows in place, splits the source and builds the networks.
    pub fn prepare(config: Config, mut source: Source, mut target: Target) -> Result<Self> {
        let entry = method::find(&config.method.name)?;
        let fingerprint = fingerprint(&config, &source, target.features());
        let normalisers = fit(&config.data, entry.adapts, source.features(), target.features());
        normalisers.source.apply(source.features_mut().values_mut());
        normalisers.target.apply(target.features_mut().values_mut());

        let (layout, classes) = (source.layout().clone(), source.classes().clone());
        let generator = GeneratorSpec::resolve(&config.generator, layout.shape)?;
        let split = split::stratified(source.labels(), classes.len(), config.train.validation, config.seed);
        if config.train.select == Select::SourceVal && split.validation.is_empty() {
            return Err(Problem::at("configuration, `train.select`")
                .found("`source-val`, but no source row is kept aside")
                .wanted("rows to select by")
                .help("use a larger train.validation, or train.select=last")
                .into());
        }
        let (batch_size, batches) = (config.train.batch_size, config.train.batches);
        let data = TrainingSet::new(source, target, split, batch_size, batches, config.seed)?
            .augmented(config.data.augment);
        let setup = Setup { config: &config, generator: &generator, n_classes: classes.len() };
        let method = (entry.build)(&setup)?;
        Ok(Self {
            config,
            data,
            method,
            normalisers,
            layout,
            classes,
            done: 0,
            selection: Selection::default(),
            warnings: Vec::new(),
            fingerprint,
            run: None,
            events: None,
            brief: false,
        })
    }

    /// Keeps configuration, metrics, checkpoints and the model in a directory, and goes on from the checkpoint that
    /// is there.
    ///
    /// Fails if another training is at work there, and then leaves everything as it is.
    pub fn in_directory(mut self, run: RunDir) -> Result<Self> {
        let run = run.claimed()?;
        if let Some(checkpoint) = Checkpoint::load(&run.checkpoint(), self.fingerprint)? {
            self.method.load(&checkpoint.method)?;
            self.done = checkpoint.iteration;
            self.selection = checkpoint.selection;
            self.warnings = checkpoint.warnings;
        }
        run.sweep();
        run.cut_metrics(self.done)?;
        self.run = Some(run);
        Ok(self)
    }

    /// Writes the losses as TensorBoard events, too. A run that goes on must be [`in_directory`](Self::in_directory) by now.
    pub fn with_tensorboard(mut self, directory: &Path) -> Result<Self> {
        self.events = Some(EventFile::create(directory, &format!("{:016x}", self.fingerprint), self.done)?);
        Ok(self)
    }

    /// Looks at some of the target's rows in the end, not at all of them: for whoever scores the model anyway.
    pub(crate) fn briefly(self) -> Self {
        Self { brief: true, ..self }
    }

    /// Iterations already made, by an earlier session.
    pub fn done(&self) -> usize {
        self.done
    }

    /// The configuration that this run follows.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Rows of each domain in a batch.
    pub fn batch_size(&self) -> usize {
        self.data.batch_size()
    }

    /// How many numbers training changes: the weights of all networks, a discriminator's among them.
    pub fn parameters(&self) -> usize {
        optim::trained(&self.method.save())
    }

    /// Trains to the end, or until `watch` says stop.
    pub fn run(mut self, mut watch: impl FnMut(&Event<'_>) -> Flow) -> Result<Outcome> {
        let started = Instant::now();
        let mut saved = Instant::now();
        let mut metrics = self.run.as_ref().map(RunDir::append_metrics).transpose()?;
        let iterations = self.config.train.iterations;
        let resumed_after = self.done;
        let mut flow = Flow::Continue;

        while self.done < iterations && flow == Flow::Continue {
            let iteration = self.done + 1;
            let step = Step {
                iteration,
                train: &self.config.train,
                seed: self.config.seed,
                data: &self.data,
                drawn: &[],
            };
            let losses = self.method.step(&step)?;
            check_finite(&losses, iteration)?;
            self.done = iteration;
            flow = watch(&Event::Iteration { iteration, iterations, losses: &losses });

            let last = iteration == iterations;
            let look = last || iteration.is_multiple_of(self.config.train.evaluate_every);
            let source_accuracy = if look { self.look(iteration, &mut watch)? } else { None };
            if look || iteration.is_multiple_of(LOG_EVERY) {
                if let Some(metrics) = &mut metrics {
                    metrics.write(iteration, &losses, source_accuracy)?;
                }
                if let Some(events) = &mut self.events {
                    events.losses(iteration, &losses, source_accuracy)?;
                }
            }
            let due = saved.elapsed().as_secs_f64() >= self.config.train.checkpoint_seconds;
            if due || last || flow == Flow::Stop {
                self.save_checkpoint(metrics.as_mut())?;
                saved = Instant::now();
            }
        }
        let stopped = flow == Flow::Stop && self.done < iterations;
        self.finish(started, resumed_after, stopped)
    }

    /// Looks at the averaged networks: source accuracy, selection, and signs of collapse on the target.
    fn look(&mut self, iteration: usize, watch: &mut impl FnMut(&Event<'_>) -> Flow) -> Result<Option<f64>> {
        let networks = self.method.networks();
        let source_accuracy = watch::source_accuracy(&networks, &self.data)?;
        let snapshot = Snapshot { training: &*self, networks: &networks, iteration };
        watch(&Event::Evaluated { iteration, source_accuracy, snapshot });
        self.selection.see(self.config.train.select, iteration, source_accuracy, &networks);
        for warning in watch::collapse(&networks, &self.data, iteration)? {
            watch(&Event::Warning(&warning));
            self.warnings.push(warning);
        }
        Ok(source_accuracy)
    }

    /// The networks, with all that predicting by them takes.
    fn model(&self, networks: Networks, iteration: usize) -> Model {
        let facts = Facts {
            method: self.config.method.name.clone(),
            seed: self.config.seed,
            iteration,
            target_rows: self.data.target().rows(),
            layout: self.layout.clone(),
            classes: self.classes.clone(),
        };
        Model::new(networks, self.normalisers.target.clone(), facts)
    }

    fn save_checkpoint(&self, metrics: Option<&mut run_dir::Metrics>) -> Result<()> {
        let Some(run) = &self.run else { return Ok(()) };
        if let Some(metrics) = metrics {
            metrics.flush()?;
        }
        let checkpoint = Checkpoint {
            iteration: self.done,
            method: self.method.save(),
            selection: self.selection.clone(),
            warnings: self.warnings.clone(),
        };
        checkpoint.save(&run.checkpoint(), self.fingerprint)
    }

    fn finish(self, started: Instant, resumed_after: usize, stopped: bool) -> Result<Outcome> {
        let (networks, selected_iteration, source_accuracy) =
            self.selection.resolve(self.method.networks(), self.done)?;
        let rows = match self.brief {
            true => Cow::Owned(watch::some_of_target(&self.data)),
            false => Cow::Borrowed(self.data.target().values()),
        };
        let target = probabilities(&networks, &rows, Head::C, &self.config.method.name)?;
        // A last update that went wrong shows in no loss: the losses are from before it.
        if let Some(&value) = target.values.iter().find(|p| !p.is_finite()) {
            let (loss, advice) = ("the output of C".to_string(), advice("").to_string());
            return Err(Error::NonFinite { loss, value, iteration: self.done, advice });
        }
        let (called, confidence) = target.best();
        let mut target_called = vec![0; target.n_classes];
        called.iter().for_each(|&class| target_called[class as usize] += 1);
        let model = self.model(networks, selected_iteration);
        let target_confidence =
            confidence.iter().map(|&c| f64::from(c)).sum::<f64>() / confidence.len().max(1) as f64;
        let seconds = started.elapsed().as_secs_f64();
        if let Some(run) = self.run.as_ref().filter(|_| !stopped) {
            model.save(run.model())?;
            run.write_summary(&Summary {
                iterations: self.done,
                selected_iteration,
                source_accuracy,
                target_confidence,
                warnings: self.warnings.clone(),
                fingerprint: format!("{:016x}", self.fingerprint),
                seconds,
                resumed_after,
            })?;
        }
        Ok(Outcome {
            model,
            iterations: self.done,
            selected_iteration,
            source_accuracy,
            target_proportions: target.mean(),
            target_called,
            target_confidence,
            seconds,
            stopped,
            warnings: self.warnings,
        })
    }
}

/// Tells runs of other data or another configuration apart, so that a checkpoint is never mixed up. The rows are
/// as they were read.
pub(crate) fn fingerprint(config: &Config, source: &Source, target: &Features) -> u64 {
    let mut hash = Fnv::new();
    let columns = source.layout().columns.iter().flatten();
    for text in [&config.fingerprint_text()].into_iter().chain(source.classes().names()).chain(columns) {
        hash.text(text);
    }
    source.features().values().iter().for_each(|v| hash.word(u64::from(v.to_bits())));
    source.labels().iter().for_each(|&y| hash.word(u64::from(y)));
    target.values().iter().for_each(|v| hash.word(u64::from(v.to_bits())));
    hash.finish()
}

fn check_finite(losses: &Losses, iteration: usize) -> Result<()> {
    match losses.iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some(&(loss, value)) => Err(Error::NonFinite {
            loss: loss.to_string(),
            value,
            iteration,
            advice: advice(loss).to_string(),
        }),
    }
}

fn advice(loss: &str) -> &'static str {
    match loss {
        "homm" | "cmd" => {
            "moments grow as a power of the latent values: use generator.last_activation=tanh, or a lower order \
             or weight"
        }
        "l_hmm" => {
            "moments grow as a power of the latent values: use method.cloth.moment_scale=inverse-width, \
             generator.last_activation=tanh, or a smaller q or gamma"
        }
        "l_gt" => "this form has no lower bound: use method.cloth.l_gt=non-saturating",
        _ => "use a smaller train.learning_rate, or data.normalise=auto if it was changed",
    }
}
