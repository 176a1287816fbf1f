//! The networks: generator G and the linear heads C, T and D.

mod convolution;
mod dense;
mod dropout;
mod generator;
mod heads;
mod weights;

pub use convolution::Convolution;
pub use dense::Dense;
pub use dropout::Dropout;
pub use generator::{Generator, GeneratorKind, GeneratorSpec};
pub use heads::Networks;
pub use weights::{Weights, export, import};
