//! `cloth inspect`

use std::fmt::Write;
use std::path::{Path, PathBuf};

use cloth::config::Config;
use cloth::data::normalise::{self, Fitted};
use cloth::data::{self, Schema};
use cloth::eval::{Shift, proxy_a_distance, remarks};
use cloth::nets::{GeneratorKind, GeneratorSpec};
use cloth::{Error, ReadOptions, Source, Target, Training, method};
use serde_json::{Value, json};

use crate::Exit;
use crate::args::Inspect;
use crate::inputs;
use crate::progress::Console;
use crate::text::{count, percent, plural, print, print_json, rounded, some, with_causes};

/// Rows to look at a time.
const CHUNK: usize = 1024;
/// Classes that are listed one by one.
const LISTED: usize = 12;

pub(crate) fn run(args: &Inspect, console: &Console) -> anyhow::Result<Exit> {
    let config = inputs::config(&args.settings)?;
    let report = Report::make(&args.source, args.target.as_deref(), config, console)?;
    match args.json {
        true => print_json(&report.json())?,
        false => print(&report.text())?,
    }
    Ok(if report.problems.is_empty() { Exit::Done } else { Exit::CheckFailed })
}

/// All that there is to say.
struct Report {
    source: Side,
    target: Option<Side>,
    /// Classes of the source and their rows, where it can be loaded.
    classes: Vec<(String, usize)>,
    shift: Option<Shift>,
    plan: Option<Plan>,
    remarks: Vec<String>,
    problems: Vec<Error>,
}

impl Report {
    fn make(source: &Path, target: Option<&Path>, config: Config, console: &Console) -> anyhow::Result<Self> {
        let mut options = ReadOptions::of(&config.data);
        let mut problems = Vec::new();
        let source_side = Side::look(source, &options, console, &mut problems)?;
        // The target may have more columns than the source, and in another order.
        options.columns.clone_from(&source_side.schema.columns);
        let target_side = target
            .map(|path| match Side::look(path, &options, console, &mut problems) {
                Err(_) => Side::look(path, &ReadOptions::of(&config.data), console, &mut problems),
                looked => looked,
            })
            .transpose()?;
        let mut report = Self {
            source: source_side,
            target: target_side,
            classes: Vec::new(),
            shift: None,
            plan: None,
            remarks: Vec::new(),
            problems,
        };
        report.try_to_train(source, target, config);
        Ok(report)
    }

    /// Does what `train` would, up to the first iteration.
    fn try_to_train(&mut self, source: &Path, target: Option<&Path>, config: Config) {
        let options = ReadOptions::of(&config.data);
        let Some(source) = self.or_problem(Source::load(source, &options)) else { return };
        let names = source.classes().names().iter().cloned();
        self.classes = names.zip(source.class_counts()).collect();
        self.remarks = remarks::on_source(&source);
        let Some(spec) = self.or_problem(GeneratorSpec::resolve(&config.generator, source.layout().shape))
        else {
            return;
        };
        let Some(target) = target else { return };
        let Some(target) = self.or_problem(Target::load(target, &options, source.layout())) else { return };
        self.remarks.extend(remarks::on_target(&target, source.classes().len()));
        self.shift = proxy_a_distance(source.features(), target.features(), config.seed);
        if self.shift.is_none() {
            self.remarks.push("there are too few rows to tell how far apart the domains are".to_owned());
        }
        let Some(entry) = self.or_problem(method::find(&config.method.name)) else { return };
        let fitted = normalise::fit(&config.data, entry.adapts, source.features(), target.features());
        if let Some(training) = self.or_problem(Training::prepare(config, source, target)) {
            self.plan = Some(Plan::new(&training, &fitted, &spec));
        }
    }

    fn or_problem<T>(&mut self, result: cloth::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                // Reading the file has often met the same one.
                if self.problems.iter().all(|known| known.to_string() != error.to_string()) {
                    self.problems.push(error);
                }
                None
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", self.source.text("Source"));
        if !self.classes.is_empty() {
            let _ = writeln!(text, "  classes  {}", self.classes_text());
        }
        if let Some(target) = &self.target {
            let _ = write!(text, "\n{}", target.text("Target"));
        }
        if let Some(shift) = self.shift {
            let Shift { proxy_a_distance: distance, domain_error: error } = shift;
            let _ = writeln!(text, "\nShift: proxy A-distance {distance:.2}, from 0 to 2");
            let _ = writeln!(text, "  {}", shift.meaning());
            let _ = writeln!(
                text,
                "  (a linear classifier tells the domain of {} of rows)",
                percent(1.0 - error)
            );
        }
        if let Some(plan) = &self.plan {
            let _ = write!(text, "\n{}", plan.text());
        }
        for (title, lines) in
            [("Worth knowing", self.remarks.clone()), ("Would stop `cloth train`", self.problem_lines())]
        {
            if !lines.is_empty() {
                let _ = writeln!(text, "\n{title}:");
                lines.iter().for_each(|line| text += &format!("  - {line}\n"));
            }
        }
        text
    }

    fn problem_lines(&self) -> Vec<String> {
        let line = |problem: &Error| match problem.help() {
            Some(help) => format!("{}\n    help: {help}", with_causes(problem)),
            None => with_causes(problem),
        };
        self.problems.iter().map(line).collect()
    }

    fn classes_text(&self) -> String {
        let mut by_size: Vec<&(String, usize)> = self.classes.iter().collect();
        by_size.sort_by_key(|(_, n)| *n);
        match by_size.as_slice() {
            [least, .., most] if by_size.len() > LISTED => format!(
                "{}, from \"{}\" with {} to \"{}\" with {}",
                count(self.classes.len()),
                least.0,
                plural(least.1, "row"),
                most.0,
                count(most.1),
            ),
            _ => {
                let each: Vec<String> =
                    self.classes.iter().map(|(name, n)| format!("{name}: {}", count(*n))).collect();
                format!("{} ({})", self.classes.len(), each.join(", "))
            }
        }
    }

    fn json(&self) -> Value {
        let classes = self.classes.iter().map(|(name, n)| json!({ "class": name, "n": n }));
        let problems = self.problems.iter().map(|p| json!({ "problem": with_causes(p), "help": p.help() }));
        json!({
            "source": self.source.json(),
            "target": self.target.as_ref().map(Side::json),
            "classes": classes.collect::<Vec<_>>(),
            "shift": self.shift,
            "train": self.plan.as_ref().map(Plan::json),
            "remarks": self.remarks,
            "problems": problems.collect::<Vec<_>>(),
        })
    }
}

/// One file, as it was understood.
struct Side {
    path: PathBuf,
    schema: Schema,
    values: Values,
}

/// What its numbers are like.
#[derive(Default)]
struct Values {
    rows: usize,
    nan_rows: usize,
    infinite_rows: usize,
    zeros: usize,
    finite: usize,
    range: Option<(f32, f32)>,
}

impl Side {
    fn look(
        path: &Path,
        options: &ReadOptions,
        console: &Console,
        problems: &mut Vec<Error>,
    ) -> cloth::Result<Self> {
        let mut reader = data::open(path, options)?;
        let schema = reader.schema().clone();
        let mut progress = console.rows("reading", schema.rows);
        let mut values = Values::default();
        loop {
            match reader.next_chunk(CHUNK) {
                Ok(Some(chunk)) => {
                    progress.add(chunk.features.rows());
                    (0..chunk.features.rows()).for_each(|row| values.add(chunk.features.row(row)));
                }
                Ok(None) => break,
                Err(problem) => {
                    problems.push(problem);
                    break;
                }
            }
        }
        Ok(Self { path: path.to_owned(), schema, values })
    }

    fn text(&self, title: &str) -> String {
        let Self { path, schema, values } = self;
        let mut text = format!("{title}: {}\n", path.display());
        let mut line = |name: &str, value: String| text += &format!("  {name:<7}  {value}\n");
        line("format", format!("{}, {}", schema.format, schema.dtype));
        line("rows", format!("{} of {}", count(values.rows), schema.shape));
        line("labels", schema.label.clone().unwrap_or_else(|| "none found".to_owned()));
        if let Some((low, high)) = values.range {
            line(
                "values",
                format!("{low} to {high}, {} zero", percent(values.zeros as f64 / values.finite as f64)),
            );
        }
        line("missing", values.missing());
        if !schema.ignored.is_empty() {
            line("ignored", some(&schema.ignored, LISTED));
        }
        text
    }

    fn json(&self) -> Value {
        let Self { path, schema, values } = self;
        json!({
            "path": path,
            "format": schema.format,
            "dtype": schema.dtype,
            "shape": schema.shape,
            "rows": values.rows,
            "label": schema.label,
            "columns": schema.columns,
            "ignored": schema.ignored,
            "nan_rows": values.nan_rows,
            "infinite_rows": values.infinite_rows,
            "min": values.range.map(|range| range.0),
            "max": values.range.map(|range| range.1),
        })
    }
}

impl Values {
    fn add(&mut self, row: &[f32]) {
        self.rows += 1;
        self.nan_rows += usize::from(row.iter().any(|value| value.is_nan()));
        self.infinite_rows += usize::from(row.iter().any(|value| value.is_infinite()));
        for &value in row.iter().filter(|value| value.is_finite()) {
            self.finite += 1;
            self.zeros += usize::from(value == 0.0);
            let (low, high) = self.range.get_or_insert((value, value));
            (*low, *high) = (low.min(value), high.max(value));
        }
    }

    fn missing(&self) -> String {
        match (self.nan_rows, self.infinite_rows) {
            (0, 0) => "none".to_owned(),
            (nan, 0) => format!("{} with NaN or an empty cell", plural(nan, "row")),
            (0, infinite) => format!("{} with an infinite value", plural(infinite, "row")),
            (nan, infinite) => format!(
                "{} with NaN or an empty cell, {} with an infinite value",
                plural(nan, "row"),
                count(infinite)
            ),
        }
    }
}

/// What `train` would do.
struct Plan {
    method: String,
    normalise: String,
    own_statistics: bool,
    network: String,
    iterations: usize,
    rounds: Option<usize>,
    batch_size: usize,
    adapts: bool,
    validation: f64,
}

impl Plan {
    fn new(training: &Training, fitted: &Fitted, spec: &GeneratorSpec) -> Self {
        let config = training.config();
        let kind = serde_json::to_value(fitted.source.kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default();
        let dense: Vec<String> = spec.hidden.iter().map(usize::to_string).collect();
        Self {
            method: config.method.name.clone(),
            normalise: if fitted.source.log1p { format!("log(1 + x), then {kind}") } else { kind.to_owned() },
            own_statistics: fitted.source != fitted.target,
            network: match spec.kind {
                GeneratorKind::Mlp => format!("mlp {}-{}", spec.input.len(), dense.join("-")),
                GeneratorKind::Lenet => {
                    format!("lenet, {} and {} filters, {}", spec.filters[0], spec.filters[1], dense.join("-"))
                }
            },
            iterations: config.train.iterations,
            rounds: config.method.rounds(),
            batch_size: training.batch_size(),
            adapts: method::find(&config.method.name).is_ok_and(|entry| entry.adapts),
            validation: config.train.validation,
        }
    }

    fn text(&self) -> String {
        let by =
            if self.own_statistics { "each domain on its own" } else { "both by the source's statistics" };
        let batch = count(self.batch_size);
        let rows = match (self.rounds, self.adapts) {
            (Some(rounds), _) => format!("with {rounds} rounds over all rows"),
            (None, true) => format!("each of {batch} source and {batch} target rows"),
            (None, false) => format!("each of {batch} source rows"),
        };
        let network = if self.rounds.is_some() { "the method's own" } else { &self.network };
        format!(
            "`cloth train` would use:\n\
             \x20 method         {}\n\
             \x20 normalisation  {}, {by}\n\
             \x20 network        {network}\n\
             \x20 iterations     {}, {rows}\n\
             \x20 kept aside     {} of the source, to watch accuracy\n",
            self.method,
            self.normalise,
            count(self.iterations),
            percent(self.validation),
        )
    }

    fn json(&self) -> Value {
        json!({
            "method": self.method,
            "normalise": self.normalise,
            "own_statistics": self.own_statistics,
            "network": self.rounds.is_none().then_some(&self.network),
            "iterations": self.iterations,
            "rounds": self.rounds,
            "batch_size": self.rounds.is_none().then_some(self.batch_size),
            "validation": rounded(self.validation),
        })
    }
}
