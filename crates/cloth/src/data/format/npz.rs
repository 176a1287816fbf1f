//! NumPy's `.npz`: a zip file of named arrays.
//!
//! Features are the first of the arrays `x`, `X`, `features`, `embeddings`, `images` and `data`, else the only array of
//! two or more dimensions. Labels are the array named by `data.label`, else the first of `y`, `Y`, `labels`, `label`,
//! `targets` and `target`.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use super::array::{Array, ArrayReader};
use super::file::{self, Input};
use super::{LabelPolicy, ReadOptions, Reader, RowFormat, list, nearest, npy};
use crate::error::{Error, Problem, Result};

pub(super) const FORMAT: RowFormat = RowFormat { name: "npz", extensions: &["npz"], open };

const FEATURES: &[&str] = &["x", "X", "features", "embeddings", "images", "data"];
const LABELS: &[&str] = &["y", "Y", "labels", "label", "targets", "target"];

fn open(path: &Path, options: &ReadOptions, labels: LabelPolicy) -> Result<Box<dyn Reader>> {
    let members = members(path)?;
    let named = |names: &[&str]| names.iter().find_map(|&name| members.iter().find(|m| m.name == name));
    let label = match &options.label {
        Some(name) => members.iter().find(|member| member.name == *name),
        None => named(LABELS),
    };
    if label.is_none() && labels == LabelPolicy::Required {
        return Err(no_labels(path, &members, options.label.as_deref()));
    }
    let features = match named(FEATURES) {
        Some(member) => member.open(path)?,
        None => only_matrix(path, &members, label)?,
    };
    let place = label.map(|member| format!("array \"{}\"", member.name));
    let labels =
        label.filter(|_| labels == LabelPolicy::Required).map(|member| member.open(path)).transpose()?;
    ArrayReader::open(FORMAT.name, features, place, labels)
}

fn no_labels(path: &Path, members: &[Member], wanted: Option<&str>) -> Error {
    let names = || members.iter().map(|member| member.name.as_str());
    let near = wanted.and_then(|wanted| nearest(wanted, names()));
    Problem::in_file(path)
        .found(format!("no labels among the arrays {}", list(names())))
        .wanted(match wanted {
            Some(name) => format!("an array \"{name}\""),
            None => format!("one of {}", LABELS.join(", ")),
        })
        .help(match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "name the array that has the labels with `data.label`".to_owned(),
        })
        .into()
}

/// The only array of two dimensions or more that is not the label: `y` may be a column.
fn only_matrix(path: &Path, members: &[Member], label: Option<&Member>) -> Result<Array> {
    let mut found = None;
    for member in members.iter().filter(|member| label.is_none_or(|label| label.name != member.name)) {
        // Arrays of objects cannot be opened; they are not features.
        let Some(array) = member.open(path).ok().filter(|array| array.dims.len() >= 2) else { continue };
        if found.replace(array).is_some() {
            found = None;
            break;
        }
    }
    found.ok_or_else(|| {
        Problem::in_file(path)
            .found(format!("the arrays {}", list(members.iter().map(|member| member.name.as_str()))))
            .wanted(format!("features in one of {}, or in the only matrix", FEATURES.join(", ")))
            .help("save them as x: np.savez(file, x=features, y=labels)")
            .into()
    })
}

/// An array in the zip file: its name, position, sizes in bytes and checksum.
struct Member {
    name: String,
    start: u64,
    compressed: u64,
    size: u64,
    crc: u32,
    method: CompressionMethod,
}

/// The arrays in the zip file.
///
/// Only the zip directory is read here. The zip crate's readers borrow the archive, but a [`Reader`] must own its
/// input, so arrays are read directly from their positions in the file.
fn members(path: &Path) -> Result<Vec<Member>> {
    let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
    let failed = |error| match error {
        zip::result::ZipError::Io(error) => file::read_failed(path, error),
        error => file::damaged(path, format!("a zip file that cannot be read ({error})")),
    };
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(failed)?;
    let mut members = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(failed)?;
        let name = entry.name().map_err(failed)?;
        let (Some(name), Some(start)) = (name.strip_suffix(".npy"), entry.data_start()) else { continue };
        members.push(Member {
            name: name.to_owned(),
            start,
            compressed: entry.compressed_size(),
            size: entry.size(),
            crc: entry.crc32(),
            method: entry.compression(),
        });
    }
    Ok(members)
}

impl Member {
    fn open(&self, path: &Path) -> Result<Array> {
        let place = format!("{}, array \"{}\"", path.display(), self.name);
        let part = file::open_part(path, self.start, self.compressed)?;
        let input: Input = match self.method {
            CompressionMethod::Stored => part,
            CompressionMethod::Deflated => Box::new(DeflateDecoder::new(part)),
            method => return Err(file::damaged(path, format!("an array compressed by {method}"))),
        };
        // Deflate compresses at most 1032 to 1, so a larger size is wrong. No memory is allocated for it.
        if self.size / 1032 > self.compressed {
            return Err(file::damaged(
                path,
                format!("an array of {} bytes in {} compressed bytes", self.size, self.compressed),
            ));
        }
        let input = Checked { inner: input, crc: Crc::new(), left: self.size, expected: self.crc };
        let (array, header) = npy::read_header(path, place, Box::new(input))?;
        array.check_length(self.size.saturating_sub(header))?;
        Ok(array)
    }
}

/// Compares the checksum after the last byte.
struct Checked {
    inner: Input,
    crc: Crc,
    left: u64,
    expected: u32,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.inner.read(&mut buffer[..most])?;
        self.crc.update(&buffer[..read]);
        self.left -= read as u64;
        if read > 0 && self.left == 0 && self.crc.sum() != self.expected {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "bytes that do not match their checksum"));
        }
        Ok(read)
    }
}
