//! The linear heads on z, and the networks that a trained model consists of.

use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Dropout, Generator};

/// A dense layer with Glorot-uniform weights and zero bias: the head of C, T or D, and each layer of an MLP.
pub fn head(inputs: usize, outputs: usize, rng: &mut ChaCha8Rng, device: &Device) -> Linear {
    let bound = (6.0 / (inputs + outputs) as f32).sqrt();
    let values: Vec<f32> = (0..inputs * outputs).map(|_| rng.random_range(-bound..bound)).collect();
    let mut layer = LinearConfig::new(inputs, outputs).init(device);
    layer.weight = Param::from_data(TensorData::new(values, [inputs, outputs]), device);
    layer.bias = Some(Param::from_data(TensorData::new(vec![0f32; outputs], [outputs]), device));
    layer
}

/// What is left when training is over: G, the classifier C and, where a method has one, the transport network T.
#[derive(Module, Debug)]
pub struct Networks {
    /// G
    pub g: Generator,
    /// C
    pub c: Linear,
    /// T
    pub t: Option<Linear>,
}

impl Networks {
    /// Class logits of C and, if there is one, of T.
    ///
    /// # Shapes
    /// - `x`: `[b, input]`
    /// - returns `[b, M]` each
    pub fn logits(&self, x: Tensor<2>) -> (Tensor<2>, Option<Tensor<2>>) {
        let z = self.g.forward(x, &mut Dropout::off());
        let t = self.t.as_ref().map(|t| t.forward(z.clone()));
        (self.c.forward(z), t)
    }
}
