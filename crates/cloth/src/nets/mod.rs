//! The networks: generator G and the linear heads C, T and D.

mod dropout;
mod generator;
mod heads;
mod weights;

pub use dropout::Dropout;
pub use generator::{Generator, GeneratorKind, GeneratorSpec};
pub use heads::{Networks, head};
pub use weights::{Weights, export, import};
