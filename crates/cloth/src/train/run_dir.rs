//! The run directory: everything about a run in one place, each file whole or absent.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::atomic::write_atomic;
use crate::config::{Config, Layers};
use crate::error::{Error, Problem, Result};
use crate::method::Losses;
use crate::words::quoted;

/// The file that a trainer locks. It is never replaced, for a lock is on a file and not on its name.
pub(crate) const CLAIM: &str = ".claim";
/// What a report is called, in a run directory and anywhere else.
pub(crate) const REPORT: &str = "report.html";

/// Where a run's data came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The source file or folder.
    pub source: PathBuf,
    /// The target file or folder.
    pub target: PathBuf,
    /// The version of cloth that started the run.
    pub cloth: String,
}

/// A directory with `config.toml`, `run.json`, `metrics.jsonl`, `checkpoint.safetensors` and, at the end,
/// `model.safetensors` and `summary.json`. Later `eval.json` and `report.html` may come to them.
#[derive(Debug, Clone)]
pub struct RunDir {
    path: PathBuf,
    /// Held by whoever trains here, and by all copies of this.
    claim: Option<Arc<File>>,
}

impl RunDir {
    /// Makes the directory and writes the configuration with every default: a bad path fails before training.
    pub fn create(path: impl Into<PathBuf>, config: &Config, provenance: &Provenance) -> Result<Self> {
        let run = Self::at(path.into());
        let json = serde_json::to_string_pretty(provenance).map_err(|_| {
            Problem::in_file(&run.path)
                .found("the path of a source or target that is not UTF-8")
                .wanted("names that can be written down")
                .help("rename the file, or make a link to it")
        })?;
        std::fs::create_dir_all(&run.path).map_err(|e| Error::io("create", &run.path, e))?;
        // Of two that come at once, one sees the other's configuration.
        let run = run.claimed()?;
        if run.config().exists() {
            return Err(Problem::in_file(&run.path)
                .found("a run that is already there")
                .wanted("a directory of its own for each run")
                .help(format!(
                    "choose another with -o, or go on with it by --resume {}",
                    quoted(&run.path.to_string_lossy())
                ))
                .into());
        }
        write_atomic(run.provenance_file(), json.as_bytes())?;
        // Last, for it is what makes the directory a run.
        write_atomic(run.config(), config.to_toml().as_bytes())?;
        Ok(run)
    }

    /// Whether a directory is a run.
    pub fn is_at(path: &Path) -> bool {
        Self::at(path.to_owned()).config().is_file()
    }

    fn at(path: PathBuf) -> Self {
        Self { path, claim: None }
    }

    /// Opens a run that is there, with its configuration and where its data came from.
    pub fn open(path: impl Into<PathBuf>) -> Result<(Self, Config, Provenance)> {
        let run = Self::at(path.into());
        let missing = |file: PathBuf| {
            Problem::in_file(&run.path)
                .found(format!("no {}", file.file_name().unwrap_or_default().display()))
                .wanted("a run directory made by `cloth train`")
        };
        run.path.metadata().map_err(|e| Error::io("read", &run.path, e))?;
        if !run.config().exists() {
            return Err(missing(run.config()).into());
        }
        let text = std::fs::read_to_string(run.config()).map_err(|e| Error::io("read", run.config(), e))?;
        let method = text
            .parse::<toml::Table>()
            .ok()
            .and_then(|t| t.get("method")?.get("name")?.as_str().map(str::to_string))
            .ok_or_else(|| {
                Problem::in_file(&run.config()).found("no method.name").wanted("the configuration of a run")
            })?;
        let config = Layers::new(&method)?.file(&run.config())?.build()?;
        let file = run.provenance_file();
        let json = std::fs::read_to_string(&file).map_err(|e| Error::io("read", &file, e))?;
        let provenance = serde_json::from_str(&json)
            .map_err(|e| Problem::in_file(&file).found(e).wanted("source, target and cloth as text"))?;
        Ok((run, config, provenance))
    }

    /// Makes sure that nobody else trains here, as long as this or a copy of it is held. The lock ends with the process,
    /// however that ends.
    pub(super) fn claimed(mut self) -> Result<Self> {
        if self.claim.is_some() {
            return Ok(self);
        }
        let path = self.path.join(CLAIM);
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|e| Error::io("create", &path, e))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(Problem::in_file(&self.path)
                .found("a run that another `cloth train` is at work on")
                .wanted("one at a time")
                .help("wait for it to end, or stop it: it saves what it has")
                .into()),
            // Some file systems have no locks; then there is none.
            Ok(()) | Err(TryLockError::Error(_)) => {
                self.claim = Some(Arc::new(file));
                Ok(self)
            }
        }
    }

    /// Removes what a killed trainer had begun to write; only a trainer may, for it would rob a live one of its files.
    /// Nothing depends on it, so nothing is said if it fails.
    pub(super) fn sweep(&self) {
        for entry in std::fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') && name.ends_with(".tmp") {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `model.safetensors`, there once training is over.
    pub fn model(&self) -> PathBuf {
        self.path.join("model.safetensors")
    }

    /// `config.toml`
    pub fn config(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    /// `metrics.jsonl`
    pub fn metrics(&self) -> PathBuf {
        self.path.join("metrics.jsonl")
    }

    /// `checkpoint.safetensors`
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint.safetensors")
    }

    /// `eval.json`: the latest score on labelled rows.
    pub fn evaluation(&self) -> PathBuf {
        self.path.join("eval.json")
    }

    /// `report.html`
    pub fn report(&self) -> PathBuf {
        self.path.join(REPORT)
    }

    /// `tensorboard`, a directory of event files.
    pub fn tensorboard(&self) -> PathBuf {
        self.path.join("tensorboard")
    }

    /// `summary.json`
    pub(super) fn summary_file(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    fn provenance_file(&self) -> PathBuf {
        self.path.join("run.json")
    }

    /// Forgets the lines after `iteration`: an interrupted run had written them, a resumed one writes them again.
    pub(super) fn cut_metrics(&self, iteration: usize) -> Result<()> {
        let path = self.metrics();
        if !path.exists() {
            return Ok(());
        }
        let file = File::open(&path).map_err(|e| Error::io("read", &path, e))?;
        let mut kept = String::new();
        for line in BufReader::new(file).lines() {
            let line = line.map_err(|e| Error::io("read", &path, e))?;
            // A line cut short by a crash does not parse; it and what follows are past the checkpoint.
            match serde_json::from_str::<serde_json::Value>(&line) {
                Ok(v) if v["iteration"].as_u64().is_some_and(|i| i as usize <= iteration) => {
                    kept.push_str(&line);
                    kept.push('\n');
                }
                _ => break,
            }
        }
        write_atomic(&path, kept.as_bytes())
    }

    pub(super) fn append_metrics(&self) -> Result<Metrics> {
        let path = self.metrics();
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|e| Error::io("write", &path, e))?;
        Ok(Metrics { path, out: BufWriter::new(file) })
    }
}

/// `metrics.jsonl`, open for more lines.
pub(super) struct Metrics {
    path: PathBuf,
    out: BufWriter<File>,
}

impl Metrics {
    pub(super) fn write(
        &mut self,
        iteration: usize,
        losses: &Losses,
        source_accuracy: Option<f64>,
    ) -> Result<()> {
        let mut line = serde_json::Map::new();
        line.insert("iteration".into(), iteration.into());
        for &(name, value) in losses {
            line.insert(name.into(), f64::from(value).into());
        }
        if let Some(accuracy) = source_accuracy {
            line.insert("source_accuracy".into(), accuracy.into());
        }
        let line = serde_json::Value::Object(line);
        writeln!(self.out, "{line}").map_err(|e| Error::io("write", &self.path, e))
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.out.flush().map_err(|e| Error::io("write", &self.path, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_one_trainer_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let provenance = Provenance { source: "a".into(), target: "b".into(), cloth: String::new() };
        let path = home.path().join("run");
        let create = || RunDir::create(&path, &Config::of_method("cloth").unwrap(), &provenance);
        let open = || RunDir::open(&path).unwrap().0;
        let held = create().unwrap();
        for error in [open().claimed().unwrap_err(), create().unwrap_err()] {
            assert!(error.to_string().contains("another `cloth train` is at work on"), "{error}");
        }
        held.clone().claimed().unwrap();
        drop(held);
        open().claimed().unwrap();
        assert!(create().unwrap_err().to_string().contains("a run that is already there"));
    }
}
