//! Converts the weights of a module to named numbers and back, for checkpoints and model files.

use std::collections::{BTreeMap, BTreeSet};

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Tensor, TensorData};

use crate::error::{Problem, Result};

/// Named tensors: shape and row-major values.
pub type Weights = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// The weights of `module`, each under its path in the module: `g.dense.0.weight`.
pub fn export(module: &impl Module) -> Weights {
    let mut visitor = Export::default();
    module.visit(&mut visitor);
    visitor.weights
}

/// Paths of the [`Buffer`](super::Buffer)s of `module`, which are not trained. The module must be in training: without
/// gradients, weights look like buffers.
pub(crate) fn buffers(module: &impl Module) -> BTreeSet<String> {
    let mut visitor = Export::default();
    module.visit(&mut visitor);
    visitor.buffers
}

/// `module` with the weights of the same names.
pub fn import<M: Module>(module: M, weights: &Weights) -> Result<M> {
    let mut mapper = Import { path: Vec::new(), weights, problem: None };
    let module = module.map(&mut mapper);
    match mapper.problem {
        None => Ok(module),
        Some(problem) => Err(problem.into()),
    }
}

#[derive(Default)]
struct Export {
    path: Vec<String>,
    weights: Weights,
    buffers: BTreeSet<String>,
}

impl ModuleVisitor for Export {
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = param.val();
        let shape = tensor.dims().to_vec();
        if !tensor.is_require_grad() {
            self.buffers.insert(self.path.join("."));
        }
        let values = tensor.into_data().try_into_vec().expect("weights are f32");
        self.weights.insert(self.path.join("."), (shape, values));
    }
}

struct Import<'a> {
    path: Vec<String>,
    weights: &'a Weights,
    problem: Option<Problem>,
}

impl ModuleMapper for Import<'_> {
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let name = self.path.join(".");
        let wanted = param.val().dims().to_vec();
        match self.weights.get(&name) {
            Some((shape, values)) if *shape == wanted => param.map(|old| {
                Tensor::from_data(TensorData::new(values.clone(), shape.clone()), &old.device())
                    .set_require_grad(old.is_require_grad())
            }),
            found => {
                self.problem = Some(match found {
                    Some((shape, _)) => {
                        Problem::at(name).found(format!("shape {shape:?}")).wanted(format!("{wanted:?}"))
                    }
                    None => {
                        Problem::at(name).found("no such weight").wanted(format!("one of shape {wanted:?}"))
                    }
                });
                param
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dense;
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn what_is_exported_is_imported() {
        let device = crate::device::cpu();
        let a = Dense::new(3, 2, &mut stream(0, Purpose::WEIGHTS, 0), &device);
        let b = Dense::new(3, 2, &mut stream(1, Purpose::WEIGHTS, 0), &device);
        assert_ne!(export(&a), export(&b));
        assert_eq!(export(&a).keys().collect::<Vec<_>>(), ["bias", "weight"]);
        assert_eq!(export(&import(b, &export(&a)).unwrap()), export(&a));
    }

    #[test]
    fn a_missing_or_misshapen_weight_is_named() {
        let device = crate::device::cpu();
        let a = Dense::new(3, 2, &mut stream(0, Purpose::WEIGHTS, 0), &device);
        let missing = import(a.clone(), &Weights::new()).unwrap_err().to_string();
        assert!(missing.contains("no such weight"), "{missing}");
        let other = export(&Dense::new(4, 2, &mut stream(0, Purpose::WEIGHTS, 0), &device));
        let misshapen = import(a, &other).unwrap_err().to_string();
        assert!(misshapen.starts_with("weight: found shape [4, 2], wanted [3, 2]"), "{misshapen}");
    }
}
