//! `[generator]`: the network G.

use serde::{Deserialize, Serialize};

use super::Norm;

/// `[generator]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GeneratorConfig {
    /// The kind of network; `auto` is `lenet` for images and `mlp` for everything else.
    pub kind: NetworkKind,
    /// Widths of the dense layers; empty: chosen for the kind of network.
    pub hidden: Vec<usize>,
    /// Filters of LeNet's two convolutions.
    pub filters: [usize; 2],
    /// Range of the initial weights of the dense layers.
    pub init: Init,
    /// Nonlinearity of all dense layers but the last.
    pub activation: Activation,
    /// Nonlinearity of the last dense layer.
    pub last_activation: Activation,
    /// Batch normalisation after each dense layer, before its nonlinearity: `none`, `domain`, `shared` or
    /// `transferable`.
    pub batch_norm: Norm,
    /// Dropout rate between dense layers and before each head.
    pub dropout: f64,
    /// Dropout rate on the input.
    pub input_dropout: f64,
}

/// `generator.kind`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkKind {
    /// `lenet` for images, `mlp` for everything else.
    Auto,
    /// Dense layers.
    Mlp,
    /// Two convolutions with pooling, then dense layers.
    Lenet,
}

/// `generator.init`, `heads.init`: initial weights are uniform between plus and minus this bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Init {
    /// √(6 / (inputs + outputs))
    #[default]
    Glorot,
    /// √(1 / inputs), which starts with smaller latent values
    FanIn,
}

/// A hidden unit's nonlinearity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(x, 0)
    Relu,
    /// x, and a tenth of x below 0
    LeakyRelu,
    /// x
    Linear,
    /// tanh x, which keeps latent values, and so their moments, bounded
    Tanh,
    /// x / ‖x‖, row by row: only the direction of a row is kept
    Unit,
}

impl Activation {
    /// The factor of negative values.
    pub(super) fn slope(self) -> f32 {
        match self {
            Self::Relu => 0.0,
            Self::LeakyRelu => 0.1,
            Self::Linear | Self::Tanh | Self::Unit => 1.0,
        }
    }
}

impl Default for GeneratorConfig {
    fn default() -> Self {
        Self {
            kind: NetworkKind::Auto,
            hidden: Vec::new(),
            filters: [64, 128],
            init: Init::Glorot,
            activation: Activation::Relu,
            last_activation: Activation::Relu,
            batch_norm: Norm::None,
            dropout: 0.5,
            input_dropout: 0.0,
        }
    }
}
