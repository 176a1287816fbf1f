//! One file per format, and [`FORMATS`], the one list of them.
//!
//! To add a format: write a file with a `FORMAT` and a [`Reader`], and name it in `FORMATS`.

mod array;
#[cfg(feature = "parquet")]
mod arrow;
mod columns;
mod csv;
mod file;
#[cfg(feature = "parquet")]
mod guard;
mod idx;
#[cfg(feature = "images")]
mod images;
mod npy;
mod npz;
mod number;
mod one_shape;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod sibling;

use std::path::Path;

#[cfg(feature = "parquet")]
pub use self::guard::is_guarded;
pub use self::options::ReadOptions;

use crate::data::raw_labels::RawLabels;
use crate::data::{Features, Schema, Shape};
use crate::error::{Error, Problem, Result};

/// Every format that can be read.
pub const FORMATS: &[RowFormat] = &[
    npz::FORMAT,
    npy::FORMAT,
    csv::FORMAT,
    csv::TSV,
    #[cfg(feature = "parquet")]
    parquet::FORMAT,
    idx::FORMAT,
    #[cfg(feature = "images")]
    images::FORMAT,
];

/// Cargo features that add a format: name of the feature, and extensions of the files; none for a directory.
const BY_FEATURE: &[(&str, &[&str])] = &[("parquet", &["parquet", "pq"]), ("images", &[])];

/// A file format.
#[derive(Debug, Clone, Copy)]
pub struct RowFormat {
    /// Name for messages, such as `csv`.
    pub name: &'static str,
    /// Extensions without the leading dot; empty for a directory.
    pub extensions: &'static [&'static str],
    /// Opens a file and reads its header.
    open: fn(&Path, &ReadOptions, LabelPolicy) -> Result<Box<dyn Reader>>,
}

impl RowFormat {
    /// The format of a path, by its extension or because it is a directory; an error if it is unknown.
    ///
    /// ```
    /// use cloth::data::RowFormat;
    /// use std::path::Path;
    /// assert_eq!(RowFormat::of(Path::new("amazon.npz"))?.name, "npz");
    /// assert_eq!(RowFormat::of(Path::new("train-images-idx3-ubyte.gz"))?.name, "idx");
    /// # Ok::<(), cloth::Error>(())
    /// ```
    pub fn of(path: &Path) -> Result<&'static Self> {
        let directory = path.is_dir();
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let fits = |extensions: &[&str]| match directory {
            true => extensions.is_empty(),
            false => extensions.iter().any(|extension| has_extension(&name, extension)),
        };
        if let Some(format) = FORMATS.iter().find(|format| fits(format.extensions)) {
            return Ok(format);
        }
        let found = match path.extension() {
            _ if directory => "a directory".to_owned(),
            Some(extension) => format!("the unknown extension .{}", extension.to_string_lossy()),
            None => "a name without an extension".to_owned(),
        };
        if let Some((feature, _)) = BY_FEATURE.iter().find(|(_, extensions)| fits(extensions)) {
            return Err(Problem::in_file(path)
                .found(found)
                .wanted(format!("a build of cloth with its Cargo feature `{feature}`"))
                .help(format!("add the feature \"{feature}\" to the dependency on cloth"))
                .into());
        }
        let known = FORMATS.iter().flat_map(|format| format.extensions).map(|e| format!(".{e}"));
        Err(Problem::in_file(path)
            .found(found)
            .wanted(format!("one of {}, or a directory of images", known.collect::<Vec<_>>().join(", ")))
            .into())
    }
}

/// Whether `name` ends in `extension`, after a dot or a hyphen: IDX files are named `train-images.idx3-ubyte` or
/// `train-images-idx3-ubyte`.
fn has_extension(name: &str, extension: &str) -> bool {
    name.strip_suffix(extension).is_some_and(|stem| stem.ends_with(['.', '-']))
}

/// Whether to read labels. Only [`Source`](crate::data::Source) and [`HeldOut`](crate::data::HeldOut) may read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) enum LabelPolicy {
    /// A file without labels is an error.
    Required,
    /// Labels are located, so that they are not taken for features, but not read.
    Skipped,
}

/// Consecutive rows of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// The rows.
    pub features: Features,
    /// A name for each row, such as the path of an image; `None` if the format has none.
    pub names: Option<Vec<String>>,
    /// Private to this module, so that a target's labels cannot reach training.
    pub(in crate::data) labels: Option<RawLabels>,
}

/// Reads a file sequentially. The header is read on opening, the rows by [`next_chunk`](Self::next_chunk).
pub trait Reader: Send {
    /// The schema from the header.
    fn schema(&self) -> &Schema;

    /// The next rows, at least one and at most `max_rows`; `None` at the end.
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>>;
}

/// Opens a file to read its features. Labels are not read.
pub fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn Reader>> {
    open_with(path, options, LabelPolicy::Skipped)
}

/// Reads the schema from a file's header; the rows are not read.
pub fn inspect(path: &Path, options: &ReadOptions) -> Result<Schema> {
    Ok(open(path, options)?.schema().clone())
}

pub(in crate::data) fn open_with(
    path: &Path,
    options: &ReadOptions,
    labels: LabelPolicy,
) -> Result<Box<dyn Reader>> {
    // Before the extension: a missing file is the more important error.
    path.metadata().map_err(|error| Error::io("read", path, error))?;
    let reader = (RowFormat::of(path)?.open)(path, options, labels)?;
    let Schema { shape, .. } = *reader.schema();
    if shape.is_empty() {
        return Err(Problem::in_file(path)
            .found("no features")
            .wanted("at least one number in a row")
            .help("check which columns the file has, and which of them are numbers")
            .into());
    }
    match options.image {
        Some(image) if matches!(shape, Shape::Image { .. }) && shape != image.shape() => {
            one_shape::open(reader, image.shape())
        }
        _ => Ok(reader),
    }
}

/// Number of rows in a chunk: about 4 MiB, at most 8192 rows.
pub(in crate::data) fn chunk_rows(shape: Shape) -> usize {
    ((1 << 20) / shape.len().max(1)).clamp(1, 8192)
}

/// A list for messages; a long list is truncated.
pub(in crate::data) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 20;
    let names: Vec<&str> = names.collect();
    match names.len() {
        0 => "none".to_owned(),
        n if n <= SHOWN => names.join(", "),
        n => format!("{}, … ({n} in all)", names[..SHOWN].join(", ")),
    }
}

/// The one of `names` that is most similar to `wanted`; `None` if none is similar.
fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let near = |name: &&str| strsim::levenshtein(&wanted, &name.to_lowercase());
    names.min_by_key(near).filter(|name| near(name) <= wanted.len().div_ceil(3))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_name() {
        let name = |path| RowFormat::of(Path::new(path)).map(|format| format.name);
        assert_eq!(name("a/b.NPY").unwrap(), "npy");
        assert_eq!(name("t10k-labels.idx1-ubyte").unwrap(), "idx");
        assert_eq!(name("x.csv.gz").unwrap(), "csv");
        #[cfg(feature = "images")]
        assert_eq!(name("/").unwrap(), "image directory");
        assert!(name("npz").is_err());
        let error = name("features.xlsx").unwrap_err().to_string();
        assert!(
            error.starts_with(
                "features.xlsx: found the unknown extension .xlsx, wanted one of .npz, .npy, .csv"
            ),
            "{error}"
        );
    }

    #[test]
    fn the_nearest_name_is_near() {
        assert_eq!(nearest("Labl", ["x", "label", "table"].into_iter()), Some("label"));
        assert_eq!(nearest("species", ["x", "label"].into_iter()), None);
    }
}
