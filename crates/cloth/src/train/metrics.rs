//! `metrics.jsonl`: the losses of a run, one JSON object per line. Only this module reads and writes it.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::method::Losses;

/// What stands before the symbol of a loss in the name of its share of the gradient at z.
pub(crate) const SHARE: &str = "share_";

/// One line: the values logged at one iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricsLine {
    /// Counted from 1.
    pub iteration: usize,
    /// Losses by their symbols, and `source_accuracy` where it was evaluated, in the order of the file.
    pub values: Vec<(String, f64)>,
    /// The text of the line.
    pub(super) text: String,
}

impl MetricsLine {
    /// The value with this name; none if the line does not have it.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    fn parse(text: &str) -> Option<Self> {
        let object: Map<String, Value> = serde_json::from_str(text).ok()?;
        let iteration = usize::try_from(object.get("iteration")?.as_u64()?).ok()?;
        let values = object.iter().filter(|(name, _)| *name != "iteration");
        let values = values.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect();
        Some(Self { iteration, values, text: text.to_owned() })
    }
}

/// Reads the lines of a run's `metrics.jsonl`; empty if there is no such file. Stops at a line that a crash cut short.
pub fn read_metrics(path: &Path) -> Result<Vec<MetricsLine>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    Ok(text.lines().map_while(MetricsLine::parse).collect())
}

/// `metrics.jsonl`, open for appending.
pub(super) struct MetricsFile {
    path: PathBuf,
    out: BufWriter<File>,
}

impl MetricsFile {
    pub(super) fn append(path: PathBuf) -> Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|e| Error::io("write", &path, e))?;
        Ok(Self { path, out: BufWriter::new(file) })
    }

    pub(super) fn write(
        &mut self,
        iteration: usize,
        losses: &Losses,
        source_accuracy: Option<f64>,
    ) -> Result<()> {
        let mut line = Map::new();
        line.insert("iteration".into(), iteration.into());
        for (symbol, value) in losses.iter() {
            line.insert(symbol.into(), f64::from(value).into());
        }
        for (symbol, share) in losses.shares() {
            line.insert(format!("{SHARE}{symbol}"), f64::from(share).into());
        }
        if let Some(accuracy) = source_accuracy {
            line.insert("source_accuracy".into(), accuracy.into());
        }
        let line = Value::Object(line);
        writeln!(self.out, "{line}").map_err(|e| Error::io("write", &self.path, e))
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.out.flush().map_err(|e| Error::io("write", &self.path, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_a_crash_cut_short_ends_the_reading() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "{\"iteration\":10,\"l_c\":2.0}\n{\"iteration\":20,\"l_c\":1.5,\"w\":3}\n{\"iterat";
        std::fs::write(file.path(), text).unwrap();
        let lines = read_metrics(file.path()).unwrap();
        assert_eq!(lines.len(), 2);
        assert_eq!((lines[1].iteration, lines[1].get("l_c"), lines[1].get("w")), (20, Some(1.5), Some(3.0)));
        assert!(read_metrics(Path::new("/no/such/metrics.jsonl")).unwrap().is_empty());
    }
}
