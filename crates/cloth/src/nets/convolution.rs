//! A convolution with ReLU and pooling.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::kernel;

/// An unpadded 5×5 convolution, ReLU, and the largest of each 2×2: LeNet has two of them.
#[derive(Module, Debug)]
pub struct Convolution {
    /// `[filters, channels, 5, 5]`
    pub weight: Param<Tensor<4>>,
    /// `[filters]`
    pub bias: Param<Tensor<1>>,
}

impl Convolution {
    /// A convolution with Glorot-uniform weights and zero bias.
    pub fn new(channels: usize, filters: usize, rng: &mut ChaCha8Rng, device: &Device) -> Self {
        let bound = (6.0 / (25 * (channels + filters)) as f32).sqrt();
        let values: Vec<f32> =
            (0..25 * channels * filters).map(|_| rng.random_range(-bound..bound)).collect();
        Self {
            weight: Param::from_data(TensorData::new(values, [filters, channels, 5, 5]), device),
            bias: Param::from_data(TensorData::new(vec![0f32; filters], [filters]), device),
        }
    }

    /// maxpool2(relu(conv(x) + b)).
    ///
    /// # Shapes
    /// - `x`: `[b, channels, height, width]`
    /// - returns `[b, filters, (height − 4) / 2, (width − 4) / 2]`
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        kernel::conv_block(x, self.weight.val(), self.bias.val())
    }
}
