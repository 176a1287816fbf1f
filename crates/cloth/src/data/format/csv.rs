//! CSV and TSV, plain or compressed with gzip.
//!
//! The first line is a header in any of these cases: it has all the columns that are looked for; it has a text above
//! numbers; it has a text that does not occur again in its column, and its other cells are texts or whole numbers; or
//! it counts `0,1,2,…`, as pandas does for columns without names. A column is numeric if its first cell that is not
//! missing is a number; a later text in it is an error. Columns of texts are ignored. Missing cells (empty, `NA`,
//! `NaN`, `null`, `None`) are NaN.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use csv::{ByteRecord, ErrorKind, ReaderBuilder};

use super::columns::{Column, Selection, select};
use super::file::{self, Input};
use super::{Chunk, LabelPolicy, ReadOptions, Reader, RowFormat, Schema};
use crate::data::raw_labels::{RawLabels, is_missing, missing};
use crate::data::{Features, Shape};
use crate::error::{Error, Problem, Result};

pub(super) const FORMAT: RowFormat =
    RowFormat { name: "csv", extensions: &["csv", "csv.gz"], open: |path, o, l| open(path, b',', o, l) };

pub(super) const TSV: RowFormat =
    RowFormat { name: "tsv", extensions: &["tsv", "tsv.gz"], open: |path, o, l| open(path, b'\t', o, l) };

/// Rows that are read in advance, to find the type of each column.
const SAMPLE: usize = 100;

struct CsvReader {
    path: PathBuf,
    input: csv::Reader<Input>,
    /// Rows that were read in advance.
    sample: VecDeque<ByteRecord>,
    names: Vec<String>,
    selection: Selection,
    with_labels: bool,
    schema: Schema,
}

fn open(path: &Path, delimiter: u8, options: &ReadOptions, labels: LabelPolicy) -> Result<Box<dyn Reader>> {
    let (input, _) = file::open(path)?;
    // Flexible, so that `read_row` can report a row of the wrong length.
    let mut input =
        ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(input);
    let mut sample = VecDeque::new();
    while sample.len() <= SAMPLE {
        let mut record = ByteRecord::new();
        if !input.read_byte_record(&mut record).map_err(|error| failed(path, error))? {
            break;
        }
        sample.push_back(record);
    }
    let sampled = sample.make_contiguous();
    let Some((first, below)) = sampled.split_first() else {
        return Err(Problem::in_file(path).found("an empty file").wanted("a header and rows").into());
    };
    let has_header = has_names(first, options) || is_header(first, below);
    let names: Vec<String> = match has_header {
        true => first.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect(),
        false => (1..=first.len()).map(|number| number.to_string()).collect(),
    };
    if has_header {
        sample.pop_front();
    }
    let column = |(index, name): (usize, &String)| {
        let cells = sample.iter().filter_map(|record| record.get(index)).map(Cell::read);
        let first = cells.into_iter().find(|cell| *cell != Cell::Missing);
        Column { name: name.clone(), numeric: first != Some(Cell::Text) }
    };
    let columns: Vec<Column> = names.iter().enumerate().map(column).collect();
    // Without a header there are no names to select by; the number of columns is checked later.
    let unnamed = ReadOptions { columns: None, ..options.clone() };
    let selection = select(path, &columns, if has_header { options } else { &unnamed }, labels)?;
    let feature_names = selection.features.iter().map(|&index| names[index].clone()).collect();
    Ok(Box::new(CsvReader {
        schema: Schema {
            format: if delimiter == b',' { FORMAT.name } else { TSV.name },
            dtype: "text".to_owned(),
            shape: Shape::Flat(selection.features.len()),
            rows: None,
            label: selection.label.map(|index| format!("column \"{}\"", names[index])),
            columns: has_header.then_some(feature_names),
            ignored: selection.ignored.clone(),
        },
        path: path.to_owned(),
        input,
        sample,
        names,
        selection,
        with_labels: labels == LabelPolicy::Required,
    }))
}

fn failed(path: &Path, error: csv::Error) -> Error {
    match error.into_kind() {
        ErrorKind::Io(error) => file::read_failed(path, error),
        kind => file::damaged(path, format!("{kind:?}")),
    }
}

/// Whether the first line has all columns that are looked for. Their names may be numbers: `400,401`.
fn has_names(first: &ByteRecord, options: &ReadOptions) -> bool {
    let has = |name: &String| first.iter().any(|cell| cell.trim_ascii() == name.as_bytes());
    options.columns.as_ref().is_some_and(|names| !names.is_empty() && names.iter().all(has))
}

fn is_header(first: &ByteRecord, below: &[ByteRecord]) -> bool {
    let column = |index: usize| below.iter().filter_map(move |record| record.get(index));
    let is_text = |cell: &[u8]| Cell::read(cell) == Cell::Text;
    let above_numbers = |index| {
        let cells = column(index).map(Cell::read);
        cells.into_iter().find(|cell| *cell != Cell::Missing).is_some_and(|cell| cell != Cell::Text)
    };
    let comes_again = |index, text: &[u8]| column(index).any(|cell| cell.trim_ascii() == text.trim_ascii());
    let texts = || first.iter().enumerate().filter(|(_, cell)| is_text(cell));
    // A name that is a number is a whole one, such as a count or a wavelength; a fraction is a measurement.
    let is_name = |cell: &[u8]| is_text(cell) || cell.trim_ascii().iter().all(u8::is_ascii_digit);
    let named = || texts().any(|(i, text)| !comes_again(i, text)) && first.iter().all(is_name);
    let skipped = usize::from(first.get(0).is_some_and(<[u8]>::is_empty));
    let counts = first.iter().skip(skipped).enumerate().all(|(i, cell)| cell == i.to_string().as_bytes());
    texts().any(|(index, _)| above_numbers(index)) || named() || (counts && first.len() >= 3)
}

impl CsvReader {
    fn next_record(&mut self) -> Result<Option<ByteRecord>> {
        if let Some(record) = self.sample.pop_front() {
            return Ok(Some(record));
        }
        let mut record = ByteRecord::new();
        let more = self.input.read_byte_record(&mut record).map_err(|error| failed(&self.path, error))?;
        Ok(more.then_some(record))
    }

    fn read_row(&self, record: &ByteRecord, values: &mut Vec<f32>, labels: &mut Vec<String>) -> Result<()> {
        let line = record.position().map_or(0, |position| position.line());
        if record.len() != self.names.len() {
            return Err(Problem::at(format!("{}, line {line}", self.path.display()))
                .found(count(record.len()))
                .wanted(format!("{}, as in the first line", self.names.len()))
                .help("look for a missing or extra separator, or a text with separators and no quotes")
                .into());
        }
        for &index in &self.selection.features {
            values.push(match Cell::read(&record[index]) {
                Cell::Number(value) => value,
                Cell::Missing => f32::NAN,
                Cell::Text => {
                    return Err(Problem::at(self.place(line, index))
                        .found(format!("\"{}\"", String::from_utf8_lossy(&record[index])))
                        .wanted("a number")
                        .into());
                }
            });
        }
        let Some(index) = self.selection.label.filter(|_| self.with_labels) else { return Ok(()) };
        match std::str::from_utf8(&record[index]).map(str::trim) {
            Ok(label) if !is_missing(label) => labels.push(label.to_owned()),
            Ok(label) => return Err(missing(self.place(line, index), label)),
            Err(_) => {
                return Err(Problem::at(self.place(line, index)).found("bytes that are not UTF-8").into());
            }
        }
        Ok(())
    }

    fn place(&self, line: u64, index: usize) -> String {
        format!("{}, line {line}, column \"{}\"", self.path.display(), self.names[index])
    }
}

impl Reader for CsvReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for row in 0..max_rows.max(1) {
            let Some(record) = self.next_record()? else {
                if row == 0 {
                    return Ok(None);
                }
                break;
            };
            self.read_row(&record, &mut values, &mut labels)?;
        }
        let features = Features::new(values, self.schema.shape)?;
        Ok(Some(Chunk { features, names: None, labels: self.with_labels.then_some(RawLabels::Text(labels)) }))
    }
}

fn count(values: usize) -> String {
    if values == 1 { "1 value".to_owned() } else { format!("{values} values") }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    Number(f32),
    Missing,
    Text,
}

impl Cell {
    fn read(bytes: &[u8]) -> Self {
        let bytes = bytes.trim_ascii();
        let Ok(text) = std::str::from_utf8(bytes) else { return Self::Text };
        // `parse` accepts `nan`, but a missing cell must not make a column of texts numeric.
        match text.parse::<f32>() {
            Ok(value) if !value.is_nan() => Self::Number(value),
            Ok(_) => Self::Missing,
            Err(_) => match text.to_ascii_lowercase().as_str() {
                "" | "na" | "n/a" | "null" | "none" => Self::Missing,
                "true" => Self::Number(1.0),
                "false" => Self::Number(0.0),
                _ => Self::Text,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_numbers_texts_or_missing() {
        for (text, cell) in [
            ("1.5", Cell::Number(1.5)),
            (" -2e3 ", Cell::Number(-2000.0)),
            ("True", Cell::Number(1.0)),
            ("", Cell::Missing),
            ("NaN", Cell::Missing),
            ("N/A", Cell::Missing),
            ("1,5", Cell::Text),
            ("cat", Cell::Text),
        ] {
            assert_eq!(Cell::read(text.as_bytes()), cell, "{text}");
        }
        assert_eq!(Cell::read(b"\xff"), Cell::Text);
    }

    #[test]
    fn the_first_line_is_a_header_or_not() {
        let record = |cells: &[&str]| ByteRecord::from(cells.to_vec());
        let header = |cells: &[&str]| is_header(&record(cells), &[]);
        assert!(header(&["a", "b"]) && header(&["1", "label"]));
        assert!(header(&["", "0", "1", "2"]) && header(&["0", "1", "2"]));
        assert!(!header(&["1", "2", "3"]) && !header(&["0", "1"]) && !header(&["1.0", ""]));
        let rows = |cells: &[&str], rows: [&[&str]; 2]| is_header(&record(cells), &rows.map(record));
        assert!(
            rows(&["f0", "1.5", "label"], [&["1", "2", "cat"], &["3", "4", "dog"]]),
            "a text above numbers"
        );
        assert!(rows(&["0", "1", "species"], [&["1.5", "2", "cat"], &["3", "4", "dog"]]), "a new text");
        assert!(!rows(&["cat", "1", "2"], [&["dog", "3", "4"], &["cat", "5", "6"]]), "a class like others");
        assert!(!rows(&["r0", "1.5", "2.0"], [&["r1", "3.5", "4"], &["r2", "5", "6"]]), "a row's name");
    }

    #[test]
    fn names_that_are_looked_for_make_a_header() {
        let first = ByteRecord::from(vec!["400", "401"]);
        let columns = |names: &[&str]| ReadOptions {
            columns: Some(names.iter().map(|name| (*name).to_owned()).collect()),
            ..ReadOptions::default()
        };
        assert!(
            has_names(&first, &columns(&["401", "400"])) && !has_names(&first, &columns(&["400", "402"]))
        );
        assert!(!has_names(&first, &ReadOptions::default()) && !has_names(&first, &columns(&[])));
    }
}
