//! A dense layer.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Init;
use crate::kernel;

/// x·w + b: each layer of an MLP, and the heads C, T and D.
#[derive(Module, Debug)]
pub struct Dense {
    /// `[inputs, outputs]`
    pub weight: Param<Tensor<2>>,
    /// `[outputs]`
    pub bias: Param<Tensor<1>>,
}

impl Dense {
    /// A layer with Glorot-uniform weights and zero bias.
    pub fn new(inputs: usize, outputs: usize, rng: &mut ChaCha8Rng, device: &Device) -> Self {
        Self::with_init(Init::Glorot, inputs, outputs, rng, device)
    }

    /// A layer with uniform weights of this range and zero bias.
    pub fn with_init(
        init: Init,
        inputs: usize,
        outputs: usize,
        rng: &mut ChaCha8Rng,
        device: &Device,
    ) -> Self {
        let bound = match init {
            Init::Glorot => (6.0 / (inputs + outputs) as f32).sqrt(),
            Init::FanIn => (1.0 / inputs as f32).sqrt(),
        };
        let values: Vec<f32> = (0..inputs * outputs).map(|_| rng.random_range(-bound..bound)).collect();
        Self {
            weight: Param::from_data(TensorData::new(values, [inputs, outputs]), device),
            bias: Param::from_data(TensorData::new(vec![0f32; outputs], [outputs]), device),
        }
    }

    /// x·w + b.
    ///
    /// # Shapes
    /// - `x`: `[b, inputs]`
    /// - returns `[b, outputs]`
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.leaky(x, 1.0)
    }

    /// max(0, x·w + b).
    pub fn relu(&self, x: Tensor<2>) -> Tensor<2> {
        self.leaky(x, 0.0)
    }

    /// x·w + b, with negative values multiplied by `slope`.
    pub fn leaky(&self, x: Tensor<2>, slope: f32) -> Tensor<2> {
        kernel::dense(x, self.weight.val(), self.bias.val(), slope)
    }
}
