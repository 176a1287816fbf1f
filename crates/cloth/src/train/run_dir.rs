//! The run directory: all files of a run in one place.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::metrics::read_metrics;
use crate::atomic::write_atomic;
use crate::config::Config;
use crate::error::{Error, Problem, Result};
use crate::method::Methods;

/// The lock file of a training process. It is never replaced, because a lock belongs to the file and not to its name.
pub(crate) const CLAIM: &str = ".claim";

/// The data of a run, and the version that started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Provenance {
    /// Path of the source file or directory.
    pub source: PathBuf,
    /// Path of the target file or directory.
    pub target: PathBuf,
    /// The version of cloth that started the run.
    pub cloth: String,
}

impl Provenance {
    /// The provenance of a run that is started by this version of cloth.
    pub fn new(source: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        Self { source: source.into(), target: target.into(), cloth: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// A directory with `config.toml`, `run.json`, `metrics.jsonl`, `checkpoint.safetensors` and, at the end,
/// `model.safetensors` and `summary.json`. `eval.json` and `report.html` may be added later. A guarded run has another
/// run directory in it, `plain`.
#[derive(Debug, Clone)]
pub struct RunDir {
    path: PathBuf,
    /// The lock on the directory while training, shared by all clones.
    claim: Option<Claim>,
}

impl RunDir {
    /// Creates the directory and writes the configuration with every default, so that a bad path fails before training.
    pub fn create(path: impl Into<PathBuf>, config: &Config, provenance: &Provenance) -> Result<Self> {
        Self::create_with(None, path.into(), config, provenance)
    }

    /// [`create`](Self::create), in a directory that may already be locked by `claim`.
    pub(crate) fn create_with(
        claim: Option<Claim>,
        path: PathBuf,
        config: &Config,
        provenance: &Provenance,
    ) -> Result<Self> {
        let run = Self::at(path);
        let json = serde_json::to_string_pretty(provenance).map_err(|_| {
            Problem::in_file(&run.path)
                .found("a path of source or target that is not UTF-8")
                .wanted("UTF-8 paths")
                .help("rename the file, or make a link to it")
        })?;
        std::fs::create_dir_all(&run.path).map_err(|e| Error::io("create", &run.path, e))?;
        // If two processes create the run at once, one of them sees the other's configuration.
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
        // Last, because this file marks the directory as a run.
        write_atomic(run.config(), config.to_toml().as_bytes())?;
        Ok(run)
    }

    /// Whether a directory is a run, that is, has a `config.toml`.
    pub fn is_at(path: &Path) -> bool {
        Self::at(path.to_owned()).config().is_file()
    }

    fn at(path: PathBuf) -> Self {
        Self { path, claim: None }
    }

    /// Opens an existing run. Returns it with its configuration, whose method must be in `methods`, and its provenance.
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

    /// Locks the directory against other training processes, as long as this or a clone is held.
    pub(super) fn claimed(self) -> Result<Self> {
        if self.claim.is_some() {
            return Ok(self);
        }
        match Claim::take(&self.path)? {
            Some(claim) => Ok(self.holding(claim)),
            None => Err(Problem::in_file(&self.path)
                .found("a run that another process is training")
                .wanted("one process at a time")
                .help("wait for it to end, or stop it: it saves a checkpoint")
                .into()),
        }
    }

    /// The run, with a lock that is already held.
    pub(crate) fn holding(self, claim: Claim) -> Self {
        Self { claim: Some(claim), ..self }
    }

    /// Removes temporary files of a killed process. Only the holder of the lock may do so: otherwise it would delete
    /// files that another process is writing. Failures are ignored, because nothing depends on it.
    pub(super) fn sweep(&self) {
        for entry in std::fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') && name.ends_with(".tmp") {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Path of the run directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of `model.safetensors`, which exists once training has finished.
    pub fn model(&self) -> PathBuf {
        self.path.join("model.safetensors")
    }

    /// Path of `config.toml`, the configuration with every default.
    pub fn config(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    /// Path of `metrics.jsonl`, the losses by iteration.
    pub fn metrics(&self) -> PathBuf {
        self.path.join("metrics.jsonl")
    }

    /// Path of `checkpoint.safetensors`, from which the run resumes.
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint.safetensors")
    }

    /// Path of `eval.json`, the latest score on labelled rows.
    pub fn evaluation(&self) -> PathBuf {
        self.path.join("eval.json")
    }

    /// Path of `report.html`, which need not exist.
    pub fn report(&self) -> PathBuf {
        self.path.join("report.html")
    }

    /// Path of `tensorboard`, a directory of event files.
    pub fn tensorboard(&self) -> PathBuf {
        self.path.join("tensorboard")
    }

    /// Path of `plain`, the run directory of plain training beside a guarded run.
    pub fn plain(&self) -> PathBuf {
        self.path.join("plain")
    }

    /// Path of `summary.json`.
    pub(super) fn summary_file(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    fn provenance_file(&self) -> PathBuf {
        self.path.join("run.json")
    }

    /// Removes the lines after `iteration` from `metrics.jsonl`: a resumed run writes them again.
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

/// A lock on a directory. It is released when the last clone is dropped or the process ends, however it ends.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    _file: Arc<File>,
}

impl Claim {
    /// Locks a directory; none if another process holds the lock.
    pub(crate) fn take(directory: &Path) -> Result<Option<Self>> {
        let file = Self::file(directory)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            // Some file systems do not support locks; then the directory is not protected.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(Self { _file: Arc::new(file) })),
        }
    }

    /// Locks a directory, and waits until no other process holds the lock.
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
