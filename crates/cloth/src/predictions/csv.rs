//! CSV, to a file or to a stream.

use std::io::{self, Write};

use super::{Columns, PredictedRows, PredictionFormat, Sink, Writer};
use crate::error::{Error, Result};

pub(super) const FORMAT: PredictionFormat =
    PredictionFormat { name: "csv", extensions: &["csv"], create: open };

struct CsvWriter<S: Sink> {
    out: csv::Writer<S>,
    columns: Columns,
}

fn open<S: Sink + 'static>(sink: S, columns: Columns) -> Result<Box<dyn Writer>> {
    let mut header = vec!["row".to_owned()];
    header.extend(columns.names.then(|| "name".to_owned()));
    header.extend(["prediction".to_owned(), "confidence".to_owned()]);
    header.extend(columns.proba_names());
    let mut writer = CsvWriter { out: csv::Writer::from_writer(sink), columns };
    writer.record(&header)?;
    Ok(Box::new(writer))
}

/// A CSV writer to any stream.
pub(super) fn to_stream<W: Write + 'static>(out: W, columns: Columns) -> Result<Box<dyn Writer>> {
    open(Stream(out), columns)
}

impl<S: Sink> CsvWriter<S> {
    fn record(&mut self, cells: &[String]) -> Result<()> {
        self.out.write_record(cells).map_err(|error| {
            // Unwrap the io::Error: its kind tells a full disk from a closed pipe.
            let error = match error.into_kind() {
                csv::ErrorKind::Io(error) => error,
                kind => io::Error::other(format!("{kind:?}")),
            };
            self.out.get_ref().failed(error)
        })
    }
}

impl<S: Sink> Writer for CsvWriter<S> {
    fn write(&mut self, rows: &PredictedRows<'_>) -> Result<()> {
        self.columns.check(rows)?;
        let classes = self.columns.classes.len();
        let mut cells = Vec::new();
        for (i, (&class, confidence)) in rows.predictions.iter().zip(rows.confidence).enumerate() {
            cells.clear();
            cells.push((rows.first_row + i).to_string());
            cells.extend(rows.names.map(|names| names[i].clone()));
            cells.push(self.columns.classes.name(class).to_owned());
            cells.push(confidence.to_string());
            let proba = rows.proba.map(|proba| &proba[i * classes..(i + 1) * classes]);
            cells.extend(proba.unwrap_or_default().iter().map(f32::to_string));
            self.record(&cells)?;
        }
        // A reader at the other end of a pipe should see each chunk as soon as it is written.
        self.out.flush().map_err(|error| self.out.get_ref().failed(error))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Self { mut out, .. } = *self;
        out.flush().map_err(|error| out.get_ref().failed(error))?;
        match out.into_inner() {
            Ok(sink) => sink.finish(),
            // `into_inner` only flushes, which has just succeeded.
            Err(error) => Err(Error::io("write", "predictions", error.into_error())),
        }
    }
}

/// A stream: it has no path, and completing it only flushes.
struct Stream<W>(W);

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Sink for Stream<W> {
    fn failed(&self, error: io::Error) -> Error {
        Error::io("write", "the output", error)
    }

    fn finish(mut self) -> Result<()> {
        self.0.flush().map_err(|error| self.failed(error))
    }
}
