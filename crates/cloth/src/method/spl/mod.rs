//! SPL: selective pseudo-labelling in a subspace, without gradients.
//!
//! Wang and Breckon, *Unsupervised Domain Adaptation via Structured Prediction Based Selective Pseudo-Labeling*, AAAI
//! 2020:
//!
//! ```text
//! project the rows of both domains to their leading principal directions, normalise to length 1; then, for t = 1..T:
//!   project by P, the supervised locality-preserving projection of the source and the target rows selected so far,
//!     subtract the mean and normalise to length 1 again
//!   label the target by the nearest class mean of the source or cluster of the target, whichever is more certain
//!   select the most certain t / (T − 1) of each class
//! ```
//!
//! T = 11, 512 principal directions and 128 directions of P are from the authors' published code for Office-31. For
//! Office-Home that code has 1024 principal directions.
//!
//! In this library's terms, G is two linear layers, the principal directions and P, each followed by normalising rows
//! to length 1. C holds one prototype for each class: the mean of the target rows with that pseudo-label in the last
//! round, or of the source rows of the class if there are none. The prototypes approximate the more-certain-of-two
//! rule, which is not linear. The rounds are spread over the run's iterations. `generator.*` is not used.

mod labels;
mod subspace;

use self::labels::{class_means, label, select};
use self::subspace::{leading_directions, locality_preserving};
use super::shared::l_c_info;
use super::{LossInfo, Losses, Method, Phase, Recipe, Setup, Step};
use crate::config::{Activation, Config, ParameterSet};
use crate::error::Result;
use crate::loss::l_c;
use crate::nets::{
    Classifier, GeneratorKind, GeneratorSpec, HeadsConfig, Networks, Norm, Weights, export, import, unit_rows,
};
use crate::rng::{Purpose, stream};
use burn::tensor::{Device, Int, Tensor, TensorData};

/// Divisor that turns cosines with the prototypes into logits. The paper has none. It changes the predicted
/// probabilities, but no predicted class.
const TEMPERATURE: f32 = 0.1;

/// The recipe of SPL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spl;

impl Recipe for Spl {
    fn name(&self) -> &str {
        "spl"
    }

    fn summary(&self) -> &str {
        "selects pseudo-labels round by round in a subspace, by class means and clusters"
    }

    fn reference(&self) -> &str {
        "SPL, AAAI 2020"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn parameters(&self) -> ParameterSet {
        ParameterSet::of::<Params>()
    }

    fn phases(&self, config: &Config) -> Result<Vec<Phase>> {
        let Params { rounds, .. } = config.method.read()?;
        Ok(vec![Phase::new("rounds", 1..=config.train.iterations).in_rounds(rounds)])
    }

    fn losses(&self) -> Vec<LossInfo> {
        vec![l_c_info()]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(PseudoLabelling::new(setup)?))
    }
}

crate::parameters! {
    /// `[method.spl]`
    pub struct Params {
        /// Number of rounds; each labels the target and selects the most certain labels.
        rounds: usize = 11, at_least(1.0);
        /// Number of principal directions that rows with more features are reduced to.
        principal: usize = 512, width();
        /// Width of the projection P.
        width: usize = 128, width();
    }
}

struct PseudoLabelling {
    params: Params,
    n_classes: usize,
    /// The subspace as G and the prototypes as C.
    nets: Classifier,
    /// Completed rounds.
    round: usize,
    /// Pseudo-labels for the next projection, one entry per target row; `None` if it is not selected.
    selected: Vec<Option<u32>>,
    /// The classification loss on the source after the last round.
    l_c: f32,
    /// Computed at the first round; follows from the data and the seed, so it is not saved.
    rows: Option<SubspaceRows>,
}

/// The rows of both domains, projected to their leading principal directions and normalised to length 1.
struct SubspaceRows {
    /// Source training rows, then all target rows: `[n, k]`.
    x: Tensor<2>,
    /// Classes of the source rows.
    labels: Vec<u32>,
    /// The principal directions: `[input, k]`.
    directions: Tensor<2>,
}

impl PseudoLabelling {
    fn new(setup: &Setup<'_>) -> Result<Self> {
        let params: Params = setup.params()?;
        let principal = params.principal.min(setup.generator.input.len());
        let spec = GeneratorSpec {
            kind: GeneratorKind::Mlp,
            hidden: vec![principal, params.width.min(principal)],
            activation: Activation::Unit,
            last_activation: Activation::Unit,
            batch_norm: Norm::None,
            dropout: 0.0,
            input_dropout: 0.0,
            ..setup.generator.clone()
        };
        let mut rng = stream(setup.config.seed, Purpose::WEIGHTS, 0);
        let n_classes = setup.n_classes;
        let nets = Classifier::new(&spec, HeadsConfig::default(), n_classes, &mut rng, setup.device);
        // The loss of uniform predictions, until the first round.
        let l_c = (n_classes as f32).ln();
        Ok(Self { params, n_classes, nets, round: 0, selected: Vec::new(), l_c, rows: None })
    }

    /// Projects all rows, labels the target and selects the most certain labels.
    fn next_round(&mut self, step: &Step<'_>) -> Result<()> {
        let rows = self.rows.take().unwrap_or_else(|| SubspaceRows::new(step, self.params.principal));
        let n_s = rows.labels.len();
        let [n, _] = rows.x.dims();
        let width = self.nets.g.spec().width();

        let (known, classes) = self.known(&rows.labels, step.device);
        let p = locality_preserving(&rows.x.clone().select(0, known), &classes, self.n_classes, width);
        let projected = rows.x.clone().matmul(p.clone());
        let mean = projected.clone().mean_dim(0);
        let z = unit_rows(projected - mean.clone());
        let (z_s, z_t) = (z.clone().narrow(0, 0, n_s), z.narrow(0, n_s, n - n_s));
        let of_source = class_means(&z_s, &rows.labels, self.n_classes);
        let labels = label(&z_t, &of_source);
        self.round += 1;
        let share = self.round as f64 / (self.params.rounds - 1).max(1) as f64;
        self.selected = select(&labels, self.n_classes, share.min(1.0));

        let of_target = class_means(&z_t, &labels.classes, self.n_classes);
        let absent = of_target.clone().square().sum_dim(1).lower_elem(0.5).expand([self.n_classes, width]);
        let prototypes = of_target.mask_where(absent, of_source).div_scalar(TEMPERATURE);
        self.l_c = l_c(z_s.matmul(prototypes.clone().transpose()), &rows.labels, 0.0).into_scalar();
        self.set_weights([rows.directions.clone(), p, mean.neg(), prototypes.transpose()])?;
        self.rows = Some(rows);
        Ok(())
    }

    /// Indices of the labelled rows (source rows, then selected target rows), and their classes.
    fn known(&self, source_labels: &[u32], device: &Device) -> (Tensor<1, Int>, Vec<u32>) {
        let n_s = source_labels.len();
        let of_target =
            self.selected.iter().enumerate().filter_map(|(i, y)| y.map(|y| ((n_s + i) as i32, y)));
        let of_source = source_labels.iter().enumerate().map(|(i, &y)| (i as i32, y));
        let (rows, classes): (Vec<i32>, Vec<u32>) = of_source.chain(of_target).unzip();
        let count = rows.len();
        (Tensor::from_data(TensorData::new(rows, [count]), device), classes)
    }

    fn set_weights(&mut self, [directions, p, bias, prototypes]: [Tensor<2>; 4]) -> Result<()> {
        let mut weights = export(&self.nets);
        weights.values_mut().for_each(|(_, values)| values.fill(0.0));
        for (name, values) in [
            ("g.dense.0.weight", directions),
            ("g.dense.1.weight", p),
            ("g.dense.1.bias", bias),
            ("c.weight", prototypes),
        ] {
            let weight = weights.get_mut(name).expect("the networks have these layers");
            weight.1 = values.into_data().try_into_vec().expect("weights are f32");
        }
        self.nets = import(self.nets.clone(), &weights)?;
        Ok(())
    }
}

impl SubspaceRows {
    fn new(step: &Step<'_>, principal: usize) -> Self {
        let (source, target) = (step.data.source(), step.data.target());
        let train = &step.data.split().train;
        let width = target.shape().len();
        let mut values = source.features().gather(train);
        values.extend_from_slice(target.values());
        let n = values.len() / width;
        let x = Tensor::<2>::from_data(TensorData::new(values, [n, width]), step.device);
        let labels = train.iter().map(|&i| source.labels()[i as usize]).collect();
        let directions = if width > principal {
            let mut rng = stream(step.seed, Purpose::SUBSPACE, 0);
            let centred = x.clone() - x.clone().mean_dim(0);
            leading_directions(&centred, principal, &mut rng)
        } else {
            Tensor::eye(width, step.device)
        };
        Self { x: unit_rows(x.matmul(directions.clone())), labels, directions }
    }
}

impl Method for PseudoLabelling {
    fn step(&mut self, step: &Step<'_>) -> Result<Losses> {
        // As in the other methods, the loss is that of the networks before the update.
        let losses = [("l_c", self.l_c)].into();
        let due = (step.iteration * self.params.rounds).div_ceil(step.train.iterations);
        while self.round < due {
            self.next_round(step)?;
        }
        Ok(losses)
    }

    fn networks(&self) -> Networks {
        self.nets.clone().into()
    }

    fn save(&self) -> Weights {
        let mut state: Weights =
            export(&self.nets).into_iter().map(|(name, w)| (format!("nets.{name}"), w)).collect();
        let selected = self.selected.iter().map(|y| y.map_or(-1.0, |y| y as f32)).collect();
        state.insert("selected".into(), (vec![self.selected.len()], selected));
        state.insert("progress".into(), (vec![2], vec![self.round as f32, self.l_c]));
        state
    }

    fn load(&mut self, state: &Weights) -> Result<()> {
        let weights = state
            .iter()
            .filter_map(|(key, w)| Some((key.strip_prefix("nets.")?.to_string(), w.clone())))
            .collect();
        self.nets = import(self.nets.clone(), &weights)?;
        if let Some((_, selected)) = state.get("selected") {
            self.selected = selected.iter().map(|&y| (y >= 0.0).then_some(y as u32)).collect();
        }
        if let Some([round, l_c]) = state.get("progress").map(|(_, values)| values.as_slice()) {
            (self.round, self.l_c) = (*round as usize, *l_c);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::argmax;
    use crate::method::shared::check::Small;
    use crate::nets::{Domain, Mode};

    #[test]
    fn one_more_tenth_of_the_target_is_trusted_each_round_and_in_the_end_all() {
        let small = Small::new("spl", &["train.iterations=11"]);
        let mut spl = PseudoLabelling::new(&small.setup()).unwrap();
        let mut trusted = Vec::new();
        for iteration in 1..=11 {
            small.run(&mut spl, iteration..=iteration);
            trusted.push(spl.selected.iter().filter(|y| y.is_some()).count());
        }
        assert_eq!(spl.round, 11);
        assert!(trusted.windows(2).all(|w| w[0] <= w[1]), "{trusted:?}");
        assert!(trusted[0] < 10 && trusted[9] == 30 && trusted[10] == 30, "{trusted:?}");
    }

    #[test]
    fn the_networks_are_the_subspace_and_its_prototypes() {
        let small = Small::new("spl", &["method.spl.principal=3"]);
        let mut spl = PseudoLabelling::new(&small.setup()).unwrap();
        small.run(&mut spl, 1..=10);
        let networks = spl.networks();
        let values = small.step(10).data.target().values().to_vec();
        let x = Tensor::<2>::from_data(TensorData::new(values, [30, 4]), &crate::device::cpu());
        let z: Vec<f32> = networks
            .g
            .forward(x.clone(), &mut Mode::evaluation(Domain::Target))
            .into_data()
            .try_into_vec()
            .unwrap();
        assert!(z.chunks(3).all(|z| (z.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-4));
        // The prototypes predict the labels of the last round, except for a few rows between two classes.
        let logits: Vec<f32> = networks.forward(x, Domain::Target).1.into_data().try_into_vec().unwrap();
        let called = logits.chunks(3).map(argmax);
        let alike = called.zip(&spl.selected).filter(|(m, y)| **y == Some(*m as u32)).count();
        assert!(alike >= 27, "{alike} of 30");
    }
}
