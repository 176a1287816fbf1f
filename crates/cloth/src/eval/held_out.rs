//! Scores a model on a file of labelled rows.

use std::path::PathBuf;

use super::{Evaluation, Evaluator, Score};
use crate::data::{HeldOut, Shape};
use crate::error::Result;
use crate::model::{Head, Model};

/// Scores a model on labelled rows and keeps its most confident mistakes, with thumbnails if `picture` is an image
/// shape. `labelled` is the file that the rows came from. `seen` is called after each chunk with its number of rows.
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

/// Scores a model on labelled rows. Returns the score without the mistakes.
pub fn score(model: &Model, rows: HeldOut, head: Head) -> Result<Score> {
    Ok(evaluate(model, head, Shape::Flat(0), rows, "", |_| {})?.score)
}
