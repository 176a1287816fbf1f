//! A training run: preparation, iterations, checkpoints and outcome.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use burn::tensor::Device;

use super::checkpoint::Checkpoint;
use super::event::{Event, Flow, Snapshot};
use super::fingerprint::fingerprint;
use super::metrics::MetricsFile;
use super::outcome::{Outcome, TrainedRows};
use super::resolve::resolve;
use super::run_dir::RunDir;
use super::select::Selection;
use super::summary::Summary;
use super::tensorboard::EventFile;
use super::watch;
use crate::config::{Config, Select};
use crate::data::batch::TrainingSet;
use crate::data::normalise::{DomainNormalisers, fit_normalisers};
use crate::data::{Classes, Layout, Source, Target, split};
use crate::error::{Error, Problem, Result};
use crate::method::{Losses, Method, Methods, Recipe, Setup, Step};
use crate::model::{Facts, Model, outputs};
use crate::nets::{Domain, GeneratorSpec, Networks};
use crate::optim;

/// Iterations between two lines of `metrics.jsonl`.
const LOG_EVERY: usize = 10;
/// What usually helps if a loss is NaN or infinite.
const ADVICE: &str = "use a smaller `train.learning_rate`, or `data.normalise=auto` if it was changed";

/// Options of training that are not part of the configuration.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TrainingOptions {
    /// The available methods; the configuration names one of them.
    pub methods: Methods,
    /// The device that computes tensors.
    pub device: Device,
    /// Whether to fill [`Outcome::rows`]. This needs memory for a second copy of both domains.
    pub keep_rows: bool,
}

impl Default for TrainingOptions {
    fn default() -> Self {
        Self { methods: Methods::builtin(), device: crate::device::cpu(), keep_rows: false }
    }
}

impl TrainingOptions {
    /// Sets the available methods.
    pub fn methods(self, methods: Methods) -> Self {
        Self { methods, ..self }
    }

    /// Sets the device.
    pub fn device(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// Sets whether to fill [`Outcome::rows`].
    pub fn keep_rows(self, keep_rows: bool) -> Self {
        Self { keep_rows, ..self }
    }
}

/// A training run, ready to start or in progress.
pub struct Training {
    recipe: Arc<dyn Recipe>,
    config: Config,
    data: TrainingSet,
    device: Device,
    method: Box<dyn Method>,
    normalisers: DomainNormalisers,
    generator: GeneratorSpec,
    layout: Layout,
    classes: Classes,
    done: usize,
    /// Iterations made in earlier sessions.
    resumed_after: usize,
    selection: Selection,
    warnings: Vec<String>,
    fingerprint: String,
    /// The rows before normalisation, if they are kept.
    kept: Option<(Source, Target)>,
    run: Option<RunDir>,
    metrics: Option<MetricsFile>,
    events: Option<EventFile>,
    brief: bool,
    started: Option<Instant>,
    saved: Instant,
}

impl Training {
    /// Prepares a run of a built-in method on the CPU.
    pub fn prepare(config: Config, source: Source, target: Target) -> Result<Self> {
        Self::with_options(config, source, target, &TrainingOptions::default())
    }

    /// Normalises the rows in place, splits the source, resolves the configuration and builds the networks.
    pub fn with_options(
        config: Config,
        mut source: Source,
        mut target: Target,
        options: &TrainingOptions,
    ) -> Result<Self> {
        let recipe = options.methods.find(&config.method.name)?.clone();
        let normalisers =
            fit_normalisers(&config.data, recipe.adapts(), source.features(), target.features());
        let (layout, classes) = (source.layout().clone(), source.classes().clone());
        let generator = GeneratorSpec::resolve(&config.generator, layout.shape)?;
        let split = split::stratified(source.labels(), classes.len(), config.train.validation, config.seed);
        if config.train.select == Select::SourceVal && split.validation.is_empty() {
            return Err(Problem::setting("train.select")
                .found("`source-val`, but no source row is kept for validation")
                .wanted("validation rows to select by")
                .help("use a larger `train.validation`, or `train.select=last`")
                .into());
        }
        let batch_size = TrainingSet::batch_size_for(config.train.batch_size, &split, target.len())?;
        let config = {
            let counts = source.class_counts();
            resolve(config, recipe.as_ref(), &normalisers, &generator, batch_size, &counts)
        };
        let fingerprint = fingerprint(&config, recipe.revision(), &source, target.features());
        let kept = options.keep_rows.then(|| (source.clone(), target.clone()));
        normalisers.source.apply(source.features_mut().values_mut());
        normalisers.target.apply(target.features_mut().values_mut());
        let batches = config.train.batches;
        let data = TrainingSet::new(source, target, split, batch_size, batches, config.seed)?
            .augmented(config.data.augment);
        let device = options.device.clone();
        let method = recipe.build(&Setup::new(&config, &generator, classes.len(), &device))?;
        Ok(Self {
            recipe,
            config,
            data,
            device,
            method,
            normalisers,
            generator,
            layout,
            classes,
            done: 0,
            resumed_after: 0,
            selection: Selection::default(),
            warnings: Vec::new(),
            fingerprint,
            kept,
            run: None,
            metrics: None,
            events: None,
            brief: false,
            started: None,
            saved: Instant::now(),
        })
    }

    /// Writes metrics, checkpoints and the model to a run directory, and resumes from its checkpoint if it has one.
    ///
    /// Fails if another process is training there, and then changes nothing.
    pub fn in_directory(mut self, run: RunDir) -> Result<Self> {
        let run = run.claimed()?;
        if let Some(checkpoint) = Checkpoint::load(&run.checkpoint(), &self.fingerprint)? {
            self.method.load(&checkpoint.method)?;
            self.done = checkpoint.iteration;
            self.resumed_after = checkpoint.iteration;
            self.selection = checkpoint.selection;
            self.warnings = checkpoint.warnings;
        }
        run.sweep();
        run.cut_metrics(self.done)?;
        self.metrics = Some(MetricsFile::append(run.metrics())?);
        self.run = Some(run);
        Ok(self)
    }

    /// Also writes the losses as TensorBoard events. To resume a run, call [`in_directory`](Self::in_directory) first.
    pub fn with_tensorboard(mut self, directory: &Path) -> Result<Self> {
        self.events = Some(EventFile::create(directory, &self.fingerprint[..16], self.done)?);
        Ok(self)
    }

    /// Predicts only a sample of the target rows at the end, for callers that score the model themselves.
    #[cfg_attr(not(feature = "bench"), allow(dead_code))]
    pub(crate) fn briefly(self) -> Self {
        Self { brief: true, ..self }
    }

    /// Starts at `iteration` instead of 1, to measure how long it takes. The resulting model is meaningless.
    #[cfg_attr(not(feature = "bench"), allow(dead_code))]
    pub(crate) fn skipping_to(self, iteration: usize) -> Self {
        Self { done: iteration - 1, ..self }
    }

    /// Iterations made so far, in all sessions.
    pub fn done(&self) -> usize {
        self.done
    }

    /// The resolved configuration, with the values that training uses instead of `auto`.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The method of this run.
    pub fn recipe(&self) -> &dyn Recipe {
        self.recipe.as_ref()
    }

    /// The layers of the network G.
    pub fn generator(&self) -> &GeneratorSpec {
        &self.generator
    }

    /// The normaliser of each domain.
    pub fn normalisers(&self) -> &DomainNormalisers {
        &self.normalisers
    }

    /// Number of trained parameters, in all networks including a discriminator.
    pub fn parameters(&self) -> usize {
        optim::trained(&self.method.save())
    }

    /// Trains to the last iteration, or until `watch` returns [`Flow::Stop`].
    pub fn run(mut self, mut watch: impl FnMut(&Event) -> Flow) -> Result<Outcome> {
        while let Some(events) = self.step()? {
            let mut flow = Flow::Continue;
            for event in &events {
                if watch(event) == Flow::Stop {
                    flow = Flow::Stop;
                }
            }
            if flow == Flow::Stop {
                self.save()?;
                break;
            }
        }
        self.finish()
    }

    /// Makes the next iteration and returns its events; none if all iterations have been made.
    ///
    /// In a run directory, a checkpoint is written every `train.checkpoint_seconds` and after the last iteration.
    pub fn step(&mut self) -> Result<Option<Vec<Event>>> {
        let started = *self.started.get_or_insert_with(Instant::now);
        let iterations = self.config.train.iterations;
        if self.done >= iterations {
            return Ok(None);
        }
        if started > self.saved {
            self.saved = started;
        }
        let iteration = self.done + 1;
        let step = Step::new(iteration, &self.config, &self.data, &self.device);
        let evaluate = step.is_evaluated();
        let losses = self.method.step(&step)?;
        self.check_finite(&losses, iteration)?;
        self.done = iteration;
        let mut events = vec![Event::Iteration { iteration, iterations, losses: losses.clone() }];
        let last = iteration == iterations;
        let source_accuracy = if evaluate { self.evaluate(&mut events) } else { None };
        if evaluate || iteration.is_multiple_of(LOG_EVERY) {
            if let Some(metrics) = &mut self.metrics {
                metrics.write(iteration, &losses, source_accuracy)?;
            }
            if let Some(tensorboard) = &mut self.events {
                tensorboard.losses(iteration, &losses, source_accuracy)?;
            }
        }
        if last || self.saved.elapsed().as_secs_f64() >= self.config.train.checkpoint_seconds {
            self.save()?;
        }
        Ok(Some(events))
    }

    /// Evaluates the averaged networks: source accuracy, selection, and signs of collapse on the target.
    fn evaluate(&mut self, events: &mut Vec<Event>) -> Option<f64> {
        let (networks, iteration) = (self.method.networks(), self.done);
        let source_accuracy = watch::source_accuracy(&networks, &self.data);
        self.selection.see(self.config.train.select, iteration, source_accuracy, &networks);
        let warnings = watch::collapse(&networks, &self.data, iteration);
        let (normaliser, facts) = (self.normalisers.target.clone(), self.facts(iteration));
        let snapshot = Box::new(Snapshot { networks, normaliser, facts });
        events.push(Event::Evaluated { iteration, source_accuracy, snapshot });
        self.warnings.extend(warnings.iter().cloned());
        events.extend(warnings.into_iter().map(Event::Warning));
        source_accuracy
    }

    /// The facts that are stored with a model.
    fn facts(&self, iteration: usize) -> Facts {
        Facts {
            method: self.config.method.name.clone(),
            seed: self.config.seed,
            iteration,
            target_rows: self.data.target().rows(),
            layout: self.layout.clone(),
            classes: self.classes.clone(),
        }
    }

    /// Writes a checkpoint, if the run has a directory.
    pub fn save(&mut self) -> Result<()> {
        self.saved = Instant::now();
        let Some(run) = &self.run else { return Ok(()) };
        if let Some(metrics) = &mut self.metrics {
            metrics.flush()?;
        }
        let checkpoint = Checkpoint {
            iteration: self.done,
            method: self.method.save(),
            selection: self.selection.clone(),
            warnings: self.warnings.clone(),
        };
        checkpoint.save(&run.checkpoint(), &self.fingerprint)
    }

    /// Ends the run: predicts the target and, if all iterations have been made, writes the model to the run directory.
    pub fn finish(mut self) -> Result<Outcome> {
        let stopped = self.done < self.config.train.iterations;
        let (networks, selected_iteration, source_accuracy) =
            self.selection.resolve(self.method.networks(), self.done)?;
        let outputs = match self.brief {
            true => outputs(&networks, &watch::some_of_target(&self.data), Domain::Target),
            false => outputs(&networks, self.data.target().values(), Domain::Target),
        };
        // A failed last update shows in no loss, because losses are computed before the update.
        if let Some(&value) = outputs.c.values.iter().find(|p| !p.is_finite()) {
            let (loss, advice) = ("the output of C".to_string(), ADVICE.to_string());
            return Err(Error::NonFinite { loss, value, iteration: self.done, advice });
        }
        let (called, confidence) = outputs.c.best();
        let mut target_called = vec![0; outputs.c.n_classes];
        called.iter().for_each(|&class| target_called[class as usize] += 1);
        let target_confidence =
            confidence.iter().map(|&c| f64::from(c)).sum::<f64>() / confidence.len().max(1) as f64;
        let model = self.model(networks, selected_iteration);
        let seconds = self.started.map_or(0.0, |started| started.elapsed().as_secs_f64());
        if let Some(run) = self.run.as_ref().filter(|_| !stopped) {
            model.save(run.model())?;
            run.write_summary(&Summary {
                iterations: self.done,
                selected_iteration,
                source_accuracy,
                target_confidence,
                warnings: self.warnings.clone(),
                fingerprint: self.fingerprint.clone(),
                seconds,
                resumed_after: self.resumed_after,
                assessment: None,
            })?;
        }
        let (normalisers, split) = (self.normalisers, self.data.split().clone());
        let fingerprint = self.fingerprint;
        let target_proportions = outputs.c.mean();
        let rows = self.kept.take().filter(|_| !self.brief);
        Ok(Outcome {
            model,
            iterations: self.done,
            selected_iteration,
            source_accuracy,
            target_proportions,
            target_called,
            target_confidence,
            seconds,
            stopped,
            warnings: self.warnings,
            rows: rows.map(|(source, target)| TrainedRows {
                source,
                target,
                normalisers,
                split,
                outputs,
                fingerprint,
            }),
        })
    }

    /// The networks, with all that prediction needs.
    fn model(&self, networks: Networks, iteration: usize) -> Model {
        Model::new(networks, self.normalisers.target.clone(), self.facts(iteration))
    }

    fn check_finite(&self, losses: &Losses, iteration: usize) -> Result<()> {
        let Some((loss, value)) = losses.iter().find(|(_, value)| !value.is_finite()) else { return Ok(()) };
        let known = self.recipe.losses().into_iter().find(|info| info.symbol == loss);
        let advice =
            known.and_then(|info| info.advice).map_or(ADVICE.to_owned(), |advice| advice.into_owned());
        Err(Error::NonFinite { loss: loss.to_owned(), value, iteration, advice })
    }
}

/// Training can move to another thread: language bindings need this.
const _: fn() = || {
    fn is_send<T: Send>() {}
    is_send::<Training>();
    is_send::<Event>();
};
