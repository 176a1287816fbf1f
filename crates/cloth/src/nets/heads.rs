//! The networks that most methods train, and the networks of a trained model.

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use rand_chacha::ChaCha8Rng;

use super::{Domain, Generator, GeneratorSpec, HeadsConfig, LinearHead, Mode};

/// G and C, the networks that most methods train.
#[derive(Module, Debug)]
pub struct Classifier {
    /// G
    pub g: Generator,
    /// C
    pub c: LinearHead,
}

impl Classifier {
    /// Draws initial weights of G, then of C.
    pub fn new(
        spec: &GeneratorSpec,
        heads: HeadsConfig,
        n_classes: usize,
        rng: &mut ChaCha8Rng,
        device: &Device,
    ) -> Self {
        let g = Generator::new(spec, rng, device);
        let c = LinearHead::new(heads, spec.width(), n_classes, rng, device);
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
    pub c: LinearHead,
    /// T; `None` if the method has none.
    pub t: Option<LinearHead>,
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

    /// z = G(x), the logits of C and, if there is one, of T, for rows of one domain, from one pass of G in evaluation.
    ///
    /// # Shapes
    /// - `x`: `[b, input]`
    /// - returns `[b, p]`, `[b, M]` and `[b, M]`
    pub fn forward(&self, x: Tensor<2>, domain: Domain) -> (Tensor<2>, Tensor<2>, Option<Tensor<2>>) {
        let mut mode = Mode::evaluation(domain);
        let z = self.g.forward(x, &mut mode);
        let t = self.t.as_ref().map(|t| t.forward(z.clone(), &mode));
        (z.clone(), self.c.forward(z, &mode), t)
    }
}
