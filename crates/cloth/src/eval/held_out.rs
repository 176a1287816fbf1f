//! A model held against a file of labelled rows.

use std::path::PathBuf;

use super::{Evaluation, Evaluator, Score};
use crate::data::{HeldOut, Shape};
use crate::error::Result;
use crate::model::{Head, Model};

/// Scores a model on labelled rows, which are from `labelled`, and keeps its worst mistakes; rows of the shape `picture`
/// as pictures. `seen` hears how many rows were scored, chunk by chunk.
pub fn evaluate(
    model: &Model,
    head: Head,
    picture: Shape,
    mut rows: HeldOut,
    labelled: impl Into<PathBuf>,
    mut seen: impl FnMut(usize),
) -> Result<Evaluation> {
    let mut evaluator = Evaluator::new(model, head, picture);
    while let Some(chunk) = rows.next() {
        let (features, labels) = chunk?;
        evaluator.add(features, &labels, rows.names())?;
        seen(labels.len());
    }
    Ok(evaluator.finish(labelled))
}

/// The score alone, without pictures.
pub fn score(model: &Model, rows: HeldOut, head: Head) -> Result<Score> {
    Ok(evaluate(model, head, Shape::Flat(0), rows, "", |_| {})?.score)
}
