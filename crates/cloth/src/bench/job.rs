//! One run to be made, with all that it depends on.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::locate::Located;
use super::record::Record;
use crate::config::Config;
use crate::error::Result;
use crate::hash::Hash;

/// Where records are, below the output directory.
const RECORDS: &str = "runs";
/// Where runs are while they are made.
pub(super) const TRAINING: &str = "training";

/// A method or a variant on a task with a seed. It can be written to another process as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The row of the table: a method, or a variant of a study.
    pub row: String,
    /// The column: `A→W`.
    pub task: String,
    /// The seed.
    pub seed: u64,
    /// Every setting.
    pub config: Config,
    /// Where the rows are.
    pub files: Located,
    /// How many classes the source must have, if the suite says so.
    pub n_classes: Option<usize>,
    /// The revision of its method.
    pub revision: u32,
    /// Tells configurations and revisions apart, whatever their seed.
    pub config_hash: String,
    /// Tells data apart, by every byte.
    pub data_hash: String,
    /// Whether target accuracy is watched during training, for the ORACLE.
    pub oracle: bool,
    /// The loss whose course is kept.
    pub curve: Option<String>,
    /// Whether the run directory, with its model, stays.
    pub keep: bool,
    /// The directory of the whole bench.
    pub output: PathBuf,
}

impl Job {
    /// `A-W-cloth-seed0-0123456789abcdef`: what its files are called. Other settings or other data have another name, and
    /// so have rows that look alike as names of files.
    pub fn name(&self) -> String {
        let mut hash = Hash::new();
        hash.text(&self.row);
        hash.text(&self.config_hash);
        hash.text(&self.data_hash);
        let task = self.task.replace('→', "-");
        format!("{task}-{}-seed{}-{}", plain(&self.row), self.seed, hash.short())
    }

    /// Where its record is, or will be.
    pub fn record_file(&self) -> PathBuf {
        self.output.join(RECORDS).join(self.name() + ".json")
    }

    /// The run directory. An ORACLE that joined in the middle would have missed looks, so its runs have their own.
    pub fn directory(&self) -> PathBuf {
        let watched = if self.oracle { "-ORACLE" } else { "" };
        self.output.join(TRAINING).join(self.name() + watched)
    }

    /// The record of this very run, if it has been made.
    pub fn record(&self) -> Result<Option<Record>> {
        let record = Record::read(&self.record_file())?;
        Ok(record.filter(|record| self.is_answered_by(record)))
    }

    pub(super) fn is_answered_by(&self, record: &Record) -> bool {
        let same = record.config_hash == self.config_hash && record.data_hash == self.data_hash;
        let watched = !self.oracle || record.oracle.is_some() || record.failed.is_some();
        let loss = record.curve.as_ref().map(|curve| &curve.loss);
        let drawn = self.curve.is_none() || self.curve.as_ref() == loss || record.failed.is_some();
        let named = record.row == self.row && record.task == self.task && record.seed == self.seed;
        same && named && watched && drawn
    }
}

/// A name that any file system takes.
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
