//! JSON Lines: an object for each row, with the columns as keys.

use std::io::Write;

use super::{Columns, PredictedRows, PredictionFormat, Sink, Writer};
use crate::atomic::AtomicFile;
use crate::error::Result;

pub(super) const FORMAT: PredictionFormat =
    PredictionFormat { name: "jsonl", extensions: &["jsonl", "ndjson"], create };

struct JsonlWriter {
    file: AtomicFile,
    columns: Columns,
    /// The classes as JSON: numbers if all are integers, otherwise strings.
    classes: Vec<String>,
    /// `"p_cat":`
    proba_keys: Vec<String>,
}

fn create(file: AtomicFile, columns: Columns) -> Result<Box<dyn Writer>> {
    let classes = match columns.classes.integers() {
        Some(_) => columns.classes.names().to_vec(),
        None => columns.classes.names().iter().map(|name| quoted(name)).collect(),
    };
    let proba_keys = columns.proba_names().map(|name| format!("{}:", quoted(&name))).collect();
    Ok(Box::new(JsonlWriter { file, columns, classes, proba_keys }))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A number as JSON; `null` if it is not finite, because JSON has no NaN.
fn number(value: f32) -> String {
    if value.is_finite() { value.to_string() } else { "null".to_owned() }
}

impl Writer for JsonlWriter {
    fn write(&mut self, rows: &PredictedRows<'_>) -> Result<()> {
        self.columns.check(rows)?;
        let mut text = String::new();
        for (i, (&class, &confidence)) in rows.predictions.iter().zip(rows.confidence).enumerate() {
            text += &format!("{{\"row\":{}", rows.first_row + i);
            if let Some(names) = rows.names {
                text += &format!(",\"name\":{}", quoted(&names[i]));
            }
            text += ",\"prediction\":";
            text += &self.classes[class as usize];
            text += &format!(",\"confidence\":{}", number(confidence));
            let proba = rows.proba.map(|proba| &proba[i * self.classes.len()..]).unwrap_or_default();
            for (key, value) in self.proba_keys.iter().zip(proba) {
                text += &format!(",{key}{}", number(*value));
            }
            text += "}\n";
        }
        self.file.write_all(text.as_bytes()).map_err(|error| self.file.failed(error))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.file.commit()
    }
}
