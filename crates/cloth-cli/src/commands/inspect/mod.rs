//! `cloth inspect`

mod outline;
mod problems;
mod show;
mod side;
mod values;

use std::path::Path;

use cloth::config::Config;
use cloth::eval::{Shift, proxy_a_distance, remarks};
use cloth::nets::GeneratorSpec;
use cloth::{ReadOptions, Source, Target, Training};

use self::outline::TrainingOutline;
use self::problems::Problems;
use self::side::Side;
use crate::Exit;
use crate::args::Inspect;
use crate::inputs;
use crate::progress::Console;
use crate::text::{print, print_json};

/// Most classes, or ignored columns, that are listed one by one.
const LISTED: usize = 12;

pub(crate) fn run(args: &Inspect, console: &Console) -> anyhow::Result<Exit> {
    let config = inputs::config(&args.settings)?;
    let inspection = Inspection::make(&args.source, args.target.as_deref(), config, console)?;
    match args.json {
        true => print_json(&inspection.json())?,
        false => print(&inspection.text())?,
    }
    Ok(if inspection.problems.all().is_empty() { Exit::Done } else { Exit::CheckFailed })
}

/// Everything that `cloth inspect` shows.
struct Inspection {
    source: Side,
    target: Option<Side>,
    /// Classes of the source with their numbers of rows, if it could be loaded.
    classes: Vec<(String, usize)>,
    shift: Option<Shift>,
    outline: Option<TrainingOutline>,
    remarks: Vec<String>,
    problems: Problems,
}

impl Inspection {
    /// Does what `train` does before the first iteration. Each file is read once, unless it cannot be trained on.
    fn make(source: &Path, target: Option<&Path>, config: Config, console: &Console) -> cloth::Result<Self> {
        let options = ReadOptions::of(&config.data);
        let mut problems = Problems::default();
        let (side, source) = Side::load(source, [&options; 2], console, &mut problems, |watch| {
            Source::load_watched(source, &options, watch)
        })?;
        let mut inspection = Self {
            source: side,
            target: None,
            classes: Vec::new(),
            shift: None,
            outline: None,
            remarks: Vec::new(),
            problems,
        };
        let mut ready = None;
        if let Some(source) = source {
            inspection.describe(&source);
            let spec = GeneratorSpec::resolve(&config.generator, source.layout().shape);
            ready = inspection.problems.or_none(spec).map(|_| source);
        }
        if let Some(target) = target {
            let rows = inspection.load_target(target, &options, ready.as_ref(), console)?;
            if let (Some(source), Some(target)) = (ready, rows) {
                inspection.try_to_train(source, target, config);
            }
        }
        Ok(inspection)
    }

    fn describe(&mut self, source: &Source) {
        let names = source.classes().names().iter().cloned();
        self.classes = names.zip(source.class_counts()).collect();
        self.remarks = remarks::on_source(source);
    }

    /// Loads the target for a source; without one, only reads its features.
    fn load_target(
        &mut self,
        path: &Path,
        options: &ReadOptions,
        source: Option<&Source>,
        console: &Console,
    ) -> cloth::Result<Option<Target>> {
        // The target may have more columns than the source, and in another order.
        let mut like_source = options.clone();
        like_source.columns.clone_from(&self.source.schema.columns);
        let others = [&like_source, options];
        let (side, rows) = match source {
            Some(source) => Side::load(path, others, console, &mut self.problems, |watch| {
                Target::load_watched(path, options, source.layout(), watch)
            })?,
            None => (Side::look(path, others, console, &mut self.problems)?, None),
        };
        self.target = Some(side);
        Ok(rows)
    }

    fn try_to_train(&mut self, source: Source, target: Target, config: Config) {
        self.remarks.extend(remarks::on_target(&target, source.classes().len()));
        self.shift = proxy_a_distance(source.features(), target.features(), config.seed);
        if self.shift.is_none() {
            self.remarks
                .push("there are too few rows to measure the distance between the domains".to_owned());
        }
        if let Some(training) = self.problems.or_none(Training::prepare(config, source, target)) {
            self.outline = self.problems.or_none(TrainingOutline::new(&training));
        }
    }
}
