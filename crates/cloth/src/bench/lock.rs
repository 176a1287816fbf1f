//! One writer at a time. A lock ends with the process that holds it, however that ends.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use crate::error::{Error, Problem, Result};
use crate::train::RunDir;

/// What the locked file is called.
pub(super) const FILE: &str = ".lock";

/// Waits for a trainer that a killed bench left behind: it notices and ends, but that may take a moment.
pub(super) fn wait(directory: &Path) -> Result<File> {
    let file = create(directory)?;
    // Some file systems have no locks; then there is none.
    let _ = file.lock();
    Ok(file)
}

/// Makes sure that nobody else writes results to a directory, as long as the file is held.
pub fn claim(output: &Path) -> Result<File> {
    if RunDir::is_at(output) {
        return Err(Problem::in_file(output)
            .found("a run made by `cloth train`")
            .wanted("a directory of its own for a bench")
            .help("choose another with -o")
            .into());
    }
    let file = create(output)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Problem::in_file(output)
            .found("another `cloth bench` at work")
            .wanted("a directory of its own for each that runs at the same time")
            .help("wait for it, or choose another directory with -o")
            .into()),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn create(directory: &Path) -> Result<File> {
    let failed = |error| Error::io("create", directory, error);
    fs::create_dir_all(directory).map_err(failed)?;
    File::create(directory.join(FILE)).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_claimed_once_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let output = home.path().join("new/out");
        let held = claim(&output).unwrap();
        let error = claim(&output).unwrap_err();
        assert!(error.to_string().contains("another `cloth bench` at work"), "{error}");
        drop(held);
        claim(&output).unwrap();
    }

    #[test]
    fn a_run_is_not_taken_over() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("config.toml"), "").unwrap();
        let error = claim(home.path()).unwrap_err().to_string();
        assert!(
            error.contains("found a run made by `cloth train`, wanted a directory of its own"),
            "{error}"
        );
        assert!(!home.path().join(FILE).exists());
    }
}
