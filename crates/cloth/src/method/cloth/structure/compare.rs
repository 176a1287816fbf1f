//! How target rows compare with each other and with the source's classes.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Tensor, TensorData};

use crate::graph::{Graph, nearest_neighbours};
use crate::whiten::Whitening;

/// Cosines with class means are divided by this before their softmax.
const TEMPERATURE: f32 = 0.03;
/// How much of the whitening is taken back; see [`Whitening::fit`].
const SHRINKAGE: f32 = 1.0;

pub(super) struct Comparison {
    /// The nearest neighbours of each target row.
    pub(super) graph: Graph,
    /// Log-probabilities of each target row by the angle to each source class mean.
    pub(super) anchors: Vec<f32>,
}

impl Comparison {
    /// Of rows of `width` values, after whitening.
    pub(super) fn new(
        source: &[f32],
        labels: &[u32],
        target: &[f32],
        width: usize,
        n_classes: usize,
        neighbours: usize,
    ) -> Self {
        let whitening = Whitening::fit(source, width, labels, n_classes, SHRINKAGE);
        let (source, target) = (whitening.apply(source), whitening.apply(target));
        let anchors = anchor_scores(&target, width, &source, labels, n_classes);
        Self { graph: nearest_neighbours(&target, width, neighbours), anchors }
    }
}

/// log softmax(cos(x, mean of source class m) / temperature), row by row.
fn anchor_scores(values: &[f32], width: usize, source: &[f32], labels: &[u32], n_classes: usize) -> Vec<f32> {
    let mut means = vec![0f64; n_classes * width];
    for (x, &y) in source.chunks_exact(width).zip(labels) {
        let length = length(x).max(f32::MIN_POSITIVE);
        let mean = &mut means[y as usize * width..][..width];
        mean.iter_mut().zip(x).for_each(|(m, v)| *m += f64::from(v / length));
    }
    let mut means: Vec<f32> = means.iter().map(|&m| m as f32).collect();
    for mean in means.chunks_exact_mut(width) {
        let length = length(mean).max(f32::MIN_POSITIVE);
        mean.iter_mut().for_each(|m| *m /= length);
    }
    let device = crate::device::compute();
    let rows = values.len() / width;
    let mut unit = values.to_vec();
    unit.chunks_exact_mut(width).for_each(|row| {
        let length = length(row).max(f32::MIN_POSITIVE);
        row.iter_mut().for_each(|v| *v /= length);
    });
    let unit = Tensor::<2>::from_data(TensorData::new(unit, [rows, width]), &device);
    let means = Tensor::<2>::from_data(TensorData::new(means, [n_classes, width]), &device);
    let scores = log_softmax(unit.matmul(means.transpose()).div_scalar(TEMPERATURE), 1);
    scores.into_data().try_into_vec().expect("scores are f32")
}

fn length(x: &[f32]) -> f32 {
    x.iter().map(|v| v * v).sum::<f32>().sqrt()
}
