//! Adam and SGD with Polyak averaging, in one pass over each weight.

use std::collections::BTreeSet;

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Gradients, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::error::{Problem, Result};
use crate::kernel::{self, AdamStep, SgdStep};
use crate::nets::{Weights, buffers, export, import};

/// `train.optimiser`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimiser {
    /// Adam (Kingma and Ba, 2015).
    #[default]
    Adam,
    /// Stochastic gradient descent with Nesterov's momentum.
    Sgd,
}

/// Learning rate and decays of one update.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// The optimiser.
    pub optimiser: Optimiser,
    /// Share of each weight that is added to its gradient.
    pub weight_decay: f64,
    /// The learning rate at this iteration.
    pub learning_rate: f64,
    /// Adam's decay of the first moment, or the momentum of SGD.
    pub beta1: f64,
    /// Adam's decay of the second moment.
    pub beta2: f64,
    /// Decay of the Polyak average; early updates use a smaller one.
    pub average: f64,
}

impl Rate {
    /// Adam with its usual decays, without weight decay and averaging.
    pub fn adam(learning_rate: f64) -> Self {
        let optimiser = Optimiser::Adam;
        Self { optimiser, learning_rate, weight_decay: 0.0, beta1: 0.9, beta2: 0.999, average: 0.0 }
    }
}

/// A module in training, with Adam's moments and the Polyak average of each weight. The module's
/// [`Buffer`](crate::nets::Buffer)s are saved with the weights, but only the module changes them.
pub struct Learner<M: Module> {
    // `None` only during an update, so that weights have one owner and change in place.
    module: Option<M>,
    /// One entry for each tensor of the module, in the order of a visit; `None` for a buffer.
    moments: Vec<Option<AdamMoments>>,
    /// Paths of the buffers.
    buffers: BTreeSet<String>,
    time: i32,
}

struct AdamMoments {
    first: Vec<f32>,
    second: Vec<f32>,
    average: Vec<f32>,
}

const OWNED: &str = "the module is away only inside `step`";
/// Adam's ε, against division by zero.
const EPSILON: f64 = 1e-8;
/// Separator between the names of a learner and a weight in a saved state.
const WEIGHT: &str = ".weight.";
/// Separator between the names of a learner and a buffer.
const BUFFER: &str = ".buffer.";

/// Number of trained parameters in a saved state.
pub(crate) fn trained(state: &Weights) -> usize {
    let weights = state.iter().filter(|(name, _)| name.contains(WEIGHT));
    weights.map(|(_, (_, values))| values.len()).sum()
}

impl<M: Module> Learner<M> {
    /// Starts with zero moments; the average is the module itself.
    pub fn new(module: M) -> Self {
        let buffers = buffers(&module);
        let mut start = Start { moments: Vec::new() };
        let module = module.map(&mut start);
        Self { module: Some(module), moments: start.moments, buffers, time: 0 }
    }

    /// The module with its current weights.
    pub fn module(&self) -> &M {
        self.module.as_ref().expect(OWNED)
    }

    /// Makes one update by the gradient of `loss`.
    pub fn step(&mut self, loss: Tensor<1>, rate: &Rate) {
        let mut gradients = loss.backward();
        drop(loss);
        self.time += 1;
        let (t, time) = (self.time, f64::from(self.time));
        // The decay of the average grows with the updates: 0.18 at the first, up to `rate.average`.
        let average = rate.average.min((1.0 + time) / (10.0 + time));
        let corrected = (1.0 - rate.beta2.powi(t)).sqrt();
        let step = AdamStep {
            beta1: rate.beta1 as f32,
            beta2: rate.beta2 as f32,
            size: (rate.learning_rate * corrected / (1.0 - rate.beta1.powi(t))) as f32,
            epsilon: (EPSILON * corrected) as f32,
            average: average as f32,
        };
        let module = self.module.take().expect(OWNED);
        let sgd = (rate.optimiser == Optimiser::Sgd).then_some(SgdStep {
            momentum: rate.beta1 as f32,
            size: rate.learning_rate as f32,
            average: average as f32,
        });
        let weight_decay = rate.weight_decay as f32;
        let moments = self.moments.iter_mut();
        let mut update = Update { gradients: &mut gradients, moments, step, sgd, weight_decay };
        self.module = Some(module.map(&mut update));
    }

    /// The module with averaged weights and its latest buffers, without gradients, for evaluation and saving.
    pub fn average(&self) -> M {
        let module = self.module().valid();
        module.map(&mut Averaged { moments: self.moments.iter() })
    }

    /// Adds the state for a checkpoint: everything needed to resume with the same results.
    pub fn save(&self, name: &str, state: &mut Weights) {
        for (path, tensor) in export(self.module()) {
            let kind = if self.buffers.contains(&path) { BUFFER } else { WEIGHT };
            state.insert(format!("{name}{kind}{path}"), tensor);
        }
        for (i, m) in self.moments.iter().flatten().enumerate() {
            for (kind, values) in [("first", &m.first), ("second", &m.second), ("average", &m.average)] {
                state.insert(format!("{name}.{kind}.{i}"), (vec![values.len()], values.clone()));
            }
        }
        state.insert(format!("{name}.time"), (vec![1], vec![self.time as f32]));
    }

    /// Restores the state of [`save`](Self::save).
    pub fn load(&mut self, name: &str, state: &Weights) -> Result<()> {
        let prefixes = [WEIGHT, BUFFER].map(|kind| format!("{name}{kind}"));
        let path = |key: &str| prefixes.iter().find_map(|prefix| key.strip_prefix(prefix)).map(str::to_owned);
        let tensors = state.iter().filter_map(|(key, tensor)| Some((path(key)?, tensor.clone()))).collect();
        self.module = Some(import(self.module.take().expect(OWNED), &tensors)?);
        let get = |key: String, length: usize| match state.get(&key) {
            Some((_, values)) if values.len() == length => Ok(values.clone()),
            _ => {
                Err(Problem::at(key).found("missing or of another size").wanted(format!("{length} numbers")))
            }
        };
        for (i, m) in self.moments.iter_mut().flatten().enumerate() {
            m.first = get(format!("{name}.first.{i}"), m.first.len())?;
            m.second = get(format!("{name}.second.{i}"), m.second.len())?;
            m.average = get(format!("{name}.average.{i}"), m.average.len())?;
        }
        self.time = get(format!("{name}.time"), 1)?[0] as i32;
        Ok(())
    }
}

struct Start {
    moments: Vec<Option<AdamMoments>>,
}

impl ModuleMapper for Start {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let tensor = param.val();
        self.moments.push(tensor.is_require_grad().then(|| {
            let average: Vec<f32> = tensor.into_data().try_into_vec().expect("weights are f32");
            let zeros = vec![0f32; average.len()];
            AdamMoments { first: zeros.clone(), second: zeros, average }
        }));
        param
    }
}

struct Update<'a> {
    gradients: &'a mut Gradients,
    moments: std::slice::IterMut<'a, Option<AdamMoments>>,
    step: AdamStep,
    sgd: Option<SgdStep>,
    weight_decay: f32,
}

impl ModuleMapper for Update<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(moments) = self.moments.next().expect("weights and moments are visited in one order") else {
            return param;
        };
        let (id, tensor, mapper) = param.consume();
        let gradient = tensor.grad_remove(self.gradients);
        let (device, shape) = (tensor.device(), tensor.dims());
        let mut weight: Vec<f32> = tensor.inner().into_data().try_into_vec().expect("weights are f32");
        match gradient {
            Some(gradient) => {
                let mut gradient: Vec<f32> = gradient.into_data().try_into_vec().expect("gradients are f32");
                let AdamMoments { first, second, average } = moments;
                if self.weight_decay > 0.0 {
                    gradient.iter_mut().zip(&weight).for_each(|(g, w)| *g += self.weight_decay * w);
                }
                match self.sgd {
                    Some(step) => kernel::sgd(step, &mut weight, &gradient, first, average),
                    None => kernel::adam(self.step, &mut weight, &gradient, first, second, average),
                }
                crate::buffers::give(gradient);
            }
            // A weight without a gradient does not change, but its average is still updated.
            None => kernel::average(self.step, &weight, &mut moments.average),
        }
        let value = Tensor::from_data(TensorData::new(weight, shape), &device).require_grad();
        Param::from_mapped_value(id, value, mapper)
    }
}

struct Averaged<'a> {
    moments: std::slice::Iter<'a, Option<AdamMoments>>,
}

impl ModuleMapper for Averaged<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        match self.moments.next().expect("weights and moments are visited in one order") {
            None => param,
            Some(AdamMoments { average, .. }) => param
                .map(|old| Tensor::from_data(TensorData::new(average.clone(), old.dims()), &old.device())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::Dense;
    use crate::rng::{Purpose, stream};

    fn rate() -> Rate {
        Rate { average: 0.9, ..Rate::adam(0.1) }
    }

    fn learner() -> Learner<Dense> {
        Learner::new(Dense::new(2, 1, &mut stream(0, Purpose::WEIGHTS, 0), &crate::device::training()))
    }

    fn loss(linear: &Dense) -> Tensor<1> {
        let x =
            Tensor::<2>::from_data(TensorData::from([[1f32, 2.0], [3.0, -1.0]]), &crate::device::training());
        (linear.forward(x) - 1.0).square().mean()
    }

    fn weight(linear: &Dense) -> Vec<f32> {
        export(linear)["weight"].1.clone()
    }

    #[test]
    fn the_first_step_is_the_learning_rate_against_each_sign() {
        // Adam's bias correction makes the first step exactly lr · sign(g), and the average 2/11 old, 9/11 new.
        let mut learner = learner();
        let before = weight(learner.module());
        learner.step(loss(learner.module()), &rate());
        let after = weight(learner.module());
        for (b, a) in before.iter().zip(&after) {
            assert!(((b - a).abs() - 0.1).abs() < 1e-4, "{b} {a}");
        }
        let average = weight(&learner.average());
        for i in 0..2 {
            assert!((average[i] - (before[i] * 2.0 + after[i] * 9.0) / 11.0).abs() < 1e-6);
        }
    }

    #[test]
    fn steps_bring_the_loss_down_to_its_minimum() {
        let mut learner = learner();
        for _ in 0..400 {
            learner.step(loss(learner.module()), &rate());
        }
        assert!(loss(learner.module()).into_scalar::<f32>() < 1e-4);
        assert!(loss(&learner.average()).into_scalar::<f32>() < 1e-3);
    }

    #[test]
    fn weight_decay_alone_shrinks_each_weight_by_its_share() {
        let mut learner = learner();
        let before = weight(learner.module());
        let rate = Rate { optimiser: Optimiser::Sgd, weight_decay: 0.5, beta1: 0.0, ..rate() };
        learner.step(loss(learner.module()).mul_scalar(0.0), &rate);
        for (before, after) in before.iter().zip(weight(learner.module())) {
            assert!((after - 0.95 * before).abs() < 1e-6, "{before} {after}");
        }
    }

    #[test]
    fn saved_and_loaded_goes_on_the_same() {
        let mut a = learner();
        for _ in 0..3 {
            a.step(loss(a.module()), &rate());
        }
        let mut state = Weights::new();
        a.save("c", &mut state);
        assert_eq!(
            trained(&state),
            2 + 1,
            "two weights and a bias; Adam's moments and the average do not count"
        );
        let mut b = learner();
        b.load("c", &state).unwrap();
        for learner in [&mut a, &mut b] {
            learner.step(loss(learner.module()), &rate());
        }
        assert_eq!(export(a.module()), export(b.module()));
        assert_eq!(export(&a.average()), export(&b.average()));
    }

    /// A layer that counts its uses.
    #[derive(Module, Debug)]
    struct Counting {
        dense: Dense,
        uses: crate::nets::Buffer<1>,
    }

    impl Counting {
        fn loss(&self) -> Tensor<1> {
            self.uses.set(self.uses.get() + 1.0);
            loss(&self.dense)
        }
    }

    fn counting() -> Learner<Counting> {
        let device = crate::device::training();
        let dense = Dense::new(2, 1, &mut stream(0, Purpose::WEIGHTS, 0), &device);
        let uses = crate::nets::Buffer::new(Tensor::zeros([1], &device));
        Learner::new(Counting { dense, uses })
    }

    #[test]
    fn a_buffer_is_kept_saved_and_resumed_but_neither_trained_nor_averaged() {
        let mut a = counting();
        for _ in 0..3 {
            a.step(a.module().loss(), &rate());
        }
        let uses = |module: &Counting| export(module)["uses"].1.clone();
        assert_eq!(uses(a.module()), [3.0]);
        assert_eq!(uses(&a.average()), [3.0]);
        let mut state = Weights::new();
        a.save("c", &mut state);
        assert_eq!((trained(&state), state["c.buffer.uses"].1.as_slice()), (2 + 1, [3.0].as_slice()));
        let mut b = counting();
        b.load("c", &state).unwrap();
        for learner in [&mut a, &mut b] {
            learner.step(learner.module().loss(), &rate());
        }
        assert_eq!(export(a.module()), export(b.module()));
        assert_eq!(uses(&b.average()), [4.0]);
    }
}
