//! The networks: generator G, the linear heads C and T, and the discriminator D.

mod convolution;
mod dense;
mod discriminator;
mod dropout;
mod generator;
mod heads;
mod weights;

pub use convolution::Convolution;
pub use dense::Dense;
pub use discriminator::{DomainDiscriminator, reverse_gradient};
pub use dropout::Dropout;
pub(crate) use generator::unit_rows;
pub use generator::{Generator, GeneratorKind, GeneratorSpec};
pub use heads::{Classifier, Networks};
pub use weights::{Weights, export, import};
