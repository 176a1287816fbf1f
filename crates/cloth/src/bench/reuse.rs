//! Reuses runs of existing results.
//!
//! A run is found by configuration, data and seed, not by name: a study's row with a method's default settings takes
//! the run of that method.

use std::collections::HashMap;
use std::path::PathBuf;

use super::job::Job;
use super::record::Record;
use super::results::Results;
use crate::error::Result;

/// The runs of existing results.
#[derive(Debug, Clone, Default)]
pub struct Reusable {
    /// Runs by configuration hash, data hash and seed.
    runs: HashMap<(String, String, u64), Vec<Record>>,
}

impl Reusable {
    /// Reads results. Each path is a `results.json` or a directory with one.
    pub fn read(paths: &[PathBuf]) -> Result<Self> {
        let mut runs: HashMap<_, Vec<Record>> = HashMap::new();
        for path in paths {
            for run in Results::read(path)?.runs {
                runs.entry((run.config_hash.clone(), run.data_hash.clone(), run.seed)).or_default().push(run);
            }
        }
        Ok(Self { runs })
    }

    /// The record of a run with the job's settings, data and seed; none if there is no such run.
    pub fn answer(&self, job: &Job) -> Option<Record> {
        let key = (job.config_hash.clone(), job.data_hash.clone(), job.seed);
        let named = |run: &Record| Record { row: job.row.clone(), task: job.task.clone(), ..run.clone() };
        self.runs.get(&key)?.iter().map(named).find(|record| job.is_answered_by(record))
    }

    /// Writes the records of the jobs that have such a run, and returns their number.
    pub fn give(&self, jobs: &[&Job]) -> Result<usize> {
        let mut given = 0;
        for job in jobs {
            if let Some(record) = self.answer(job) {
                record.write(&job.record_file(), None, &job.config)?;
                given += 1;
            }
        }
        Ok(given)
    }
}
