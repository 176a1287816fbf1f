//! The structure loss: neighbouring target rows should be predicted alike.
//!
//! A minibatch shows T only a few target rows at a time. Every `structure_every` iterations a *structure plan* is made
//! for all target rows at once, or for `structure_rows` of them if there are more (`rows.rs` selects them). The plan
//! combines scores from the source's class means (which do not drift) with scores from the averaged networks (which
//! learn). Sinkhorn balances them over the classes, and they are then propagated along the graph of nearest target
//! rows. C is trained towards the latest plan until the next one, while T is still trained by transport in each batch:
//!
//! ```text
//! l_str = − mean_t Σ_m τ̂_m log C_m
//! ```
//!
//! The class proportions that Sinkhorn balances towards are even unless a first, hardly balanced plan gives evidence of
//! others (`proportions.rs`); C's and T's normalisation and l_ent then use them, too.
//!
//! Rows are compared after whitening by the spread within source classes, so that variation inside a class does not
//! decide which rows are neighbours. Features are compared in input space. Pixels say little about what an image shows,
//! so images are compared in the latent space of the averaged G, again for each plan. The paper has no structure loss:
//! like l_t it transports rows to classes, but it uses the whole target. No target label is used.

mod compare;
mod proportions;
mod rows;

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};

use self::compare::Comparison;
use self::rows::{PlannedRows, source_rows};
use super::params::Params;
use crate::data::{Features, Shape};
use crate::graph::propagate;
use crate::linalg::LabelledRows;
use crate::method::Step;
use crate::nets::{Domain, Mode, Networks, Weights};
use crate::ot::{RelaxedOptions, TransportProblem, sinkhorn_relaxed};

/// Share of a row's plan that comes from its neighbours, from 0 to 1.
const FLOW: f32 = 0.95;
/// Iterations of the propagation along the graph.
const FLOW_STEPS: usize = 20;
/// How strongly the plan that estimates the class proportions is pulled towards even ones.
const FREE_PULL: f64 = 0.3;
/// Sinkhorn iterations.
const BALANCE_STEPS: usize = 20;
/// A row has at most one neighbour for each `SHARE_OF_CLASS` rows of an average class: with more, labels would flow
/// from class to class.
const SHARE_OF_CLASS: usize = 4;
/// A row has at least this many neighbours: with fewer, labels would not flow.
const FEWEST_NEIGHBOURS: usize = 3;
/// Rows in one forward pass.
const BLOCK: usize = 1024;

/// The latest structure plan, and the values that all plans share.
pub(super) struct Structure {
    /// Computed at the first plan; never changes afterwards.
    fixed: Option<Fixed>,
    /// Target rows of the plan; `None` before the first plan, and after loading until [`recall`](Self::recall).
    rows: Option<PlannedRows>,
    /// Class masses of these rows, `rows × M`.
    plan: Vec<f32>,
    /// Class proportions of the target, as estimated for the plan.
    proportions: Option<Vec<f32>>,
}

struct Fixed {
    /// Indices of the source rows that are compared.
    train: Vec<u32>,
    /// Classes of these rows.
    labels: Vec<u32>,
    /// The comparison in input space; `None` for images.
    given: Option<Comparison>,
}

/// The iteration that made the plan in use at this iteration; `None` before the first plan.
pub(super) fn made_at(params: &Params, step: &Step<'_>) -> Option<usize> {
    let since = step.iteration.checked_sub(params.first_plan(step.train.iterations))?;
    Some(step.iteration - since % params.structure_every)
}

impl Structure {
    pub(super) fn new() -> Self {
        Self { fixed: None, rows: None, plan: Vec::new(), proportions: None }
    }

    /// Makes the plan of this iteration. `networks` are the averaged ones; `pi` are the class proportions π.
    pub(super) fn refresh(&mut self, params: &Params, step: &Step<'_>, networks: &Networks, pi: &[f64]) {
        let target = PlannedRows::of_plan(params, step, step.iteration);
        let fixed = self.fixed.get_or_insert_with(|| Fixed::new(params, step, &target));
        let n_classes = pi.len();
        let trust = params.structure_anchor as f32;
        let z = values_of_g(networks, step.data.target(), &target.rows, Domain::Target);
        let seen = fixed.given.is_none().then(|| fixed.compare_seen(params, step, networks, &z, n_classes));
        let compared = fixed.given.as_ref().or(seen.as_ref()).expect("one of the two");
        let learned = network_scores(networks, &z);
        let scores = compared.anchors.iter().zip(&learned);
        let costs: Vec<f64> = scores.map(|(s, l)| -f64::from(trust * s + (1.0 - trust) * l)).collect();
        let plan = |pi: &[f64], pull: f64| {
            let options =
                RelaxedOptions { epsilon: 1.0, pull, max_iterations: BALANCE_STEPS, tolerance: 0.0 };
            let balanced = TransportProblem::uniform_rows(&costs, pi)
                .and_then(|problem| sinkhorn_relaxed(&problem, options));
            let balanced = balanced.expect("π and the pull were checked with the configuration").masses;
            let rows = target.rows.len() as f64;
            let masses: Vec<f32> = balanced.iter().map(|&m| (m * rows) as f32).collect();
            propagate(&compared.graph, &masses, n_classes, FLOW, FLOW_STEPS)
        };
        // Proportions that were given are not estimated.
        let found = params.prior.is_empty().then(|| proportions::estimate(&plan(pi, FREE_PULL), n_classes));
        self.plan = plan(found.as_deref().unwrap_or(pi), params.structure_balance);
        self.proportions = found.map(|found| found.into_iter().map(|p| p as f32).collect());
        self.rows = Some(target);
    }

    /// The plan of the given target rows, M masses each, and how many of these rows it has. The other rows are zeros,
    /// so they add no loss. `None` before the first plan.
    pub(super) fn rows(&self, target_rows: &[u32], n_classes: usize) -> Option<(Vec<f32>, usize)> {
        let rows = self.rows.as_ref()?;
        let mut values = vec![0f32; target_rows.len() * n_classes];
        let mut planned = 0;
        for (out, &row) in values.chunks_exact_mut(n_classes).zip(target_rows) {
            if let Some(place) = rows.place(row) {
                out.copy_from_slice(&self.plan[place * n_classes..][..n_classes]);
                planned += 1;
            }
        }
        Some((values, planned))
    }

    /// Class proportions of the target that the latest plan found; `None` before the first plan and if they are given.
    pub(super) fn proportions(&self) -> Option<&[f32]> {
        self.proportions.as_deref()
    }

    pub(super) fn save(&self, state: &mut Weights) {
        state.insert("structure.plan".to_string(), (vec![self.plan.len()], self.plan.clone()));
        if let Some(found) = &self.proportions {
            state.insert("structure.proportions".to_string(), (vec![found.len()], found.clone()));
        }
    }

    /// Restores the plan. Its rows follow from the data and the seed; [`recall`](Self::recall) computes them again.
    pub(super) fn load(&mut self, state: &Weights) {
        if let Some((_, plan)) = state.get("structure.plan") {
            self.plan.clone_from(plan);
        }
        self.proportions = state.get("structure.proportions").map(|(_, found)| found.clone());
    }

    /// Computes the rows of the plan made at `made_at`, if a resumed run needs them before its next plan.
    pub(super) fn recall(&mut self, params: &Params, step: &Step<'_>, made_at: usize) {
        self.rows.get_or_insert_with(|| PlannedRows::of_plan(params, step, made_at));
    }
}

impl Fixed {
    fn new(params: &Params, step: &Step<'_>, target: &PlannedRows) -> Self {
        let source = step.data.source();
        let train = source_rows(params, step);
        let labels: Vec<u32> = train.iter().map(|&i| source.labels()[i as usize]).collect();
        let given = match step.data.target().shape() {
            Shape::Image { .. } => None,
            Shape::Flat(width) => {
                let n_classes = source.classes().len();
                let k = neighbours(params, target.rows.len(), n_classes);
                let (x_s, x_t) = (source.features().gather(&train), step.data.target().gather(&target.rows));
                let rows = LabelledRows { values: &x_s, width, labels: &labels, n_classes };
                Some(Comparison::new(rows, &x_t, k))
            }
        };
        Self { train, labels, given }
    }

    /// Compares rows in latent space; `target` holds the target's latents.
    fn compare_seen(
        &self,
        params: &Params,
        step: &Step<'_>,
        networks: &Networks,
        target: &[f32],
        n_classes: usize,
    ) -> Comparison {
        let source = values_of_g(networks, step.data.source().features(), &self.train, Domain::Source);
        let width = networks.g.spec().width();
        let k = neighbours(params, target.len() / width, n_classes);
        Comparison::new(LabelledRows { values: &source, width, labels: &self.labels, n_classes }, target, k)
    }
}

/// Number of neighbours of each row in the graph.
fn neighbours(params: &Params, rows: usize, n_classes: usize) -> usize {
    let most = params.structure_neighbours.max(FEWEST_NEIGHBOURS);
    (rows / (SHARE_OF_CLASS * n_classes)).clamp(FEWEST_NEIGHBOURS, most)
}

/// Latents of the given rows by the averaged G.
fn values_of_g(networks: &Networks, features: &Features, rows: &[u32], domain: Domain) -> Vec<f32> {
    let g = |x| networks.g.forward(x, &mut Mode::evaluation(domain));
    let device = networks.device();
    rows.chunks(BLOCK).flat_map(|block| see(features.gather(block), block.len(), &device, g)).collect()
}

/// log T of the averaged networks for latents `z`.
fn network_scores(networks: &Networks, z: &[f32]) -> Vec<f32> {
    let (head, width) = (networks.t.as_ref().unwrap_or(&networks.c), networks.g.spec().width());
    let (log_t, device) =
        (|z| log_softmax(head.forward(z, &Mode::evaluation(Domain::Target)), 1), networks.device());
    z.chunks(BLOCK * width)
        .flat_map(|block| see(block.to_vec(), block.len() / width, &device, log_t))
        .collect()
}

/// Output of a network for `rows` rows.
fn see(values: Vec<f32>, rows: usize, device: &Device, network: impl Fn(Tensor<2>) -> Tensor<2>) -> Vec<f32> {
    let width = values.len() / rows;
    let x = Tensor::from_data(TensorData::new(values, [rows, width]), device);
    network(x).into_data().try_into_vec().expect("values are f32")
}

#[cfg(test)]
mod tests {
    use super::super::Trainer;
    use super::*;
    use crate::method::Method;
    use crate::method::shared::check::Small;

    const EVEN: [f64; 3] = [1.0 / 3.0; 3];

    /// The plan of all thirty target rows by untrained networks, and how many rows are in it.
    fn plan(settings: &[&str], seed_of_networks: &str) -> (Vec<f32>, usize) {
        let small = Small::new("cloth", settings);
        let other = Small::new("cloth", &[seed_of_networks]);
        let networks = Trainer::new(&other.setup()).unwrap().networks();
        let mut structure = Structure::new();
        let params: Params = small.setup().params().unwrap();
        structure.refresh(&params, &small.step(1), &networks, &EVEN);
        structure.rows(&(0..30).collect::<Vec<u32>>(), 3).unwrap()
    }

    #[test]
    fn rows_that_lie_with_a_class_are_planned_for_it() {
        let (plan, planned) = plan(&["method.cloth.structure_anchor=1"], "seed=0");
        assert_eq!(planned, 30);
        for (i, row) in plan.chunks_exact(3).enumerate() {
            assert!(row[i % 3] > 0.5 && (row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{i}: {row:?}");
        }
    }

    #[test]
    fn networks_have_a_say_as_far_as_the_class_means_are_not_trusted() {
        let trusted = |trust: &str, seed| plan(&[&format!("method.cloth.structure_anchor={trust}")], seed);
        assert_eq!(trusted("1", "seed=0"), trusted("1", "seed=1"));
        assert_ne!(trusted("0.5", "seed=0"), trusted("0.5", "seed=1"));
    }

    #[test]
    fn rows_that_are_not_drawn_have_no_plan() {
        let (plan, planned) = plan(&["method.cloth.structure_rows=12"], "seed=0");
        assert_eq!(planned, 12);
        let totals: Vec<f32> = plan.chunks_exact(3).map(|row| row.iter().sum()).collect();
        assert_eq!(totals.iter().filter(|&&total| total == 0.0).count(), 18);
        assert!(totals.iter().all(|&total| total == 0.0 || (total - 1.0).abs() < 1e-5), "{totals:?}");
    }

    #[test]
    fn a_saved_plan_is_the_same_once_the_data_are_there_again() {
        let small = Small::new("cloth", &[]);
        let networks = Trainer::new(&small.setup()).unwrap().networks();
        let params: Params = small.setup().params().unwrap();
        let (mut made, mut loaded, mut state) = (Structure::new(), Structure::new(), Weights::new());
        made.refresh(&params, &small.step(1), &networks, &EVEN);
        made.save(&mut state);
        loaded.load(&state);
        assert!(loaded.rows(&[0, 7], 3).is_none(), "the plan's rows are not known yet");
        loaded.recall(&params, &small.step(2), 1);
        assert_eq!(loaded.rows(&[0, 7], 3), made.rows(&[0, 7], 3));
    }
}
