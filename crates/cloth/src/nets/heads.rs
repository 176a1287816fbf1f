//! The networks that most methods train, and the networks of a trained model.

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use rand_chacha::ChaCha8Rng;

use super::{Dense, Dropout, Generator, GeneratorSpec};

/// G and C, the networks that most methods train.
#[derive(Module, Debug)]
pub struct Classifier {
    /// G
    pub g: Generator,
    /// C
    pub c: Dense,
}

impl Classifier {
    /// Draws initial weights of G, then of C.
    pub fn new(spec: &GeneratorSpec, n_classes: usize, rng: &mut ChaCha8Rng, device: &Device) -> Self {
        let g = Generator::new(spec, rng, device);
        let c = Dense::new(spec.width(), n_classes, rng, device);
        Self { g, c }
    }
}

impl From<Classifier> for Networks {
    fn from(Classifier { g, c }: Classifier) -> Self {
        Self { g, c, t: None }
    }
}

/// The networks of a trained model: G, the classifier C and, if the method has one, the transport network T.
#[derive(Module, Debug)]
pub struct Networks {
    /// G
    pub g: Generator,
    /// C
    pub c: Dense,
    /// T; `None` if the method has none.
    pub t: Option<Dense>,
}

impl Networks {
    /// The device of the weights.
    pub fn device(&self) -> Device {
        self.c.weight.val().device()
    }

    /// Rows of data as an input tensor of the networks.
    pub(crate) fn tensor(&self, rows: &[f32]) -> Tensor<2> {
        let width = self.g.spec().input.len();
        let data = TensorData::new(rows.to_vec(), [rows.len() / width, width]);
        Tensor::from_data(data, &self.device())
    }

    /// z = G(x), the logits of C and, if there is one, of T, from one pass of G.
    ///
    /// # Shapes
    /// - `x`: `[b, input]`
    /// - returns `[b, p]`, `[b, M]` and `[b, M]`
    pub fn forward(&self, x: Tensor<2>) -> (Tensor<2>, Tensor<2>, Option<Tensor<2>>) {
        let z = self.g.forward(x, &mut Dropout::off());
        let t = self.t.as_ref().map(|t| t.forward(z.clone()));
        (z.clone(), self.c.forward(z), t)
    }
}
