//! Minimal writers of the formats, independent of the readers.

use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use zip::write::SimpleFileOptions;

/// An array as `np.save` writes it.
pub(super) fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    header.extend(std::iter::repeat_n(' ', 63 - (10 + header.len()) % 64));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

pub(super) fn npy_f32(rows: usize, values: &[f32]) -> Vec<u8> {
    npy("<f4", false, &format!("({rows}, {})", values.len() / rows.max(1)), &le(values))
}

pub(super) fn npy_i64(labels: &[i64]) -> Vec<u8> {
    let data: Vec<u8> = labels.iter().flat_map(|label| label.to_le_bytes()).collect();
    npy("<i8", false, &format!("({},)", labels.len()), &data)
}

pub(super) fn npy_text(labels: &[&str]) -> Vec<u8> {
    let chars = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let mut data = Vec::new();
    for label in labels {
        let mut bytes: Vec<u8> = label.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        bytes.resize(chars * 4, 0);
        data.extend(bytes);
    }
    npy(&format!("<U{chars}"), false, &format!("({},)", labels.len()), &data)
}

pub(super) fn le(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub(super) fn npz(arrays: &[(&str, Vec<u8>)], compressed: bool) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let method = if compressed { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
    for (name, bytes) in arrays {
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub(super) fn idx(code: u8, dims: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, code, dims.len() as u8];
    bytes.extend(dims.iter().flat_map(|dim| dim.to_be_bytes()));
    bytes.extend(data);
    bytes
}

pub(super) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(4)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

pub(super) fn array<A: arrow_array::Array + 'static>(array: A) -> ArrayRef {
    Arc::new(array)
}

pub(super) fn png(path: &Path, width: u32, height: u32, pixel: [u8; 3]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    image::RgbImage::from_pixel(width, height, image::Rgb(pixel)).save(path).unwrap();
}
