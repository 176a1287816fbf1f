//! The networks: generator G, the linear heads C and T, and the discriminator D.

mod batch_norm;
mod buffer;
mod convolution;
mod dense;
mod discriminator;
mod generator;
mod heads;
mod linear_head;
mod mode;
mod settings;
mod weights;

pub use batch_norm::{BatchNorm, Norm};
pub use buffer::Buffer;
pub use convolution::Convolution;
pub use dense::Dense;
pub use discriminator::{DomainDiscriminator, reverse_gradient};
pub(crate) use generator::unit_rows;
pub use generator::{Generator, GeneratorKind, GeneratorSpec};
pub use heads::{Classifier, Networks};
pub use linear_head::{HeadsConfig, LinearHead};
pub use mode::{Domain, Mode};
pub use settings::{Activation, GeneratorConfig, Init, NetworkKind};
pub(crate) use weights::buffers;
pub use weights::{Weights, export, import};
