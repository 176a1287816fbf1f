//! The run directory: everything about a run in one place, each file whole or absent.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::metrics::read_metrics;
use crate::atomic::write_atomic;
use crate::config::Config;
use crate::error::{Error, Problem, Result};
use crate::method::Methods;

/// The file that a trainer locks. It is never replaced, for a lock is on a file and not on its name.
pub(crate) const CLAIM: &str = ".claim";

/// Where a run's data came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Provenance {
    /// The source file or folder.
    pub source: PathBuf,
    /// The target file or folder.
    pub target: PathBuf,
    /// The version of cloth that started the run.
    pub cloth: String,
}

impl Provenance {
    /// Data that this version of cloth trains on.
    pub fn new(source: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        Self { source: source.into(), target: target.into(), cloth: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// A directory with `config.toml`, `run.json`, `metrics.jsonl`, `checkpoint.safetensors` and, at the end,
/// `model.safetensors` and `summary.json`. Later `eval.json` and `report.html` may come to them.
#[derive(Debug, Clone)]
pub struct RunDir {
    path: PathBuf,
    /// Held by whoever trains here, and by all copies of this.
    claim: Option<Claim>,
}

impl RunDir {
    /// Makes the directory and writes the configuration with every default: a bad path fails before training.
    pub fn create(path: impl Into<PathBuf>, config: &Config, provenance: &Provenance) -> Result<Self> {
        Self::create_with(None, path.into(), config, provenance)
    }

    /// [`create`](Self::create), in a directory that is claimed already.
    pub(crate) fn create_with(
        claim: Option<Claim>,
        path: PathBuf,
        config: &Config,
        provenance: &Provenance,
    ) -> Result<Self> {
        let run = Self::at(path);
        let json = serde_json::to_string_pretty(provenance).map_err(|_| {
            Problem::in_file(&run.path)
                .found("the path of a source or target that is not UTF-8")
                .wanted("names that can be written down")
                .help("rename the file, or make a link to it")
        })?;
        std::fs::create_dir_all(&run.path).map_err(|e| Error::io("create", &run.path, e))?;
        // Of two that come at once, one sees the other's configuration.
        let run = match claim {
            Some(claim) => run.holding(claim),
            None => run.claimed()?,
        };
        if run.config().exists() {
            return Err(Problem::in_file(&run.path)
                .found("a run that is already there")
                .wanted("a directory of its own for each run")
                .help("choose another directory, or resume the run")
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

    /// Opens a run that is there, with its configuration, by one of `methods`, and where its data came from.
    pub fn open(path: impl Into<PathBuf>, methods: &Methods) -> Result<(Self, Config, Provenance)> {
        let run = Self::at(path.into());
        let missing = |file: PathBuf| {
            Problem::in_file(&run.path)
                .found(format!("no {}", file.file_name().unwrap_or_default().display()))
                .wanted("the directory of a training run")
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
        let config = methods.layers(&method)?.file(&run.config())?.build()?;
        let file = run.provenance_file();
        let json = std::fs::read_to_string(&file).map_err(|e| Error::io("read", &file, e))?;
        let provenance = serde_json::from_str(&json)
            .map_err(|e| Problem::in_file(&file).found(e).wanted("source, target and cloth as text"))?;
        Ok((run, config, provenance))
    }

    /// Makes sure that nobody else trains here, as long as this or a copy of it is held.
    pub(super) fn claimed(self) -> Result<Self> {
        if self.claim.is_some() {
            return Ok(self);
        }
        match Claim::take(&self.path)? {
            Some(claim) => Ok(self.holding(claim)),
            None => Err(Problem::in_file(&self.path)
                .found("a run that another process is training")
                .wanted("one at a time")
                .help("wait for it to end, or stop it: it saves what it has")
                .into()),
        }
    }

    /// The run, with a claim that its trainer has already.
    pub(crate) fn holding(self, claim: Claim) -> Self {
        Self { claim: Some(claim), ..self }
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
        self.path.join("report.html")
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
        let kept = read_metrics(&path)?.into_iter().take_while(|line| line.iteration <= iteration);
        let kept: String = kept.map(|line| line.text + "\n").collect();
        write_atomic(&path, kept.as_bytes())
    }
}

/// A directory that one process works on. It ends with the process, however that ends, or when the last copy is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    _file: Arc<File>,
}

impl Claim {
    /// Claims a directory, or finds that somebody else has.
    pub(crate) fn take(directory: &Path) -> Result<Option<Self>> {
        let file = Self::file(directory)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            // Some file systems have no locks; then there is none.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(Self { _file: Arc::new(file) })),
        }
    }

    /// Claims a directory, once nobody else does.
    #[cfg_attr(not(feature = "bench"), allow(dead_code))]
    pub(crate) fn wait(directory: &Path) -> Result<Self> {
        let file = Self::file(directory)?;
        let _ = file.lock();
        Ok(Self { _file: Arc::new(file) })
    }

    fn file(directory: &Path) -> Result<File> {
        std::fs::create_dir_all(directory).map_err(|e| Error::io("create", directory, e))?;
        let path = directory.join(CLAIM);
        OpenOptions::new().create(true).append(true).open(&path).map_err(|e| Error::io("create", &path, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_one_trainer_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let provenance = Provenance::new("a", "b");
        let path = home.path().join("run");
        let create = || RunDir::create(&path, &Methods::builtin().config("cloth").unwrap(), &provenance);
        let open = || RunDir::open(&path, &Methods::builtin()).unwrap().0;
        let held = create().unwrap();
        for error in [open().claimed().unwrap_err(), create().unwrap_err()] {
            assert!(error.to_string().contains("another process is training"), "{error}");
        }
        held.clone().claimed().unwrap();
        drop(held);
        open().claimed().unwrap();
        assert!(create().unwrap_err().to_string().contains("a run that is already there"));
    }
}
