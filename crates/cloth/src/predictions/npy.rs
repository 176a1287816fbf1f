//! NumPy: the predicted classes, one-dimensional, as `int64` if all are integers, otherwise as strings; or the
//! probabilities, rows × classes, as `float32`.

use std::io::{Seek, SeekFrom, Write};

use super::{Columns, PredictedRows, PredictionFormat, Sink, Writer};
use crate::atomic::AtomicFile;
use crate::error::Result;

pub(super) const FORMAT: PredictionFormat = PredictionFormat { name: "npy", extensions: &["npy"], create };

/// Bytes of the header. It holds the number of rows, which is known at the end, so it has room for any number.
const HEADER: usize = 128;

struct NpyWriter {
    file: AtomicFile,
    columns: Columns,
    dtype: String,
    /// The encoded name of each class; empty if probabilities are written.
    classes: Vec<Vec<u8>>,
    rows: usize,
}

fn create(file: AtomicFile, columns: Columns) -> Result<Box<dyn Writer>> {
    let names = columns.classes.names();
    let (dtype, classes) = match columns.classes.integers() {
        _ if columns.proba => ("<f4".to_owned(), Vec::new()),
        Some(numbers) => {
            ("<i8".to_owned(), numbers.iter().map(|number| number.to_le_bytes().to_vec()).collect())
        }
        None => {
            let chars = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
            let utf32 = |name: &String| {
                let mut bytes: Vec<u8> = name.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
                bytes.resize(chars * 4, 0);
                bytes
            };
            (format!("<U{chars}"), names.iter().map(utf32).collect())
        }
    };
    let mut writer = NpyWriter { file, columns, dtype, classes, rows: 0 };
    writer.header()?;
    Ok(Box::new(writer))
}

impl NpyWriter {
    fn header(&mut self) -> Result<()> {
        let shape = match self.columns.proba {
            true => format!("({}, {})", self.rows, self.columns.classes.len()),
            false => format!("({},)", self.rows),
        };
        let dictionary = format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", self.dtype);
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(((HEADER - 10) as u16).to_le_bytes());
        bytes.extend(dictionary.as_bytes());
        bytes.resize(HEADER - 1, b' ');
        bytes.push(b'\n');
        self.file.write_all(&bytes).map_err(|error| self.file.failed(error))
    }
}

impl Writer for NpyWriter {
    fn write(&mut self, rows: &PredictedRows<'_>) -> Result<()> {
        self.columns.check(rows)?;
        let bytes: Vec<u8> = match rows.proba {
            Some(proba) => proba.iter().flat_map(|value| value.to_le_bytes()).collect(),
            None => {
                rows.predictions.iter().flat_map(|&class| &self.classes[class as usize]).copied().collect()
            }
        };
        self.rows += rows.predictions.len();
        self.file.write_all(&bytes).map_err(|error| self.file.failed(error))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.file.seek(SeekFrom::Start(0)).map_err(|error| self.file.failed(error))?;
        self.header()?;
        self.file.commit()
    }
}
