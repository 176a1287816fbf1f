//! Arrays of numbers with dimensions, as in npy, npz and IDX files.

use std::io::Read;
use std::path::PathBuf;

use super::file::{Input, read_failed, truncated};
use super::number::Number;
use super::{Chunk, Reader, Schema};
use crate::data::raw_labels::RawLabels;
use crate::data::{Features, Shape};
use crate::error::{Problem, Result};

/// Type of an array's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    /// Numbers.
    Number(Number),
    /// Texts of a fixed number of UTF-32 characters, padded with zeros.
    Utf32 { chars: usize, big_endian: bool },
    /// Texts of a fixed number of bytes, padded with zeros.
    Bytes(usize),
}

impl Element {
    /// Bytes per element; `None` if the number overflows.
    pub(super) fn size(self) -> Option<usize> {
        match self {
            Self::Number(number) => Some(number.size()),
            Self::Utf32 { chars, .. } => chars.checked_mul(4),
            Self::Bytes(bytes) => Some(bytes),
        }
    }
}

/// An array whose header has been read and whose elements come next in `input`.
pub(super) struct Array {
    pub(super) path: PathBuf,
    /// For messages: `foo.npz, array "x"`.
    pub(super) place: String,
    pub(super) input: Input,
    pub(super) element: Element,
    pub(super) dims: Vec<usize>,
    /// Whether the first index changes fastest.
    pub(super) fortran: bool,
}

impl Array {
    /// `(150, 4)`, as Python writes it.
    pub(super) fn dims_text(&self) -> String {
        match self.dims.as_slice() {
            [rows] => format!("({rows},)"),
            dims => format!("({})", dims.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
        }
    }

    /// Size of all elements in bytes; `None` if the number overflows.
    pub(super) fn bytes(&self) -> Option<u64> {
        let elements = self.dims.iter().try_fold(1usize, |product, &dim| product.checked_mul(dim))?;
        u64::try_from(elements.checked_mul(self.element.size()?)?).ok()
    }

    /// Compares the header with the number of bytes that follow it.
    pub(super) fn check_length(&self, available: u64) -> Result<()> {
        match self.bytes() {
            Some(bytes) if bytes <= available => Ok(()),
            bytes => Err(truncated(
                &self.path,
                format!(
                    "{available} bytes of data where an array {} needs {}",
                    self.dims_text(),
                    bytes.map_or("more than any computer has".to_owned(), |bytes| bytes.to_string())
                ),
            )),
        }
    }

    /// Up to `bytes` more bytes. The buffer grows with the bytes that are read, not with the size in the header.
    fn read(&mut self, bytes: usize) -> Result<Vec<u8>> {
        // Capacity for a whole chunk, up to 16 MiB: growing step by step would copy it several times.
        let mut buffer = Vec::with_capacity(bytes.min(1 << 24));
        (&mut self.input)
            .take(bytes as u64)
            .read_to_end(&mut buffer)
            .map_err(|error| read_failed(&self.path, error))?;
        Ok(buffer)
    }

    /// Reads past the last element, because gzip compares its checksum only at the end.
    fn finish(&mut self) -> Result<()> {
        self.read(1).map(drop)
    }
}

/// The features of an array, and the labels of another.
pub(super) struct ArrayReader {
    features: Array,
    number: Number,
    row_bytes: usize,
    /// Whether channels come last in the file.
    channels_last: bool,
    labels: Option<Array>,
    schema: Schema,
    rows: usize,
    done: usize,
    /// The elements in C order, if the file has them in Fortran order; `None` until they are read.
    reordered: Option<Vec<f32>>,
}

impl ArrayReader {
    /// `label` is the place of the labels for the schema; `labels` is given only if they are to be read.
    pub(super) fn open(
        format: &'static str,
        features: Array,
        label: Option<String>,
        labels: Option<Array>,
    ) -> Result<Box<dyn Reader>> {
        let Element::Number(number) = features.element else {
            return Err(Problem::at(&features.place)
                .found("texts")
                .wanted("numbers")
                .help("features are numbers; texts can only be labels")
                .into());
        };
        let (rows, shape, channels_last) = shape_of(&features)?;
        if let Some(labels) = &labels {
            check_labels(labels, rows)?;
        }
        Ok(Box::new(Self {
            number,
            row_bytes: shape.len() * number.size(),
            channels_last,
            labels,
            schema: Schema {
                format,
                dtype: number.to_string(),
                shape,
                rows: Some(rows),
                label,
                columns: None,
                ignored: Vec::new(),
            },
            rows,
            done: 0,
            reordered: None,
            features,
        }))
    }

    /// Reads the whole of a Fortran-order array, because its first row extends to the end of the file.
    fn reorder(&mut self) -> Result<Vec<f32>> {
        let mut room = Features::empty(self.schema.shape);
        room.reserve(self.rows)?;
        let mut values = room.into_values();
        values.resize(self.rows * self.schema.shape.len(), 0.0);
        let dims = &self.features.dims;
        // Distance of neighbours along each dimension in C order.
        let strides: Vec<usize> = (0..dims.len()).map(|axis| dims[axis + 1..].iter().product()).collect();
        let mut index = vec![0; dims.len()];
        let (mut position, mut left) = (0, values.len());
        let (dims, mut block) = (dims.clone(), Vec::new());
        while left > 0 {
            let count = left.min(1 << 16);
            let bytes = self.features.read(count * self.number.size())?;
            if bytes.len() < count * self.number.size() {
                return Err(truncated(&self.features.path, "an unexpected end of the file"));
            }
            block.clear();
            self.number.decode(&bytes, &mut block);
            for value in &block {
                values[position] = *value;
                for axis in 0..dims.len() {
                    index[axis] += 1;
                    position += strides[axis];
                    if index[axis] < dims[axis] {
                        break;
                    }
                    position -= strides[axis] * dims[axis];
                    index[axis] = 0;
                }
            }
            left -= count;
        }
        Ok(values)
    }

    /// The values of the next `rows` rows, in the order of the file.
    fn read_rows(&mut self, rows: usize) -> Result<Vec<f32>> {
        if self.features.fortran && self.features.dims.len() > 1 {
            if self.reordered.is_none() {
                self.reordered = Some(self.reorder()?);
            }
            let width = self.schema.shape.len();
            let all = self.reordered.as_deref().unwrap_or_default();
            return Ok(all[self.done * width..(self.done + rows) * width].to_vec());
        }
        let bytes = self.features.read(rows.saturating_mul(self.row_bytes))?;
        let complete = bytes.len() / self.row_bytes;
        if complete < rows {
            let (rows, complete) = (self.rows, self.done + complete);
            return Err(truncated(
                &self.features.path,
                format!("the end of the file after {complete} of {rows} rows"),
            ));
        }
        let mut values = Vec::new();
        self.number.decode(&bytes, &mut values);
        Ok(values)
    }
}

impl Reader for ArrayReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        let rows = max_rows.max(1).min(self.rows - self.done);
        if rows == 0 {
            return Ok(None);
        }
        let mut values = self.read_rows(rows)?;
        if let (true, Shape::Image { channels, .. }) = (self.channels_last, self.schema.shape) {
            channels_first(&mut values, self.schema.shape.len(), channels);
        }
        let labels = self.labels.as_mut().map(|labels| read_labels(labels, self.done, rows)).transpose()?;
        self.done += rows;
        if self.done == self.rows {
            self.features.finish()?;
            self.labels.as_mut().map_or(Ok(()), Array::finish)?;
        }
        let features = Features::new(values, self.schema.shape)?;
        Ok(Some(Chunk { features, names: None, labels }))
    }
}

/// Number of rows, shape of one row, and whether channels come last.
fn shape_of(array: &Array) -> Result<(usize, Shape, bool)> {
    let image = |channels, height, width| Shape::Image { channels, height, width };
    // This also rules out overflow of later products of dimensions.
    if array.bytes().is_none() {
        return Err(Problem::at(&array.place)
            .found(format!("the shape {}", array.dims_text()))
            .wanted("one that fits in memory")
            .into());
    }
    match *array.dims.as_slice() {
        [rows, features] => Ok((rows, Shape::Flat(features), false)),
        [rows, height, width] => Ok((rows, image(1, height, width), false)),
        [rows, height, width, channels @ (1 | 3 | 4)] => Ok((rows, image(channels, height, width), true)),
        [rows, channels, height, width] => Ok((rows, image(channels, height, width), false)),
        _ => Err(Problem::at(&array.place)
            .found(format!("the shape {}", array.dims_text()))
            .wanted("(rows, features) or images: (rows, height, width) with channels first or last")
            .help("reshape the array, for example x.reshape(len(x), -1)")
            .into()),
    }
}

/// Returns an error unless there is one label per row.
fn check_labels(labels: &Array, rows: usize) -> Result<()> {
    if !matches!(labels.dims.as_slice(), [_] | [_, 1]) || labels.element.size().is_none() {
        return Err(Problem::at(&labels.place)
            .found(format!("the shape {}", labels.dims_text()))
            .wanted(format!("one label per row, ({rows},)"))
            .help("for one-hot labels, save y.argmax(axis=1)")
            .into());
    }
    if labels.dims[0] != rows {
        return Err(Problem::at(&labels.place)
            .found(format!("{} labels", labels.dims[0]))
            .wanted(format!("{rows}, one for each row of features"))
            .into());
    }
    Ok(())
}

/// Labels of `rows` rows, starting at row `first`, counted from 0.
fn read_labels(labels: &mut Array, first: usize, rows: usize) -> Result<RawLabels> {
    let size = labels.element.size().unwrap_or(0);
    let bytes = labels.read(rows.saturating_mul(size))?;
    if bytes.len() < rows * size {
        return Err(truncated(&labels.path, format!("the end of the labels after row {first}")));
    }
    let texts = |decode: &dyn Fn(&[u8]) -> String| {
        RawLabels::Text((0..rows).map(|row| decode(&bytes[row * size..(row + 1) * size])).collect())
    };
    match labels.element {
        Element::Number(number) => number.decode_labels(&bytes).map_err(|(row, value)| {
            Problem::at(format!("{}, row {}", labels.place, first + row + 1))
                .found(format!("the label {value}"))
                .wanted("whole numbers or texts")
                .help("labels are classes; real numbers cannot be predicted")
                .into()
        }),
        Element::Bytes(_) => Ok(texts(&|text| {
            let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            String::from_utf8_lossy(&text[..end]).into_owned()
        })),
        Element::Utf32 { big_endian, .. } => Ok(texts(&|text| {
            let code = |bytes| if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
            let codes = text.as_chunks().0.iter().map(|&bytes| code(bytes));
            let text: String = codes.map(|code| char::from_u32(code).unwrap_or('\u{fffd}')).collect();
            text.trim_end_matches('\0').to_owned()
        })),
    }
}

/// Reorders each row from channels last to channels first.
fn channels_first(values: &mut [f32], width: usize, channels: usize) {
    let pixels = width / channels.max(1);
    let mut planes = vec![0.0; width];
    for row in values.chunks_exact_mut(width) {
        for (i, value) in row.iter().enumerate() {
            planes[i % channels * pixels + i / channels] = *value;
        }
        row.copy_from_slice(&planes);
    }
}
