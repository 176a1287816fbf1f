//! Parquet, with the columns of the CSV file.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::{Columns, PredictedRows, PredictionFormat, Writer};
use crate::atomic::AtomicFile;
use crate::error::{Error, Problem, Result};

pub(super) const FORMAT: PredictionFormat =
    PredictionFormat { name: "parquet", extensions: &["parquet", "pq"], create };

/// Rows of a row group, which is held in memory until it is full.
const GROUP_ROWS: usize = 1 << 17;

struct ParquetWriter {
    path: String,
    out: ArrowWriter<AtomicFile>,
    schema: SchemaRef,
    columns: Columns,
    integers: Option<Vec<i64>>,
}

fn create(file: AtomicFile, columns: Columns) -> Result<Box<dyn Writer>> {
    let integers = columns.classes.integers();
    let class = if integers.is_some() { DataType::Int64 } else { DataType::Utf8 };
    let mut fields = vec![Field::new("row", DataType::UInt64, false)];
    fields.extend(columns.names.then(|| Field::new("name", DataType::Utf8, false)));
    fields.push(Field::new("prediction", class, false));
    fields.push(Field::new("confidence", DataType::Float32, false));
    fields.extend(columns.proba_names().map(|name| Field::new(name, DataType::Float32, false)));
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .build();
    let path = file.path().display().to_string();
    let out = ArrowWriter::try_new(file, schema.clone(), Some(properties)).map_err(|e| failed(&path, e))?;
    Ok(Box::new(ParquetWriter { path, out, schema, columns, integers }))
}

fn failed(path: &str, error: ParquetError) -> Error {
    match error {
        ParquetError::External(source) if source.is::<std::io::Error>() => match source.downcast() {
            Ok(error) => Error::io("write", path, *error),
            Err(source) => Problem::at(path).found(source).into(),
        },
        error => Problem::at(path).found(format!("Parquet that cannot be written ({error})")).into(),
    }
}

impl Writer for ParquetWriter {
    fn write(&mut self, rows: &PredictedRows<'_>) -> Result<()> {
        self.columns.check(rows)?;
        let n = rows.predictions.len();
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        let numbers = (rows.first_row..rows.first_row + n).map(|row| row as u64);
        arrays.push(Arc::new(UInt64Array::from_iter_values(numbers)));
        if let Some(names) = rows.names {
            arrays.push(Arc::new(StringArray::from_iter_values(names)));
        }
        let predictions = rows.predictions.iter();
        arrays.push(match &self.integers {
            Some(integers) => {
                Arc::new(Int64Array::from_iter_values(predictions.map(|&c| integers[c as usize])))
            }
            None => {
                let names = predictions.map(|&class| self.columns.classes.name(class));
                Arc::new(StringArray::from_iter_values(names))
            }
        });
        arrays.push(Arc::new(Float32Array::from_iter_values(rows.confidence.iter().copied())));
        if let Some(proba) = rows.proba {
            let classes = self.columns.classes.len();
            for class in 0..classes {
                let column = proba.iter().skip(class).step_by(classes).copied();
                arrays.push(Arc::new(Float32Array::from_iter_values(column)));
            }
        }
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(ParquetError::from);
        batch.and_then(|batch| self.out.write(&batch)).map_err(|error| failed(&self.path, error))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Self { path, out, .. } = *self;
        out.into_inner().map_err(|error| failed(&path, error))?.commit()
    }
}
