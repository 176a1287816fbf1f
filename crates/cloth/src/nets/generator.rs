//! The generator G, which maps a row of the data to its latent z.

use burn::module::Module;
use burn::tensor::activation::{leaky_relu, relu};
use burn::tensor::{Device, Tensor};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Activation, BatchNorm, Convolution, Dense, GeneratorConfig, Init, Mode, NetworkKind, Norm};
use crate::data::Shape;
use crate::error::{Problem, Result};

/// Which kind of network G is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GeneratorKind {
    /// Dense layers of any widths.
    Mlp,
    /// Two 5×5 convolutions with pooling before the dense layers: HoMM's modified LeNet.
    Lenet,
}

/// Everything needed to build G.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GeneratorSpec {
    /// The kind of network.
    pub kind: GeneratorKind,
    /// The shape of one row of input.
    pub input: Shape,
    /// Filters of the two convolutions; unused by an MLP.
    pub filters: [usize; 2],
    /// Widths of the dense layers; the last is p, the width of z.
    pub hidden: Vec<usize>,
    /// Range of the initial weights of the dense layers.
    #[serde(default)]
    pub init: Init,
    /// Nonlinearity of all dense layers but the last.
    pub activation: Activation,
    /// Nonlinearity of the last dense layer.
    pub last_activation: Activation,
    /// Batch normalisation after each dense layer, before its nonlinearity.
    #[serde(default)]
    pub batch_norm: Norm,
    /// Dropout rate on the input of each dense layer but the first, and of each head.
    pub dropout: f64,
    /// Dropout rate on the rows of data.
    pub input_dropout: f64,
}

impl GeneratorSpec {
    /// Resolves `config` for rows of this shape.
    pub fn resolve(config: &GeneratorConfig, input: Shape) -> Result<Self> {
        let kind = match (config.kind, input) {
            (NetworkKind::Lenet, Shape::Image { .. }) | (NetworkKind::Auto, Shape::Image { .. }) => {
                GeneratorKind::Lenet
            }
            (NetworkKind::Mlp, _) | (NetworkKind::Auto, Shape::Flat(_)) => GeneratorKind::Mlp,
            (NetworkKind::Lenet, Shape::Flat(_)) => {
                return Err(Problem::setting("generator.kind")
                    .found(format!("`lenet` for {input}"))
                    .wanted("images")
                    .help("use `generator.kind=mlp`, or give images as (n, height, width) arrays or a folder")
                    .into());
            }
        };
        let hidden = match (config.hidden.as_slice(), kind) {
            ([], GeneratorKind::Mlp) => vec![256],
            ([], GeneratorKind::Lenet) => vec![1024, 90],
            (given, _) => given.to_vec(),
        };
        let spec = Self {
            kind,
            input,
            filters: config.filters,
            hidden,
            init: config.init,
            activation: config.activation,
            last_activation: config.last_activation,
            batch_norm: config.batch_norm,
            dropout: config.dropout,
            input_dropout: config.input_dropout,
        };
        if spec.dense_input() == 0 {
            return Err(Problem::setting("data.image_size")
                .found(input)
                .wanted("at least 16 pixels a side: two 5×5 convolutions with pooling leave nothing of less")
                .into());
        }
        Ok(spec)
    }

    /// p: the width of z.
    pub fn width(&self) -> usize {
        self.hidden.last().copied().unwrap_or(self.input.len())
    }

    /// Number of values of each row before the first dense layer.
    fn dense_input(&self) -> usize {
        match (self.kind, self.input) {
            (GeneratorKind::Lenet, Shape::Image { height, width, .. }) => {
                self.filters[1] * after_convolutions(height) * after_convolutions(width)
            }
            _ => self.input.len(),
        }
    }
}

/// Length of a side, in pixels, after two unpadded 5×5 convolutions, each followed by 2×2 pooling.
fn after_convolutions(side: usize) -> usize {
    (side.saturating_sub(4) / 2).saturating_sub(4) / 2
}

/// The generator G.
#[derive(Module, Debug)]
pub struct Generator {
    convolutions: Vec<Convolution>,
    dense: Vec<Dense>,
    /// One for each dense layer; empty without normalisation.
    norms: Vec<BatchNorm>,
    #[module(skip)]
    spec: GeneratorSpec,
}

impl Generator {
    /// A generator with initial weights.
    pub fn new(spec: &GeneratorSpec, rng: &mut ChaCha8Rng, device: &Device) -> Self {
        let mut convolutions = Vec::new();
        if let (GeneratorKind::Lenet, Shape::Image { channels, .. }) = (spec.kind, spec.input) {
            convolutions.push(Convolution::new(channels, spec.filters[0], rng, device));
            convolutions.push(Convolution::new(spec.filters[0], spec.filters[1], rng, device));
        }
        let (mut dense, mut norms) = (Vec::new(), Vec::new());
        let mut inputs = spec.dense_input();
        for &outputs in &spec.hidden {
            dense.push(Dense::with_init(spec.init, inputs, outputs, rng, device));
            norms.extend(BatchNorm::new(spec.batch_norm, outputs, device));
            inputs = outputs;
        }
        Self { convolutions, dense, norms, spec: spec.clone() }
    }

    /// The specification of this generator.
    pub fn spec(&self) -> &GeneratorSpec {
        &self.spec
    }

    /// z = G(x).
    ///
    /// # Shapes
    /// - `x`: `[b, input.len()]`
    /// - returns `[b, p]`
    pub fn forward(&self, x: Tensor<2>, mode: &mut Mode) -> Tensor<2> {
        let x = mode.dropout(x, self.spec.input_dropout);
        let mut h = self.convolve(x);
        let last = self.dense.len().saturating_sub(1);
        for (i, layer) in self.dense.iter().enumerate() {
            if i > 0 {
                h = mode.dropout(h, self.spec.dropout);
            }
            let activation = if i == last { self.spec.last_activation } else { self.spec.activation };
            h = match self.norms.get(i) {
                None => layer.leaky(h, activation.slope()),
                Some(norm) => leaky(norm.forward(layer.forward(h), mode), activation.slope()),
            };
            h = match activation {
                Activation::Relu | Activation::LeakyRelu | Activation::Linear => h,
                Activation::Tanh => h.tanh(),
                Activation::Unit => unit_rows(h),
            };
        }
        h
    }

    fn convolve(&self, x: Tensor<2>) -> Tensor<2> {
        let Shape::Image { channels, height, width } = self.spec.input else { return x };
        if self.convolutions.is_empty() {
            return x;
        }
        let [rows, _] = x.dims();
        let mut h = x.reshape([rows, channels, height, width]);
        for layer in &self.convolutions {
            h = layer.forward(h);
        }
        h.flatten(1, 3)
    }
}

/// Multiplies negative values by `slope`.
fn leaky(x: Tensor<2>, slope: f32) -> Tensor<2> {
    match slope {
        1.0 => x,
        0.0 => relu(x),
        _ => leaky_relu(x, f64::from(slope)),
    }
}

/// Normalises rows to length 1. A row of zeros is unchanged, with a finite gradient.
pub(crate) fn unit_rows(x: Tensor<2>) -> Tensor<2> {
    let length = x.clone().square().sum_dim(1).add_scalar(1e-12).sqrt();
    x / length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::Domain;
    use crate::rng::{Purpose, stream};

    fn spec(kind: GeneratorKind, input: Shape, hidden: &[usize]) -> GeneratorSpec {
        GeneratorSpec {
            kind,
            input,
            filters: [4, 6],
            hidden: hidden.to_vec(),
            init: Init::Glorot,
            activation: Activation::Relu,
            last_activation: Activation::Tanh,
            batch_norm: Norm::None,
            dropout: 0.5,
            input_dropout: 0.0,
        }
    }

    fn forward(spec: &GeneratorSpec) -> Tensor<2> {
        let device = crate::device::cpu();
        let g = Generator::new(spec, &mut stream(0, Purpose::WEIGHTS, 0), &device);
        let x = Tensor::ones([3, spec.input.len()], &device);
        g.forward(x, &mut Mode::evaluation(Domain::Target))
    }

    #[test]
    fn mlp_has_the_width_of_its_last_layer_and_tanh_s_range() {
        let z = forward(&spec(GeneratorKind::Mlp, Shape::Flat(20), &[16, 9]));
        assert_eq!(z.dims(), [3, 9]);
        let values: Vec<f32> = z.into_data().try_into_vec().unwrap();
        assert!(values.iter().all(|v| v.abs() <= 1.0) && values.iter().any(|v| *v < 0.0));
    }

    #[test]
    fn lenet_takes_32_by_32_images() {
        let image = Shape::Image { channels: 1, height: 32, width: 32 };
        let lenet = spec(GeneratorKind::Lenet, image, &[12, 5]);
        assert_eq!(lenet.dense_input(), 6 * 5 * 5);
        assert_eq!(forward(&lenet).dims(), [3, 5]);
    }

    #[test]
    fn unit_rows_have_length_one() {
        let unit = GeneratorSpec {
            last_activation: Activation::Unit,
            ..spec(GeneratorKind::Mlp, Shape::Flat(20), &[16, 9])
        };
        let values: Vec<f32> = forward(&unit).into_data().try_into_vec().unwrap();
        assert!(values.chunks(9).all(|z| (z.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-5));
        let zeros = unit_rows(Tensor::zeros([1, 3], &crate::device::cpu()));
        assert_eq!(zeros.into_data().try_into_vec::<f32>().unwrap(), [0.0; 3]);
    }

    #[test]
    fn the_same_seed_gives_the_same_weights() {
        let s = spec(GeneratorKind::Mlp, Shape::Flat(8), &[4]);
        assert_eq!(forward(&s).into_data(), forward(&s).into_data());
    }
}
