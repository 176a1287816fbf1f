//! NumPy's `.npy`: one array. Labels are in a second file beside it.
//!
//! For features in `x.npy`, `foo_x.npy` or `X_train.npy` the labels are looked for in `y.npy`, `foo_y.npy` and
//! `y_train.npy`; any of the words `x`, `features`, `embeddings`, `images` and `data` between `_` or `-` becomes `y` or
//! `labels`. For any other name, `foo.npy`, they are in `foo_y.npy` or `foo_labels.npy`.

use std::io::Read;
use std::path::Path;

use super::array::{Array, ArrayReader, Element};
use super::file::{self, Input};
use super::number::{Kind, Number};
use super::{LabelPolicy, ReadOptions, Reader, RowFormat, sibling};
use crate::error::{Error, Problem, Result};

pub(super) const FORMAT: RowFormat = RowFormat { name: "npy", extensions: &["npy"], open };

fn open(path: &Path, options: &ReadOptions, labels: LabelPolicy) -> Result<Box<dyn Reader>> {
    let features = open_array(path)?;
    let sibling = sibling::find(path, options.label.as_deref(), siblings(path), labels)?;
    let label = sibling.as_ref().map(|path| path.display().to_string());
    let labels =
        sibling.filter(|_| labels == LabelPolicy::Required).map(|path| open_array(&path)).transpose()?;
    ArrayReader::open(FORMAT.name, features, label, labels)
}

fn open_array(path: &Path) -> Result<Array> {
    let (input, length) = file::open(path)?;
    let (array, header) = read_header(path, path.display().to_string(), input)?;
    if let Some(length) = length {
        array.check_length(length.saturating_sub(header))?;
    }
    Ok(array)
}

/// File names in which the labels of `path` are looked for, in this order.
fn siblings(path: &Path) -> Vec<String> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let words: Vec<&str> = stem.split_inclusive(['_', '-']).collect();
    let mut names = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let bare = word.trim_end_matches(['_', '-']);
        if !["x", "features", "embeddings", "images", "data"].contains(&bare.to_lowercase().as_str()) {
            continue;
        }
        for label in ["y", "labels"] {
            let (before, after) = (words[..i].concat(), words[i + 1..].concat());
            names.push(format!("{before}{label}{}{after}.npy", &word[bare.len()..]));
        }
    }
    if names.is_empty() {
        names = vec![format!("{stem}_y.npy"), format!("{stem}_labels.npy")];
    }
    names
}

/// Reads the header at the start of `input`; returns the array and the header's length in bytes.
pub(super) fn read_header(path: &Path, place: String, mut input: Input) -> Result<(Array, u64)> {
    let mut take = |bytes: usize| -> Result<Vec<u8>> {
        let mut buffer = vec![0; bytes];
        input.read_exact(&mut buffer).map_err(|error| file::read_failed(path, error))?;
        Ok(buffer)
    };
    let start = take(8)?;
    if !start.starts_with(b"\x93NUMPY") {
        return Err(file::damaged(path, "something that is not a NumPy array"));
    }
    let (length, before) = match start[6] {
        1 => (take(2)?.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte)), 10),
        2 | 3 => (take(4)?.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte)), 12),
        version => return Err(file::damaged(path, format!("NumPy format version {version}"))),
    };
    // NumPy's own headers are under a kilobyte.
    if length > 1 << 20 {
        return Err(file::damaged(path, format!("a header of {length} bytes")));
    }
    let text = String::from_utf8_lossy(&take(length)?).into_owned();
    let header = Header::parse(&text)
        .ok_or_else(|| file::damaged(path, format!("the NumPy header {:?}", shorten(text.trim()))))?;
    let element = element(&header.descr).ok_or_else(|| unsupported(&place, &header.descr))?;
    let array =
        Array { path: path.to_owned(), place, input, element, dims: header.dims, fortran: header.fortran };
    Ok((array, (before + length) as u64))
}

fn unsupported(place: &str, descr: &str) -> Error {
    let (found, help) = match descr.trim_start_matches(['<', '>', '=', '|']).chars().next() {
        Some('O') => {
            ("pickled Python objects".to_owned(), "convert before saving: .astype(float) or .astype(str)")
        }
        Some('[') => ("a structured array".to_owned(), "save one plain array: one row per example"),
        Some('V') => (format!("the type {descr}"), "bfloat16 has no NumPy type: save .astype('float32')"),
        _ => (format!("the type {descr}"), "convert before saving: .astype('float32')"),
    };
    Problem::at(place).found(found).wanted("numbers, booleans or texts").help(help).into()
}

/// Parses a type such as `<f4`; `None` if it is not supported.
fn element(descr: &str) -> Option<Element> {
    let (order, rest) = descr.split_at_checked(1)?;
    let big_endian = order == ">" || (order == "=" && cfg!(target_endian = "big"));
    let (code, size) = rest.split_at_checked(1)?;
    let size: usize = size.parse().ok()?;
    let kind = match (code, size) {
        ("U", chars) => return Some(Element::Utf32 { chars, big_endian }),
        ("S" | "a", bytes) => return Some(Element::Bytes(bytes)),
        ("b", 1) => Kind::Bool,
        ("f", 2) => Kind::F16,
        ("f", 4) => Kind::F32,
        ("f", 8) => Kind::F64,
        ("i", 1) => Kind::I8,
        ("i", 2) => Kind::I16,
        ("i", 4) => Kind::I32,
        ("i", 8) => Kind::I64,
        ("u", 1) => Kind::U8,
        ("u", 2) => Kind::U16,
        ("u", 4) => Kind::U32,
        ("u", 8) => Kind::U64,
        _ => return None,
    };
    ["<", ">", "=", "|"].contains(&order).then_some(Element::Number(Number { kind, big_endian }))
}

/// The dictionary at the start of a file. It is a Python literal with these three keys.
struct Header {
    descr: String,
    fortran: bool,
    dims: Vec<usize>,
}

impl Header {
    fn parse(text: &str) -> Option<Self> {
        let (mut descr, mut fortran, mut dims) = (None, None, None);
        let mut rest = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
        while !rest.is_empty() {
            let (key, after) = string(rest)?;
            let value = after.trim_start().strip_prefix(':')?.trim_start();
            rest = match key {
                // A structured type is a list. It is not supported, so its exact end does not matter.
                "descr" if value.starts_with('[') => {
                    let end = value.rfind(']')? + 1;
                    descr = Some(value[..end].to_owned());
                    // NumPy writes the other two keys after it; keys before it are already parsed.
                    &value[end..]
                }
                "descr" => {
                    let (name, rest) = string(value)?;
                    descr = Some(name.to_owned());
                    rest
                }
                "fortran_order" => {
                    let (flag, rest) = match value.strip_prefix("True") {
                        Some(rest) => (true, rest),
                        None => (false, value.strip_prefix("False")?),
                    };
                    fortran = Some(flag);
                    rest
                }
                "shape" => {
                    let (inside, rest) = value.strip_prefix('(')?.split_once(')')?;
                    let numbers = inside.split(',').map(str::trim).filter(|number| !number.is_empty());
                    // Python 2 wrote long integers as `10L`.
                    let numbers = numbers.map(|number| number.trim_end_matches('L').parse().ok());
                    dims = Some(numbers.collect::<Option<Vec<usize>>>()?);
                    rest
                }
                _ => return None,
            };
            rest = rest.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        Some(Self { descr: descr?, fortran: fortran?, dims: dims? })
    }
}

/// The quoted text at the start of `text`, and the rest.
fn string(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote)
}

fn shorten(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_every_numpy_version_parse() {
        let header = |text| Header::parse(text).map(|h| (h.descr, h.fortran, h.dims));
        assert_eq!(
            header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n"),
            Some(("<f4".into(), false, vec![2, 3]))
        );
        assert_eq!(
            header("{'shape': (3L,), 'fortran_order': True, 'descr': \"|b1\"}"),
            Some(("|b1".into(), true, vec![3]))
        );
        assert!(header("{'descr': '<f4', 'fortran_order': False, 'shape': ()}").unwrap().2.is_empty());
        for bad in ["", "{", "{}", "{'descr': '<f4'}", "{'shape': (-1,)}", "{'shape': (1.5,)}", "{é"] {
            assert!(header(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn labels_are_looked_for_beside() {
        assert_eq!(siblings(Path::new("d/x.npy")), ["y.npy", "labels.npy"]);
        assert_eq!(siblings(Path::new("X_train.npy")), ["y_train.npy", "labels_train.npy"]);
        assert_eq!(siblings(Path::new("foo-x.npy")), ["foo-y.npy", "foo-labels.npy"]);
        assert_eq!(siblings(Path::new("amazon.npy")), ["amazon_y.npy", "amazon_labels.npy"]);
    }

    #[test]
    fn types_that_are_no_use_are_said() {
        let error = |descr| unsupported("y.npy", descr).to_string();
        assert_eq!(error("|O"), "y.npy: found pickled Python objects, wanted numbers, booleans or texts");
        assert_eq!(error("<c8"), "y.npy: found the type <c8, wanted numbers, booleans or texts");
        assert!(element("<c8").is_none() && element("|O").is_none() && element("é4").is_none());
    }
}
