//! Files in, rows of `f32` out.
//!
//! Three types keep the roles of the data apart:
//!
//! - [`Source`]: features and labels, in memory. What a classifier is trained on.
//! - [`Target`]: features, in memory. It has no labels and no way to any, so none can reach training or selection.
//! - [`HeldOut`]: labelled target rows, streamed. Only evaluation reads them.
//!
//! [`Unlabelled`] streams rows for prediction. [`Layout`] is what a model remembers of the rows it was trained on, so
//! that later files are read the same way: the same columns in the same order, images of the same size.
//!
//! The formats are listed in [`FORMATS`]; each is one file in `format/`.

mod augment;
pub mod batch;
mod features;
mod format;
mod held_out;
mod image;
mod labels;
mod layout;
mod load;
pub mod normalise;
mod source;
pub mod split;
mod target;
#[cfg(test)]
mod tests;
mod unlabelled;

pub use self::features::{Features, Shape};
pub use self::format::{Chunk, FORMATS, Format, ReadOptions, Reader, Schema, inspect, is_guarded, open};
pub use self::held_out::HeldOut;
pub use self::image::{ImageFit, fit};
pub use self::labels::Classes;
pub use self::layout::Layout;
pub use self::source::Source;
pub use self::target::Target;
pub use self::unlabelled::Unlabelled;
