//! Scores a model on labelled rows, chunk by chunk, and keeps its most confident mistakes.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

#[cfg(feature = "images")]
use super::picture::thumbnail;
use super::{Score, Scorer};
use crate::atomic::write_atomic;
use crate::data::{Features, Shape};
use crate::error::{Error, Problem, Result};
use crate::model::{Head, Model};

/// Maximum number of mistakes kept.
const MISTAKES: usize = 24;

/// Without the Cargo feature `images` there are no thumbnails.
#[cfg(not(feature = "images"))]
fn thumbnail(_: &[f32], _: Shape) -> Option<String> {
    None
}

/// The score of a model on labelled rows. These labels are used for scoring only, never for training or selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// File or directory of the labelled rows.
    pub labelled: PathBuf,
    /// The network whose predictions were scored.
    pub head: Head,
    /// Accuracy, calibration and confusions over all rows.
    pub score: Score,
    /// Wrong predictions with the highest confidence, at most 24, most confident first.
    pub mistakes: Vec<Mistake>,
}

/// A row whose predicted class is wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mistake {
    /// Row number, counted from 0.
    pub row: usize,
    /// Row name, such as a file name; none if rows have no names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Index of the true class.
    pub actual: u32,
    /// Index of the predicted class.
    pub called: u32,
    /// Probability of the predicted class, 0 to 1.
    pub confidence: f32,
    /// Probability of the true class, 0 to 1.
    pub probability: f32,
    /// Thumbnail of the row as base64 PNG; none if the row is not an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

/// Scores labelled rows chunk by chunk, so that a file of any size can be scored.
pub struct Evaluator<'a> {
    model: &'a Model,
    head: Head,
    /// Shape of a row as an image, for thumbnails.
    picture: Shape,
    scorer: Scorer,
    mistakes: Vec<Mistake>,
    rows: usize,
}

impl<'a> Evaluator<'a> {
    /// Starts without any rows. If `picture` is an image shape, mistakes are kept with thumbnails.
    pub fn new(model: &'a Model, head: Head, picture: Shape) -> Self {
        let scorer = Scorer::new(model.about().classes.len());
        Self { model, head, picture, scorer, mistakes: Vec::new(), rows: 0 }
    }

    /// Predicts raw rows and scores them against their true classes. Returns the predicted classes.
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

    /// The evaluation of all rows added so far; `labelled` is the file that they came from.
    pub fn finish(self, labelled: impl Into<PathBuf>) -> Evaluation {
        let score = self.scorer.score(&self.model.about().classes);
        Evaluation { labelled: labelled.into(), head: self.head, score, mistakes: self.mistakes }
    }
}

impl Evaluation {
    /// Writes the evaluation as JSON, atomically.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let json = serde_json::to_string(self).map_err(|_| {
            Problem::in_file(path).found("a path of labelled rows that is not UTF-8").wanted("a UTF-8 path")
        })?;
        write_atomic(path, json.as_bytes())
    }

    /// Reads a file written by [`save`](Self::save); none if there is no such file.
    pub fn load(path: impl AsRef<Path>) -> Result<Option<Self>> {
        let path = path.as_ref();
        if !path.exists() {
            return Ok(None);
        }
        let json = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
        let found = |e| {
            Problem::in_file(path)
                .found(e)
                .wanted("an evaluation saved by this version of cloth")
                .help("score the run again on its labelled rows")
        };
        Ok(Some(serde_json::from_str(&json).map_err(found)?))
    }
}
