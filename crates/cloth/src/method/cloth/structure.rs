//! The structure loss: target rows that lie together should be called alike.
//!
//! A minibatch shows T only a few target rows at a time. Every `structure_every` iterations a *structure plan* looks
//! at all of them at once: scores from the source's class means (which do not drift) and from the averaged networks
//! (which learn) are balanced over the classes by Sinkhorn, then flow along the graph of nearest target rows. C is
//! trained towards the plan between two looks, while T goes on being transported batch by batch:
//!
//! ```text
//! l_str = − mean_t Σ_m τ̂_m log C_m
//! ```
//!
//! Rows are compared after whitening by the spread within source classes, so that what varies inside a class does not
//! decide who is near. This is ours, not the paper's: it is transport to the classes again, but with the whole target
//! in view. No target label takes part.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Tensor, TensorData};
use rand::seq::index;

use super::params::Params;
use crate::data::Features;
use crate::graph::{Graph, nearest_neighbours, propagate};
use crate::method::Step;
use crate::nets::{Networks, Weights};
use crate::ot::sinkhorn_relaxed;
use crate::rng::{Purpose, stream};
use crate::whiten::Whitening;

/// Cosines with class means are divided by this before their softmax.
const TEMPERATURE: f32 = 0.03;
/// How much of the whitening is taken back; see [`Whitening::fit`].
const SHRINKAGE: f32 = 1.0;
/// How much of a row's plan comes from its neighbours.
const FLOW: f32 = 0.9;
const FLOW_STEPS: usize = 20;
const BALANCE_STEPS: usize = 20;
/// A row has at most this share of an average class as neighbours, or labels would flow from class to class…
const SHARE_OF_CLASS: usize = 4;
/// …but at least so many, or they would not flow.
const FEWEST_NEIGHBOURS: usize = 3;
/// Wide rows are fewer, so that no copy of them passes 128 MB.
const MOST_VALUES: usize = 1 << 25;

/// The latest structure plan, and what stays the same between plans.
pub(super) struct Structure {
    /// Graph and anchor scores, which never change once they are made.
    fixed: Option<Fixed>,
    /// Masses of each graph row, `rows × M`.
    plan: Vec<f32>,
}

struct Fixed {
    /// Place of each target row in the graph, or none if it was not drawn.
    place: Vec<Option<u32>>,
    rows: Vec<u32>,
    graph: Graph,
    /// Log-probabilities by the angle to each source class mean.
    anchors: Vec<f32>,
}

impl Structure {
    pub(super) fn new() -> Self {
        Self { fixed: None, plan: Vec::new() }
    }

    /// Makes a new plan.
    pub(super) fn refresh(&mut self, params: &Params, step: &Step<'_>, networks: &Networks, pi: &[f64]) {
        let fixed = self.fixed.take().unwrap_or_else(|| Fixed::new(params, step));
        let n_classes = pi.len();
        let trust = params.structure_anchor as f32;
        let mut scores = fixed.anchors.clone();
        let learned = network_scores(networks, step.data.target(), &fixed.rows);
        scores.iter_mut().zip(&learned).for_each(|(s, l)| *s = trust * *s + (1.0 - trust) * l);
        let costs: Vec<f64> = scores.iter().map(|&s| -f64::from(s)).collect();
        let balanced = sinkhorn_relaxed(&costs, pi, 1.0, params.structure_balance, BALANCE_STEPS);
        let rows = fixed.rows.len() as f64;
        let masses: Vec<f32> = balanced.iter().map(|&m| (m * rows) as f32).collect();
        self.plan = propagate(&fixed.graph, &masses, n_classes, FLOW, FLOW_STEPS);
        self.fixed = Some(fixed);
    }

    /// The plan of the given target rows, M masses each, once there is one, and how many of them are in it; the others
    /// have zeros, and so no loss.
    pub(super) fn rows(&self, target_rows: &[u32], n_classes: usize) -> Option<(Vec<f32>, usize)> {
        let fixed = self.fixed.as_ref()?;
        let mut values = vec![0f32; target_rows.len() * n_classes];
        let mut planned = 0;
        for (out, &row) in values.chunks_exact_mut(n_classes).zip(target_rows) {
            if let Some(place) = fixed.place[row as usize] {
                out.copy_from_slice(&self.plan[place as usize * n_classes..][..n_classes]);
                planned += 1;
            }
        }
        Some((values, planned))
    }

    pub(super) fn save(&self, state: &mut Weights) {
        state.insert("structure.plan".to_string(), (vec![self.plan.len()], self.plan.clone()));
    }

    /// Takes the plan back. What is fixed follows from the data and the seed, and is made again when needed.
    pub(super) fn load(&mut self, state: &Weights) {
        if let Some((_, plan)) = state.get("structure.plan") {
            self.plan.clone_from(plan);
        }
    }

    /// Makes what is fixed, if a resumed run needs it before its next plan.
    pub(super) fn prepare(&mut self, params: &Params, step: &Step<'_>) {
        if self.fixed.is_none() && !self.plan.is_empty() {
            self.fixed = Some(Fixed::new(params, step));
        }
    }
}

impl Fixed {
    fn new(params: &Params, step: &Step<'_>) -> Self {
        let (source, target) = (step.data.source(), step.data.target());
        let n_classes = source.classes().len();
        let width = target.shape().len();
        let all: Vec<u32> = (0..target.rows() as u32).collect();
        let most = params.structure_rows.min(MOST_VALUES / width).max(1);
        let rows = at_most(most, &all, step.seed, 0);
        let train = at_most(most, &step.data.split().train, step.seed, 1);
        let labels: Vec<u32> = train.iter().map(|&i| source.labels()[i as usize]).collect();

        let source_values = source.features().gather(&train);
        let whitening = Whitening::fit(&source_values, width, &labels, n_classes, SHRINKAGE);
        let source_values = whitening.apply(&source_values);
        let values = whitening.apply(&target.gather(&rows));

        let in_class = rows.len() / (SHARE_OF_CLASS * n_classes);
        let k = in_class.clamp(FEWEST_NEIGHBOURS, params.structure_neighbours.max(FEWEST_NEIGHBOURS));
        let mut place = vec![None; target.rows()];
        for (i, &row) in rows.iter().enumerate() {
            place[row as usize] = Some(i as u32);
        }
        Self {
            place,
            graph: nearest_neighbours(&values, width, k),
            anchors: anchor_scores(&values, width, &source_values, &labels, n_classes),
            rows,
        }
    }
}

/// All of the rows, or so many of them drawn at random: the graph's cost grows with their square.
fn at_most(most: usize, rows: &[u32], seed: u64, side: u64) -> Vec<u32> {
    if rows.len() <= most {
        return rows.to_vec();
    }
    let mut rng = stream(seed, Purpose::Structure, side);
    let mut drawn: Vec<u32> =
        index::sample(&mut rng, rows.len(), most).into_iter().map(|i| rows[i]).collect();
    drawn.sort_unstable();
    drawn
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

/// log T of the averaged networks, for the given rows.
fn network_scores(networks: &Networks, features: &Features, rows: &[u32]) -> Vec<f32> {
    let device = crate::device::compute();
    let mut scores = Vec::new();
    for block in rows.chunks(1024) {
        let values = features.gather(block);
        let x = Tensor::from_data(TensorData::new(values, [block.len(), features.shape().len()]), &device);
        let (c, t) = networks.logits(x);
        scores.extend(
            log_softmax(t.unwrap_or(c), 1).into_data().try_into_vec::<f32>().expect("scores are f32"),
        );
    }
    scores
}

fn length(x: &[f32]) -> f32 {
    x.iter().map(|v| v * v).sum::<f32>().sqrt()
}
