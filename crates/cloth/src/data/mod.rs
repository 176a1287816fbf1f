//! Reads files into rows of `f32`.
//!
//! Three types keep the roles of the data apart:
//!
//! - [`Source`]: features and labels, in memory. A classifier is trained on them.
//! - [`Target`]: features, in memory. It has no labels, so none can reach training or selection.
//! - [`HeldOut`]: labelled target rows, streamed. Only evaluation reads them.
//!
//! [`Unlabelled`] streams rows for prediction. A model saves the [`Layout`] of its training rows, so that later files
//! are read the same way: the same columns in the same order, images of the same size.
//!
//! The formats are listed in [`FORMATS`]; each is one file in `format/`. Reading files needs the Cargo feature `files`,
//! Parquet `parquet` and directories of images `images`; rows in memory need none of them.

mod augment;
pub mod batch;
mod features;
mod finite;
#[cfg(feature = "files")]
mod format;
#[cfg(feature = "files")]
mod held_out;
mod image;
mod labels;
mod layout;
#[cfg(feature = "files")]
mod load;
pub mod normalise;
#[cfg(feature = "files")]
mod open;
#[cfg(feature = "files")]
mod raw_labels;
mod schema;
mod settings;
mod source;
pub mod split;
#[cfg(feature = "files")]
mod stream;
mod target;
#[cfg(all(test, feature = "parquet", feature = "images"))]
mod tests;
#[cfg(feature = "files")]
mod unlabelled;

pub use self::features::{Features, Shape};
#[cfg(feature = "parquet")]
pub use self::format::is_guarded;
#[cfg(feature = "files")]
pub use self::format::{Chunk, FORMATS, ReadOptions, Reader, RowFormat, inspect, open};
#[cfg(feature = "files")]
pub use self::held_out::HeldOut;
pub use self::image::{ImageFit, fit_image};
pub use self::labels::Classes;
pub use self::layout::Layout;
#[cfg(feature = "files")]
pub use self::load::LoadEvent;
pub use self::schema::Schema;
pub use self::settings::{Centre, DataConfig, Normalise};
pub use self::source::Source;
pub use self::target::Target;
#[cfg(feature = "files")]
pub use self::unlabelled::Unlabelled;
