//! IDX, the format of MNIST, plain or compressed with gzip. Labels are in a second file beside the first:
//! `images` in the name becomes `labels`, `idx3` becomes `idx1`.

use std::io::Read;
use std::path::Path;

use super::array::{Array, ArrayReader, Element};
use super::number::{Kind, Number};
use super::{LabelPolicy, ReadOptions, Reader, RowFormat, file, sibling};
use crate::error::Result;

pub(super) const FORMAT: RowFormat = RowFormat {
    name: "idx",
    extensions: &[
        "idx",
        "idx.gz",
        "idx1-ubyte",
        "idx1-ubyte.gz",
        "idx3-ubyte",
        "idx3-ubyte.gz",
        "ubyte",
        "ubyte.gz",
    ],
    open,
};

fn open(path: &Path, options: &ReadOptions, labels: LabelPolicy) -> Result<Box<dyn Reader>> {
    let features = open_array(path)?;
    let sibling = sibling::find(path, options.label.as_deref(), siblings(path), labels)?;
    let label = sibling.as_ref().map(|path| path.display().to_string());
    let labels =
        sibling.filter(|_| labels == LabelPolicy::Required).map(|path| open_array(&path)).transpose()?;
    ArrayReader::open(FORMAT.name, features, label, labels)
}

/// File names in which the labels of `path` are looked for, with and without gzip.
fn siblings(path: &Path) -> Vec<String> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    let renamed = plain.replace("images", "labels").replace("idx3", "idx1").replace("idx4", "idx1");
    // A file must not be its own labels.
    if renamed == plain { Vec::new() } else { vec![renamed.clone(), format!("{renamed}.gz")] }
}

fn open_array(path: &Path) -> Result<Array> {
    let (mut input, length) = file::open(path)?;
    let mut word = || -> Result<[u8; 4]> {
        let mut word = [0; 4];
        input.read_exact(&mut word).map_err(|error| file::read_failed(path, error))?;
        Ok(word)
    };
    let [0, 0, code, rank] = word()? else {
        return Err(file::damaged(path, "something that is not an IDX file"));
    };
    let kind = match code {
        0x08 => Kind::U8,
        0x09 => Kind::I8,
        0x0b => Kind::I16,
        0x0c => Kind::I32,
        0x0d => Kind::F32,
        0x0e => Kind::F64,
        _ => return Err(file::damaged(path, format!("the IDX type {code:#04x}"))),
    };
    let mut dims = Vec::with_capacity(rank.into());
    for _ in 0..rank {
        dims.push(u32::from_be_bytes(word()?) as usize);
    }
    let array = Array {
        path: path.to_owned(),
        place: path.display().to_string(),
        input,
        element: Element::Number(Number { kind, big_endian: true }),
        dims,
        fortran: false,
    };
    if let Some(length) = length {
        array.check_length(length.saturating_sub(4 + 4 * u64::from(rank)))?;
    }
    Ok(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_looked_for_beside() {
        assert_eq!(
            siblings(Path::new("d/train-images-idx3-ubyte.gz")),
            ["train-labels-idx1-ubyte", "train-labels-idx1-ubyte.gz"]
        );
        assert!(siblings(Path::new("train-labels-idx1-ubyte")).is_empty());
    }
}
