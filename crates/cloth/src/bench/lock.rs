//! Locks a directory of results for one bench at a time. The lock ends with the process that holds it, however it ends.

use std::path::Path;

use crate::error::{Problem, Result};
use crate::train::{Claim, RunDir};

/// The lock on a directory of results, as long as this is held.
#[derive(Debug)]
pub struct BenchClaim(#[allow(dead_code)] Claim);

/// Locks a directory of results against other benches, as long as the claim is held.
pub fn claim(output: &Path) -> Result<BenchClaim> {
    if RunDir::is_at(output) {
        return Err(Problem::in_file(output)
            .found("a training run")
            .wanted("a directory of its own for a bench")
            .help("choose another directory")
            .into());
    }
    Claim::take(output)?.map(BenchClaim).ok_or_else(|| {
        Problem::in_file(output)
            .found("another bench at work")
            .wanted("a directory of its own for each that runs at the same time")
            .help("wait for it, or choose another directory")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::CLAIM;
    use std::fs;

    #[test]
    fn a_directory_is_claimed_once_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let output = home.path().join("new/out");
        let held = claim(&output).unwrap();
        let error = claim(&output).unwrap_err();
        assert!(error.to_string().contains("another bench at work"), "{error}");
        drop(held);
        claim(&output).unwrap();
    }

    #[test]
    fn a_run_is_not_taken_over() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("config.toml"), "").unwrap();
        let error = claim(home.path()).unwrap_err().to_string();
        assert!(error.contains("found a training run, wanted a directory of its own"), "{error}");
        assert!(!home.path().join(CLAIM).exists());
    }
}
