//! Files written by test code and read back, whole, damaged and wrong.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod damage;
mod reading;
mod round_trip;
mod write;

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;
use crate::error::{Error, Result};

/// A directory that is gone after the test.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The message without the name of the directory, and the help.
    fn message(&self, error: &Error) -> (String, String) {
        let text = error.to_string().replace(&format!("{}/", self.0.path().display()), "");
        (text, error.help().unwrap_or_default().to_owned())
    }
}

fn load(path: &Path) -> Result<Source> {
    Source::load(path, &ReadOptions::default())
}

/// All features of a file, three rows at a time.
fn read_all(path: &Path, options: &ReadOptions) -> Result<Features> {
    let mut reader = open(path, options)?;
    let mut features = Features::empty(reader.schema().shape);
    while let Some(chunk) = reader.next_chunk(3)? {
        assert!((1..=3).contains(&chunk.features.rows()));
        assert!(chunk.labels.is_none(), "labels are read only for those who may have them");
        features.append(&chunk.features)?;
    }
    Ok(features)
}

fn label_names(source: &Source) -> Vec<&str> {
    source.labels().iter().map(|&label| source.classes().name(label)).collect()
}
