//! The networks: generator G, the linear heads C and T, and the discriminator D.

mod buffer;
mod convolution;
mod dense;
mod discriminator;
mod dropout;
mod generator;
mod heads;
mod settings;
mod weights;

pub use buffer::Buffer;
pub use convolution::Convolution;
pub use dense::Dense;
pub use discriminator::{DomainDiscriminator, reverse_gradient};
pub use dropout::Dropout;
pub(crate) use generator::unit_rows;
pub use generator::{Generator, GeneratorKind, GeneratorSpec};
pub use heads::{Classifier, Networks};
pub use settings::{Activation, GeneratorConfig, NetworkKind};
pub(crate) use weights::buffers;
pub use weights::{Weights, export, import};
