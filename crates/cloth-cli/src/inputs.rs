//! Loads data and models from files; the demo's data are part of the program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cloth::config::Config;
use cloth::data::{self, Classes, Features, ImageFit, Shape};
use cloth::train::{Provenance, RunDir};
use cloth::{Error, Head, Methods, Model, Problem, ReadOptions, Result, Source, Target, demo};

use crate::args;
use crate::text::quoted;

/// Paths that a demo run records for its data.
const DRAWN: &str = "demo:drawn";
const HANDWRITTEN: &str = "demo:handwritten";
/// Method that is used if none is given.
const DEFAULT_METHOD: &str = "cloth";
/// Digits that the demo draws for each class.
const DRAWN_PER_CLASS: usize = 200;

/// Shape of a demo digit as an image.
pub(crate) const DIGIT: Shape = Shape::Image { channels: 1, height: 8, width: 8 };

/// Builds the configuration from command-line settings.
pub(crate) fn config(settings: &args::Settings) -> Result<Config> {
    let in_file = settings.config.as_deref().and_then(method_in_file);
    let method = settings.method.as_deref().or(in_file.as_deref()).unwrap_or(DEFAULT_METHOD);
    let mut layers = Methods::builtin().layers(method)?;
    if let Some(preset) = &settings.preset {
        layers = layers.preset(preset)?;
    }
    if let Some(path) = &settings.config {
        layers = layers.file(path)?;
    }
    for setting in &settings.set {
        layers = layers.set(setting)?;
    }
    if let Some(seed) = settings.seed {
        layers = layers.set(&format!("seed={seed}"))?;
    }
    if let Some(label) = &settings.label {
        layers = layers.set(&format!("data.label={}", toml::Value::from(label.as_str())))?;
    }
    layers.build()
}

/// The method that a configuration file names, if it does. `Layers` reports errors in the file.
fn method_in_file(path: &Path) -> Option<String> {
    let table: toml::Table = std::fs::read_to_string(path).ok()?.parse().ok()?;
    Some(table.get("method")?.get("name")?.as_str()?.to_owned())
}

/// Provenance of source and target files, with absolute paths.
pub(crate) fn from_files(source: &Path, target: &Path) -> Result<Provenance> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| Error::io("read", path, error));
    Ok(Provenance::new(absolute(source)?, absolute(target)?))
}

/// Provenance of the demo's data.
pub(crate) fn from_demo() -> Provenance {
    Provenance::new(DRAWN, HANDWRITTEN)
}

/// Whether a run's data are files, and not the demo's.
pub(crate) fn are_files(provenance: &Provenance) -> bool {
    provenance.source != Path::new(DRAWN)
}

/// Loads the source and target of a run. No other code does, so that a run is resumed on the data it started with.
pub(crate) fn load(provenance: &Provenance, config: &Config) -> Result<(Source, Target)> {
    if !are_files(provenance) {
        return Ok((drawn(config.seed)?, Target::new(handwritten()?)?));
    }
    let options = ReadOptions::of(&config.data);
    let source = Source::load(shorter(&provenance.source), &options)?;
    let target = Target::load(shorter(&provenance.target), &options, source.layout())?;
    Ok((source, target))
}

fn drawn(seed: u64) -> Result<Source> {
    let (values, labels) = demo::drawn(DRAWN_PER_CLASS, seed);
    let classes = Classes::new((0..demo::N_CLASSES).map(|digit| digit.to_string()));
    Source::new(Features::new(values, Shape::Flat(demo::N_PIXELS))?, labels, classes)
}

/// The demo's target, without labels.
pub(crate) fn handwritten() -> Result<Features> {
    Features::new(demo::handwritten(), Shape::Flat(demo::N_PIXELS))
}

/// The path relative to the current directory, if it is inside that.
pub(crate) fn shorter(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path).to_owned()
}

/// A file's name without extensions such as `.csv.gz`.
pub(crate) fn stem(path: &Path) -> String {
    let stem = if path.is_dir() { path.file_name() } else { path.file_stem() };
    let stem = stem.unwrap_or(OsStr::new("data")).to_string_lossy();
    [".csv", ".tsv"].iter().find_map(|format| stem.strip_suffix(format)).unwrap_or(&stem).to_owned()
}

/// Names of source and target for display.
pub(crate) fn names(provenance: &Provenance) -> [String; 2] {
    match are_files(provenance) {
        true => [stem(&provenance.source), stem(&provenance.target)],
        false => ["drawn digits", "handwritten digits"].map(str::to_owned),
    }
}

/// A model, and how to read files for it.
pub(crate) struct Trained {
    pub(crate) model: Model,
    pub(crate) options: ReadOptions,
    pub(crate) head: Head,
    /// Shape in which rows are displayed: the demo's as images, although its networks read flat features.
    pub(crate) picture: Shape,
}

/// Opens a run directory or a model file.
pub(crate) fn open_model(path: &Path, reading: &args::Reading) -> Result<Trained> {
    let (file, label, of_files) = if path.is_dir() {
        let (run, config, provenance) = RunDir::open(path, &Methods::builtin())?;
        if !run.model().exists() {
            return Err(Problem::in_file(path)
                .found("a run that has not finished")
                .wanted("a model in it")
                .help(format!("finish it: cloth train --resume {}", quoted(path)))
                .into());
        }
        let options = ReadOptions::of(&config.data);
        // In formats with one array per file, the label names a file that belongs to the source; in others, a column or
        // an array that any file may have.
        let names_a_file = |source: &Path| {
            data::inspect(source, &options).is_ok_and(|schema| ["npy", "idx"].contains(&schema.format))
        };
        let label = options.label.clone().filter(|_| !names_a_file(&provenance.source));
        (run.model(), label, are_files(&provenance))
    } else {
        (path.to_owned(), None, true)
    };
    let model = Model::load(file)?;
    let mut options = ReadOptions::default();
    if let Shape::Image { channels, height, width } = model.about().layout.shape
        && height == width
    {
        options = options.with_image(ImageFit { size: height, channels });
    }
    let head = match reading.head {
        None => model.head(),
        Some(args::Head::C) => Head::C,
        Some(args::Head::T) => Head::T,
        Some(args::Head::Plain) => Head::Plain,
        Some(args::Head::Guarded) => Head::Guarded,
    };
    // Fails if the model has no such head, before anything is written.
    model.check_head(head)?;
    options.label = reading.label.clone().or(label);
    let picture = if of_files { model.about().layout.shape } else { DIGIT };
    Ok(Trained { model, options, head, picture })
}
