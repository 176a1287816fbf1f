//! `[generator]`: the network G.

use serde::{Deserialize, Serialize};

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
    /// Nonlinearity of all dense layers but the last.
    pub activation: Activation,
    /// Nonlinearity of the last dense layer.
    pub last_activation: Activation,
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

/// A hidden unit's nonlinearity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(x, 0)
    Relu,
    /// tanh x, which keeps latent values, and so their moments, bounded
    Tanh,
    /// x / ‖x‖, row by row: only the direction of a row is kept
    Unit,
}

impl Default for GeneratorConfig {
    fn default() -> Self {
        Self {
            kind: NetworkKind::Auto,
            hidden: Vec::new(),
            filters: [64, 128],
            activation: Activation::Relu,
            last_activation: Activation::Relu,
            dropout: 0.5,
            input_dropout: 0.0,
        }
    }
}
