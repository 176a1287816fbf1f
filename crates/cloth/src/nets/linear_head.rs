//! A linear head: the networks C and T.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{BatchNorm, Dense, Init, Mode, Norm};
use crate::kernel;

/// `[heads]`: the networks after G, which are C and, if the method has them, T and D. D is never normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeadsConfig {
    /// Range of the initial weights of C, T and CLOTH's D.
    pub init: Init,
    /// Batch normalisation of the logits: `none`, `domain`, `shared` or `transferable`.
    pub batch_norm: Norm,
    /// Whether the weights of each class are a direction and a length that are learned apart.
    pub weight_norm: bool,
}

/// z·w + b, with normalised weights or normalised logits if it is built so.
#[derive(Module, Debug)]
pub struct LinearHead {
    /// `[p, M]`
    pub weight: Param<Tensor<2>>,
    /// `[M]`
    pub bias: Param<Tensor<1>>,
    /// Length of each class's weights, `[M]`; their direction is that of `weight`. `None` without weight normalisation.
    length: Option<Param<Tensor<1>>>,
    /// Normalisation of the logits.
    norm: Option<BatchNorm>,
    #[module(skip)]
    init: Init,
}

impl LinearHead {
    /// A head with initial weights.
    pub fn new(
        config: HeadsConfig,
        inputs: usize,
        n_classes: usize,
        rng: &mut ChaCha8Rng,
        device: &Device,
    ) -> Self {
        let Dense { weight, bias } = Dense::with_init(config.init, inputs, n_classes, rng, device);
        let length = config.weight_norm.then(|| {
            Param::from_tensor(lengths(weight.val()).reshape([n_classes]).detach()).set_require_grad(true)
        });
        let norm = BatchNorm::new(config.batch_norm, n_classes, device);
        Self { weight, bias, length, norm, init: config.init }
    }

    /// How the head is built.
    pub fn config(&self) -> HeadsConfig {
        let batch_norm = self.norm.as_ref().map_or(Norm::None, BatchNorm::kind);
        HeadsConfig { init: self.init, batch_norm, weight_norm: self.length.is_some() }
    }

    /// The number of classes, M.
    pub fn n_classes(&self) -> usize {
        self.bias.val().dims()[0]
    }

    /// Logits.
    ///
    /// # Shapes
    /// - `z`: `[b, p]`
    /// - returns `[b, M]`
    pub fn forward(&self, z: Tensor<2>, mode: &Mode) -> Tensor<2> {
        let weight = match &self.length {
            None => self.weight.val(),
            Some(length) => {
                let direction = self.weight.val() / lengths(self.weight.val());
                direction * length.val().unsqueeze()
            }
        };
        let logits = kernel::dense(z, weight, self.bias.val(), 1.0);
        match &self.norm {
            None => logits,
            Some(norm) => norm.forward(logits, mode),
        }
    }
}

/// The length of each column, `[1, M]`.
fn lengths(weight: Tensor<2>) -> Tensor<2> {
    weight.square().sum_dim(0).add_scalar(1e-12).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::{Domain, export};
    use crate::rng::{Purpose, stream};
    use crate::testing::{device, noise};

    fn head(config: HeadsConfig) -> LinearHead {
        LinearHead::new(config, 4, 3, &mut stream(0, Purpose::WEIGHTS, 0), &device())
    }

    fn evaluate(head: &LinearHead) -> Vec<f32> {
        let logits = head.forward(noise(5, 4, 1), &Mode::evaluation(Domain::Target));
        logits.into_data().try_into_vec().unwrap()
    }

    #[test]
    fn normalised_weights_start_as_the_plain_ones_and_are_a_direction_and_a_length() {
        let plain = head(HeadsConfig::default());
        let mut normed = head(HeadsConfig { weight_norm: true, ..HeadsConfig::default() });
        let before = evaluate(&normed);
        assert!(before.iter().zip(evaluate(&plain)).all(|(a, b)| (a - b).abs() < 1e-5));
        // Ten times the weights: the same direction, so the same logits.
        normed.weight = normed.weight.map(|w| w * 10.0);
        assert!(before.iter().zip(evaluate(&normed)).all(|(a, b)| (a - b).abs() < 1e-5));
        assert!(export(&normed).contains_key("length"));
    }

    #[test]
    fn a_plain_head_has_the_names_and_weights_of_a_dense_layer() {
        let dense = Dense::new(4, 3, &mut stream(0, Purpose::WEIGHTS, 0), &device());
        assert_eq!(export(&head(HeadsConfig::default())), export(&dense));
    }

    #[test]
    fn normalised_logits_are_balanced_over_the_classes_in_each_domain() {
        let head = head(HeadsConfig { batch_norm: Norm::Domain, ..HeadsConfig::default() });
        let z = Tensor::cat(vec![noise(64, 4, 1), noise(64, 4, 2) * 3.0 + 9.0], 0);
        let logits = head.forward(z, &Mode::training(0, Purpose::DROPOUT_OF_G, 1, 64));
        for half in [logits.clone().narrow(0, 0, 64), logits.narrow(0, 64, 64)] {
            let mean: f32 = half.mean_dim(0).abs().max().into_scalar();
            assert!(mean < 1e-4, "{mean}");
        }
    }
}
