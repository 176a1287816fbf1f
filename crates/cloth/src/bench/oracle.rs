//! The ORACLE: the accuracy of a selection by target labels. It observes training and cannot change it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::locate::Located;
use crate::atomic::write_atomic;
use crate::data::{Classes, HeldOut, Layout, ReadOptions};
use crate::error::{Problem, Result};
use crate::eval::score;
use crate::model::{Head, Model};

/// The best evaluation of a run by target accuracy: a bound, not a result.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Oracle {
    /// The iteration with the highest target accuracy.
    pub iteration: usize,
    /// Target accuracy at that iteration, 0 to 1.
    pub accuracy: f64,
}

/// Scores the averaged networks at each evaluation of the training loop, and stores the scores across interruptions.
pub(super) struct Watcher {
    file: PathBuf,
    rows: PathBuf,
    options: ReadOptions,
    layout: Layout,
    classes: Classes,
    seen: BTreeMap<usize, f64>,
}

impl Watcher {
    /// Resumes with the scores of the first `done` iterations of an interrupted run.
    pub(super) fn new(
        file: PathBuf,
        files: &Located,
        options: ReadOptions,
        layout: Layout,
        classes: Classes,
        done: usize,
    ) -> Result<Self> {
        let mut seen: BTreeMap<usize, f64> = match std::fs::read_to_string(&file) {
            Err(_) => BTreeMap::new(),
            Ok(text) => serde_json::from_str(&text)
                .map_err(|e| Problem::in_file(&file).found(e).wanted("accuracies by iteration"))?,
        };
        seen.retain(|&iteration, _| iteration <= done);
        Ok(Self { file, rows: files.scored().to_owned(), options, layout, classes, seen })
    }

    /// Scores the networks of one iteration.
    pub(super) fn look(&mut self, iteration: usize, model: &Model) -> Result<()> {
        let rows = HeldOut::open(&self.rows, &self.options, &self.layout, &self.classes)?;
        self.seen.insert(iteration, score(model, rows, Head::C)?.accuracy);
        let text = serde_json::to_string(&self.seen).expect("numbers are plain data");
        write_atomic(&self.file, text.as_bytes())
    }

    /// The best of all scores, the first of equal ones; none if there are none.
    pub(super) fn best(&self) -> Option<Oracle> {
        let best =
            self.seen.iter().fold(None, |best: Option<(usize, f64)>, (&iteration, &accuracy)| match best {
                Some((_, highest)) if highest >= accuracy => best,
                _ => Some((iteration, accuracy)),
            });
        best.map(|(iteration, accuracy)| Oracle { iteration, accuracy })
    }
}
