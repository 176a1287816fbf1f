//! Parquet: a column per feature, or one column of lists.
//!
//! Rows are decoded in small batches, not in whole row groups, so that files larger than memory can be streamed.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema as ArrowSchema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;

use super::columns::{Column, Selection, select};
use super::guard::guarded;
use super::{Chunk, LabelPolicy, ReadOptions, Reader, RowFormat, Schema, arrow, chunk_rows, file};
use crate::data::{Features, Shape};
use crate::error::{Error, Problem, Result};

pub(super) const FORMAT: RowFormat = RowFormat { name: "parquet", extensions: &["parquet", "pq"], open };

struct ParquetReader {
    path: PathBuf,
    /// `None` after an error.
    batches: Option<ParquetRecordBatchReader>,
    /// The current batch, and how many of its rows have been returned.
    batch: Option<(RecordBatch, usize)>,
    /// Positions of the feature columns in a batch.
    features: Vec<usize>,
    label: Option<usize>,
    /// The features are one column of lists.
    lists: bool,
    schema: Schema,
    done: usize,
}

fn open(path: &Path, options: &ReadOptions, labels: LabelPolicy) -> Result<Box<dyn Reader>> {
    let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
    let builder = guarded(path, || ParquetRecordBatchReaderBuilder::try_new(file))?;
    let table = builder.schema().clone();
    let rows = usize::try_from(builder.metadata().file_metadata().num_rows()).ok();
    let list = if options.columns.is_none() { list_column(&table) } else { None };
    let selection = select(path, &columns(&table, list), options, labels)?;
    let Selection { features, label, ignored } = selection;
    let dtype = features.first().map(|&index| arrow::type_name(table.field(index).data_type()));

    // A batch has the columns in the order of the file, not in the order of `features`.
    let mut projection = features.clone();
    projection.extend(label.filter(|_| labels == LabelPolicy::Required));
    projection.sort_unstable();
    let position = |index: &usize| projection.binary_search(index).ok();
    let shape = Shape::Flat(match list.map(|index| table.field(index).data_type()) {
        // Known only after the first row.
        Some(DataType::List(_) | DataType::LargeList(_)) => 0,
        Some(DataType::FixedSizeList(_, length)) => usize::try_from(*length).unwrap_or(0),
        _ => features.len(),
    });
    let batch_rows = if shape.is_empty() { 256 } else { chunk_rows(shape) };
    let mask = ProjectionMask::roots(builder.parquet_schema(), projection.iter().copied());
    let batches = guarded(path, || builder.with_projection(mask).with_batch_size(batch_rows).build())?;
    let name = |&index: &usize| table.field(index).name().clone();
    let mut reader = ParquetReader {
        path: path.to_owned(),
        batches: Some(batches),
        batch: None,
        features: features.iter().filter_map(position).collect(),
        label: label.as_ref().filter(|_| labels == LabelPolicy::Required).and_then(position),
        lists: list.is_some(),
        schema: Schema {
            format: FORMAT.name,
            dtype: dtype.unwrap_or_default(),
            shape,
            rows,
            label: label.as_ref().map(|index| format!("column \"{}\"", name(index))),
            columns: list.is_none().then(|| features.iter().map(name).collect()),
            ignored,
        },
        done: 0,
    };
    if reader.lists
        && shape.is_empty()
        && reader.fill()?
        && let (Some((batch, _)), [column]) = (&reader.batch, reader.features.as_slice())
    {
        reader.schema.shape = Shape::Flat(arrow::list_length(batch.column(*column), 0).unwrap_or(0));
    }
    Ok(Box::new(reader))
}

/// The only column of numeric lists, which has the features; `None` if there is none or more than one.
fn list_column(table: &ArrowSchema) -> Option<usize> {
    let is_list = |data_type: &DataType| match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            arrow::is_numeric(item.data_type())
        }
        _ => false,
    };
    let mut lists = (0..table.fields().len()).filter(|&index| is_list(table.field(index).data_type()));
    lists.next().filter(|_| lists.next().is_none())
}

/// The columns of the file, with those that could be features marked as numeric.
fn columns(table: &ArrowSchema, list: Option<usize>) -> Vec<Column> {
    let column = |(index, field): (usize, &std::sync::Arc<arrow_schema::Field>)| Column {
        name: field.name().clone(),
        numeric: list.map_or_else(|| arrow::is_numeric(field.data_type()), |list| list == index),
    };
    table.fields().iter().enumerate().map(column).collect()
}

pub(super) fn failed(path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::EOF(_) => file::truncated(path, "an unexpected end of the file"),
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(error) => file::read_failed(path, *error),
            Err(source) => file::damaged(path, format!("Parquet that cannot be read ({source})")),
        },
        error => file::damaged(path, format!("Parquet that cannot be read ({error})")),
    }
}

impl ParquetReader {
    /// Reads the next batch if the current one has no rows left; false at the end of the file.
    fn fill(&mut self) -> Result<bool> {
        while self.batch.as_ref().is_none_or(|(batch, taken)| *taken >= batch.num_rows()) {
            let Some(mut batches) = self.batches.take() else { return Ok(false) };
            let next = guarded(&self.path, || Ok(batches.next().transpose()?))?;
            self.batches = Some(batches);
            match next {
                Some(batch) => self.batch = Some((batch, 0)),
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl Reader for ParquetReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        if !self.fill()? {
            return Ok(None);
        }
        let Some((batch, taken)) = self.batch.as_mut() else { return Ok(None) };
        let rows = max_rows.max(1).min(batch.num_rows() - *taken);
        let part = batch.slice(*taken, rows);
        *taken += rows;
        let width = self.schema.shape.len();
        // Errors have the row's number in the file, counted from 1.
        let bad = |(row, problem): (usize, String)| -> Error {
            Problem::at(format!("{}, row {}", self.path.display(), self.done + row + 1)).found(problem).into()
        };
        let mut values = vec![0.0; rows * width];
        match self.features.as_slice() {
            [column] if self.lists => {
                values = arrow::list_values(part.column(*column), width).map_err(bad)?;
            }
            columns => {
                for (offset, column) in columns.iter().enumerate() {
                    arrow::copy_column(part.column(*column), &mut values, offset, width);
                }
            }
        }
        let labels = self.label.map(|column| arrow::labels(part.column(column)).map_err(bad)).transpose()?;
        let features = Features::new(values, self.schema.shape)?;
        self.done += rows;
        Ok(Some(Chunk { features, names: None, labels }))
    }
}
