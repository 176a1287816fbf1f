//! Labelled rows held against a model, chunk by chunk: the score, and the mistakes that it was surest of.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

#[cfg(feature = "images")]
use super::picture::thumbnail;
use super::{Score, Scorer};
use crate::atomic::write_atomic;
use crate::data::{Features, Shape};
use crate::error::{Error, Problem, Result};
use crate::model::{Head, Model};

/// Mistakes that are kept.
const MISTAKES: usize = 24;

/// Without the feature `images` nothing can be drawn.
#[cfg(not(feature = "images"))]
fn thumbnail(_: &[f32], _: Shape) -> Option<String> {
    None
}

/// What came of scoring a model on labelled rows. The labels had no part in training or selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Where the labels are from.
    pub labelled: PathBuf,
    /// The network that was asked.
    pub head: Head,
    /// How good it is.
    pub score: Score,
    /// What it was surest of and wrong about, surest first.
    pub mistakes: Vec<Mistake>,
}

/// A row that was called something else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mistake {
    /// Its number, counted from 0.
    pub row: usize,
    /// Its name, where rows have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The class it is of.
    pub actual: u32,
    /// The class it was called.
    pub called: u32,
    /// How sure the model was.
    pub confidence: f32,
    /// The probability that it gave to the right class.
    pub probability: f32,
    /// The row as PNG in base64, where it is an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

/// Adds up labelled rows, so that a file of any size can be scored.
pub struct Evaluator<'a> {
    model: &'a Model,
    head: Head,
    /// What a row looks like to people, if it is an image.
    picture: Shape,
    scorer: Scorer,
    mistakes: Vec<Mistake>,
    rows: usize,
}

impl<'a> Evaluator<'a> {
    /// Nothing seen yet. Rows of the shape `picture` are kept as pictures where they were mistaken.
    pub fn new(model: &'a Model, head: Head, picture: Shape) -> Self {
        let scorer = Scorer::new(model.about().classes.len());
        Self { model, head, picture, scorer, mistakes: Vec::new(), rows: 0 }
    }

    /// Adds raw rows and their true classes. Gives back the classes that were predicted.
    pub fn add(&mut self, features: Features, labels: &[u32], names: Option<&[String]>) -> Result<Vec<u32>> {
        let proba = self.model.predict(features.values(), self.head)?;
        self.scorer.add(&proba, labels);
        let (best, confidence) = proba.best();
        for (i, (&called, &actual)) in best.iter().zip(labels).enumerate() {
            let least = self.mistakes.get(MISTAKES - 1).map_or(0.0, |last| last.confidence);
            if called == actual || confidence[i] <= least {
                continue;
            }
            let mistake = Mistake {
                row: self.rows + i,
                name: names.map(|names| names[i].clone()),
                actual,
                called,
                confidence: confidence[i],
                probability: proba.values[i * proba.n_classes + actual as usize],
                picture: thumbnail(features.row(i), self.picture),
            };
            let place = self.mistakes.partition_point(|other| other.confidence >= mistake.confidence);
            self.mistakes.insert(place, mistake);
            self.mistakes.truncate(MISTAKES);
        }
        self.rows += labels.len();
        Ok(best)
    }

    /// What came of all rows so far, whose labels are from `labelled`.
    pub fn finish(self, labelled: impl Into<PathBuf>) -> Evaluation {
        let score = self.scorer.score(&self.model.about().classes);
        Evaluation { labelled: labelled.into(), head: self.head, score, mistakes: self.mistakes }
    }
}

impl Evaluation {
    /// Writes it as JSON, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let json = serde_json::to_string(self).map_err(|_| {
            Problem::in_file(path)
                .found("the path of labels that is not UTF-8")
                .wanted("a name that can be written down")
        })?;
        write_atomic(path, json.as_bytes())
    }

    /// Reads what [`save`](Self::save) wrote, if it is there.
    pub fn load(path: impl AsRef<Path>) -> Result<Option<Self>> {
        let path = path.as_ref();
        if !path.exists() {
            return Ok(None);
        }
        let json = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
        let found = |e| {
            Problem::in_file(path)
                .found(e)
                .wanted("an evaluation as this version saves it")
                .help("score the run again on its labelled rows")
        };
        Ok(Some(serde_json::from_str(&json).map_err(found)?))
    }
}
