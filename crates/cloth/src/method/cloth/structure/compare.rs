//! Compares target rows with each other (nearest neighbours) and with the source's class means (cosines).

use burn::tensor::activation::log_softmax;
use burn::tensor::{Tensor, TensorData};

use crate::graph::{Graph, nearest_neighbours};
use crate::linalg::{LabelledRows, unit_rows};
use crate::whiten::Whitening;

/// Divisor of the cosines with class means before the softmax.
const TEMPERATURE: f32 = 0.03;
/// Shrinkage of the whitening; see [`Whitening::fit`].
const SHRINKAGE: f32 = 1.0;

pub(super) struct Comparison {
    /// The nearest neighbours of each target row.
    pub(super) graph: Graph,
    /// Log-probabilities of the target rows, from their cosines with the source class means: `rows × M`.
    pub(super) anchors: Vec<f32>,
}

impl Comparison {
    /// Compares target rows with source rows of the same width, after whitening both.
    pub(super) fn new(source: LabelledRows<'_>, target: &[f32], neighbours: usize) -> Self {
        let whitening = Whitening::fit(source, SHRINKAGE);
        let (white, target) = (whitening.apply(source.values), whitening.apply(target));
        let anchors = anchor_scores(&target, LabelledRows { values: &white, ..source });
        Self { graph: nearest_neighbours(&target, source.width, neighbours), anchors }
    }
}

/// log softmax(cos(x, mean of source class m) / temperature), row by row.
fn anchor_scores(values: &[f32], source: LabelledRows<'_>) -> Vec<f32> {
    let LabelledRows { width, n_classes, .. } = source;
    let unit_source = unit_rows(source.values, width);
    let sums = LabelledRows { values: &unit_source, ..source }.class_sums().sums;
    let means = unit_rows(&sums.iter().map(|&s| s as f32).collect::<Vec<_>>(), width);
    let device = crate::device::cpu();
    let rows = values.len() / width;
    let unit = Tensor::<2>::from_data(TensorData::new(unit_rows(values, width), [rows, width]), &device);
    let means = Tensor::<2>::from_data(TensorData::new(means, [n_classes, width]), &device);
    let scores = log_softmax(unit.matmul(means.transpose()).div_scalar(TEMPERATURE), 1);
    scores.into_data().try_into_vec().expect("scores are f32")
}
