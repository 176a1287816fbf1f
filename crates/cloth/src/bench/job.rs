//! One run of a bench, with all that it depends on.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::locate::Located;
use super::record::Record;
use crate::config::Config;
use crate::error::Result;
use crate::hash::Hash;

/// Subdirectory of the records, in the output directory.
const RECORDS: &str = "runs";
/// Subdirectory of the run directories during training, in the output directory.
pub(super) const TRAINING: &str = "training";

/// A method or a variant on a task with a seed. It can be sent to another process as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The row of the table: a method, or a variant of a study.
    pub row: String,
    /// The column of the table: a task, such as `A→W`.
    pub task: String,
    /// The seed of the run.
    pub seed: u64,
    /// The configuration, with its seed.
    pub config: Config,
    /// The data files.
    pub files: Located,
    /// Number of classes that the source must have; none if the suite does not list its classes.
    pub n_classes: Option<usize>,
    /// The revision of the method.
    pub revision: u32,
    /// Hash of configuration and revision, without the seed.
    pub config_hash: String,
    /// Hash of the contents of all data files.
    pub data_hash: String,
    /// Whether to measure target accuracy during training, for the ORACLE.
    pub oracle: bool,
    /// The loss whose curve is recorded; none if the study shows no curve.
    pub curve: Option<String>,
    /// Whether to keep the run directory with its model.
    pub keep: bool,
    /// The output directory of the bench.
    pub output: PathBuf,
}

impl Job {
    /// Name of the job's files, such as `A-W-cloth-seed0-0123456789abcdef`. Its hash differs for other settings, other
    /// data and other rows, even if the row names are the same in file names.
    pub fn name(&self) -> String {
        let mut hash = Hash::new();
        hash.text(&self.row);
        hash.text(&self.config_hash);
        hash.text(&self.data_hash);
        let task = self.task.replace('→', "-");
        format!("{task}-{}-seed{}-{}", plain(&self.row), self.seed, hash.short())
    }

    /// Path of the record, which need not exist yet.
    pub fn record_file(&self) -> PathBuf {
        self.output.join(RECORDS).join(self.name() + ".json")
    }

    /// Path of the run directory. Runs with an ORACLE have their own: it must see all evaluations of a run.
    pub fn directory(&self) -> PathBuf {
        let watched = if self.oracle { "-ORACLE" } else { "" };
        self.output.join(TRAINING).join(self.name() + watched)
    }

    /// The record of this run; none if it has not been made with these hashes.
    pub fn record(&self) -> Result<Option<Record>> {
        let record = Record::read(&self.record_file())?;
        Ok(record.filter(|record| self.is_answered_by(record)))
    }

    /// Whether a record has this job's hashes, names and seed, and all that the job asks for.
    pub(super) fn is_answered_by(&self, record: &Record) -> bool {
        let same = record.config_hash == self.config_hash && record.data_hash == self.data_hash;
        let watched = !self.oracle || record.oracle.is_some() || record.failed.is_some();
        let loss = record.curve.as_ref().map(|curve| &curve.loss);
        let drawn = self.curve.is_none() || self.curve.as_ref() == loss || record.failed.is_some();
        let named = record.row == self.row && record.task == self.task && record.seed == self.seed;
        same && named && watched && drawn
    }
}

/// The name with only characters that are valid in file names everywhere.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+".contains(c);
    let mut plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    while plain.contains("--") {
        plain = plain.replace("--", "-");
    }
    plain.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variants_become_names_of_files() {
        assert_eq!(plain("2: + l_gs + l_gt"), "2-+-l_gs-+-l_gt");
        assert_eq!(plain("q = 3"), "q-3");
        assert_eq!(plain("../S_CT (one)"), "S_CT-one");
    }

    #[test]
    fn rows_that_look_alike_without_greek_have_files_of_their_own() {
        let job = |row: &str| Job {
            row: row.to_owned(),
            task: "A→B".to_owned(),
            seed: 0,
            config: crate::Methods::builtin().config("cloth").unwrap(),
            files: Located { source: "a".into(), target: "b".into(), test: None },
            n_classes: None,
            revision: 1,
            config_hash: "c".to_owned(),
            data_hash: "d".to_owned(),
            oracle: false,
            curve: None,
            keep: false,
            output: "out".into(),
        };
        assert_ne!(job("α = 0.1").record_file(), job("β = 0.1").record_file());
        assert_ne!(job("α = 0.1").directory(), job("β = 0.1").directory());
    }
}
