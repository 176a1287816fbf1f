//! Runs that were made before, here or elsewhere: results that somebody keeps or shares.
//!
//! What a run is called does not matter, only what it was made of: a study's row that has the settings of a method's
//! default takes that run.

use std::collections::HashMap;
use std::path::PathBuf;

use super::job::Job;
use super::record::Record;
use super::results::Results;
use crate::error::Result;

/// The runs of other results.
#[derive(Debug, Clone, Default)]
pub struct Reusable {
    /// By the hash of the configuration, that of the data, and the seed.
    runs: HashMap<(String, String, u64), Vec<Record>>,
}

impl Reusable {
    /// Reads results: each a `results.json`, or a directory that has one.
    pub fn read(paths: &[PathBuf]) -> Result<Self> {
        let mut runs: HashMap<_, Vec<Record>> = HashMap::new();
        for path in paths {
            for run in Results::read(path)?.runs {
                runs.entry((run.config_hash.clone(), run.data_hash.clone(), run.seed)).or_default().push(run);
            }
        }
        Ok(Self { runs })
    }

    /// What a job would give, if one of the runs had its settings, data and seed.
    pub fn answer(&self, job: &Job) -> Option<Record> {
        let key = (job.config_hash.clone(), job.data_hash.clone(), job.seed);
        let named = |run: &Record| Record { row: job.row.clone(), task: job.task.clone(), ..run.clone() };
        self.runs.get(&key)?.iter().map(named).find(|record| job.is_answered_by(record))
    }

    /// Writes the records of those jobs that are answered, and returns how many these are.
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
