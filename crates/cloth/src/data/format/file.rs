//! Opens files, and reports truncated and damaged ones.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Problem, Result};

/// Bytes of a file, decompressed.
pub(super) type Input = Box<dyn Read + Send>;

/// Opens `path`, which may be compressed with gzip. The length is known if it is not.
pub(super) fn open(path: &Path) -> Result<(Input, Option<u64>)> {
    let failed = |error| Error::io("read", path, error);
    let file = File::open(path).map_err(failed)?;
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) {
        return Ok((Box::new(MultiGzDecoder::new(BufReader::new(file))), None));
    }
    // A pipe has no length, so it must not be taken for an empty file.
    let metadata = file.metadata().map_err(failed)?;
    let length = metadata.is_file().then_some(metadata.len());
    Ok((Box::new(BufReader::with_capacity(1 << 16, file)), length))
}

/// Opens `length` bytes of `path` from `start` on.
pub(super) fn open_part(path: &Path, start: u64, length: u64) -> Result<Input> {
    let mut file = File::open(path).map_err(|error| Error::io("read", path, error))?;
    file.seek(SeekFrom::Start(start)).map_err(|error| Error::io("read", path, error))?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file).take(length)))
}

/// The error of a failed read: the file is truncated, it is damaged, or the system refused.
pub(super) fn read_failed(path: &Path, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => truncated(path, "an unexpected end of the file"),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => damaged(path, error),
        _ => Error::io("read", path, error),
    }
}

/// The error for a file that ends too early.
pub(super) fn truncated(path: &Path, found: impl std::fmt::Display) -> Error {
    Problem::in_file(path)
        .found(found)
        .help("the file is truncated: was it copied or written to the end?")
        .into()
}

/// The error for a file that does not have the format of its extension, or whose bytes have changed.
pub(super) fn damaged(path: &Path, found: impl std::fmt::Display) -> Error {
    Problem::in_file(path)
        .found(found)
        .help("the file is damaged, or not of the format that its extension says")
        .into()
}
