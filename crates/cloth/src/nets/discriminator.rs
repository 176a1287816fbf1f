//! The domain discriminator D, and the reversal of its gradient.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use rand_chacha::ChaCha8Rng;

use super::{Dense, Init};

/// D: linear in the CLOTH paper, with hidden layers by default and in the other methods.
#[derive(Module, Debug)]
pub struct DomainDiscriminator {
    layers: Vec<Dense>,
    #[module(skip)]
    slope: f32,
}

impl DomainDiscriminator {
    /// A discriminator with Glorot-uniform weights. `widths` are those of the input, the hidden layers and the output. Hidden
    /// layers multiply negative values by `slope`.
    pub fn new(widths: &[usize], slope: f32, rng: &mut ChaCha8Rng, device: &Device) -> Self {
        Self::with_init(Init::Glorot, widths, slope, rng, device)
    }

    /// The same, with initial weights of this range.
    pub fn with_init(
        init: Init,
        widths: &[usize],
        slope: f32,
        rng: &mut ChaCha8Rng,
        device: &Device,
    ) -> Self {
        let mut layer = |w: &[usize]| Dense::with_init(init, w[0], w[1], rng, device);
        Self { layers: widths.windows(2).map(&mut layer).collect(), slope }
    }

    /// D's logits.
    ///
    /// # Shapes
    /// - `z`: `[b, inputs]`
    /// - returns `[b, outputs]`
    pub fn forward(&self, z: Tensor<2>) -> Tensor<2> {
        let last = self.layers.len() - 1;
        let hidden = self.layers[..last].iter().fold(z, |h, layer| layer.leaky(h, self.slope));
        self.layers[last].forward(hidden)
    }
}

/// The same values with the gradient times `−strength` (Ganin et al., 2016): layers after this point minimise the loss,
/// layers before it maximise it.
pub fn reverse_gradient(x: Tensor<2>, strength: f64) -> Tensor<2> {
    let strength = strength as f32;
    x.clone().detach().mul_scalar(1.0 + strength) - x.mul_scalar(strength)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::export;
    use crate::rng::{Purpose, stream};
    use crate::testing::{noise, tensor};

    #[test]
    fn layers_have_the_widths_asked_for() {
        let rng = &mut stream(0, Purpose::WEIGHTS, 0);
        let device = crate::device::training();
        let d = DomainDiscriminator::new(&[3, 5, 4, 2], 0.2, rng, &device);
        let shapes: Vec<Vec<usize>> =
            export(&d).into_values().map(|(shape, _)| shape).filter(|s| s.len() == 2).collect();
        assert_eq!(shapes, [[3, 5], [5, 4], [4, 2]]);
        let linear = DomainDiscriminator::new(&[3, 2], 0.2, rng, &device);
        assert_eq!(linear.forward(noise(6, 3, 1)).dims(), [6, 2]);
    }

    #[test]
    fn reversal_keeps_values_and_turns_gradients_round() {
        // d/dx Σ x² = 2x, reversed with strength ½: −x.
        let x = tensor([[1.0, -2.0, 0.5]]).require_grad();
        let reversed = reverse_gradient(x.clone(), 0.5);
        let values: Vec<f32> = reversed.clone().into_data().try_into_vec().unwrap();
        assert!(values.iter().zip([1.0, -2.0, 0.5]).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6));
        let gradient = x.grad(&reversed.square().sum().backward()).unwrap();
        let gradient: Vec<f32> = gradient.into_data().try_into_vec().unwrap();
        assert!(gradient.iter().zip([-1.0, 2.0, -0.5]).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-5));
    }
}
