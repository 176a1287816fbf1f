//! Event files for TensorBoard.
//!
//! A file is a sequence of TFRecords, each with its length and two masked CRC-32C checksums. A record is an `Event` in
//! protobuf, of which only a few fields are needed. A resumed session first removes the steps that it will make again,
//! so that no step occurs twice, and then starts a file of its own, as TensorBoard expects.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::atomic::write_atomic;
use crate::error::{Error, Result};
use crate::method::Losses;

const PREFIX: &str = "events.out.tfevents.";

/// An event file, open for appending scalars.
pub(super) struct EventFile {
    path: PathBuf,
    file: File,
}

impl EventFile {
    /// Starts a file for the steps after `done`. Changes only files of the same `run`: a directory may hold several
    /// runs.
    pub(super) fn create(directory: &Path, run: &str, done: usize) -> Result<Self> {
        fs::create_dir_all(directory).map_err(|e| Error::io("create", directory, e))?;
        cut(directory, run, done as u64)?;
        // Later sessions must sort after earlier ones.
        let name = format!("{PREFIX}{:010}.{done:08}.{run}.cloth", now() as u64);
        let path = directory.join(name);
        let file = File::create(&path).map_err(|e| Error::io("create", &path, e))?;
        let mut events = Self { path, file };
        events.write(0, &text(3, "brain.Event:2"))?;
        if done > 0 {
            // SessionLog { status: START }: a running TensorBoard then drops the steps from here on.
            events.write(done + 1, &message(7, &varint(1, 1)))?;
        }
        Ok(events)
    }

    /// Adds the losses of one step, their shares of the gradient and, if it was evaluated, the source accuracy.
    pub(super) fn losses(
        &mut self,
        step: usize,
        losses: &Losses,
        source_accuracy: Option<f64>,
    ) -> Result<()> {
        let values = losses.iter().map(|(symbol, value)| (format!("loss/{symbol}"), value));
        let shares = losses.shares().map(|(symbol, share)| (format!("gradient share/{symbol}"), share));
        let tags: Vec<(String, f32)> = values.chain(shares).collect();
        let accuracy = source_accuracy.map(|accuracy| ("accuracy/source", accuracy as f32));
        self.scalars(step, tags.iter().map(|(tag, value)| (tag.as_str(), *value)).chain(accuracy))
    }

    /// Adds scalars of one step, without buffering.
    fn scalars<'a>(&mut self, step: usize, scalars: impl Iterator<Item = (&'a str, f32)>) -> Result<()> {
        let values: Vec<u8> = scalars
            .flat_map(|(tag, value)| {
                let simple_value = [&[2 << 3 | 5], value.to_le_bytes().as_slice()].concat();
                message(1, &[text(1, tag), simple_value].concat())
            })
            .collect();
        self.write(step, &message(5, &values))
    }

    fn write(&mut self, step: usize, what: &[u8]) -> Result<()> {
        let wall_time = [&[1 << 3 | 1], now().to_le_bytes().as_slice()].concat();
        let event = [wall_time, varint(2, step as u64), what.to_vec()].concat();
        self.file.write_all(&record(&event)).map_err(|e| Error::io("write", &self.path, e))
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

/// Removes the steps after `done`, and a record that a crash cut short.
fn cut(directory: &Path, run: &str, done: u64) -> Result<()> {
    let read = |e| Error::io("read", directory, e);
    for entry in fs::read_dir(directory).map_err(read)? {
        let path = entry.map_err(read)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !(name.starts_with(PREFIX) && name.ends_with(&format!(".{run}.cloth"))) {
            continue;
        }
        let bytes = fs::read(&path).map_err(|e| Error::io("read", &path, e))?;
        let mut kept = Vec::new();
        let mut steps = 0;
        for frame in frames(&bytes) {
            let step = step_of(&frame[12..frame.len() - 4]);
            if step <= done {
                kept.extend_from_slice(frame);
                steps += usize::from(step > 0);
            }
        }
        match steps {
            0 => fs::remove_file(&path).map_err(|e| Error::io("remove", &path, e))?,
            _ if kept.len() < bytes.len() => write_atomic(&path, &kept)?,
            _ => {}
        }
    }
    Ok(())
}

/// The records up to the first one that is incomplete or damaged.
fn frames(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (length, _) = rest.split_first_chunk::<8>()?;
        let whole = usize::try_from(u64::from_le_bytes(*length)).ok()?.checked_add(16)?;
        let frame = rest.get(..whole)?;
        let sum = masked_crc32c(&frame[12..whole - 4]).to_le_bytes();
        rest = &rest[whole..];
        (frame[whole - 4..] == sum).then_some(frame)
    })
}

/// The step of an event written here: the wall time comes first, then the step.
fn step_of(event: &[u8]) -> u64 {
    let Some([key, varint @ ..]) = event.get(9..).filter(|rest| !rest.is_empty()) else { return 0 };
    if *key != 2 << 3 {
        return 0;
    }
    let mut step = 0;
    for (i, byte) in varint.iter().take(9).enumerate() {
        step |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            break;
        }
    }
    step
}

fn record(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    let sums = [masked_crc32c(&length), masked_crc32c(data)].map(u32::to_le_bytes);
    [&length, sums[0].as_slice(), data, &sums[1]].concat()
}

/// A field of type varint.
fn varint(field: u8, value: u64) -> Vec<u8> {
    let mut bytes = vec![field << 3];
    push_varint(&mut bytes, value);
    bytes
}

/// A length-delimited field: text or a nested message.
fn message(field: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![field << 3 | 2];
    push_varint(&mut bytes, content.len() as u64);
    bytes.extend_from_slice(content);
    bytes
}

fn text(field: u8, content: &str) -> Vec<u8> {
    message(field, content.as_bytes())
}

fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// CRC-32C (Castagnoli), masked as in TFRecords.
fn masked_crc32c(bytes: &[u8]) -> u32 {
    let crc =
        !bytes.iter().fold(!0, |crc, &byte| TABLE[((crc ^ u32::from(byte)) & 0xff) as usize] ^ crc >> 8);
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C of each byte.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_castagnoli_s() {
        // The check value of CRC-32C, masked.
        assert_eq!(masked_crc32c(b"123456789"), 0xe306_9283u32.rotate_right(15).wrapping_add(0xa282_ead8));
    }

    fn steps(directory: &Path) -> Vec<u64> {
        let mut paths: Vec<_> = fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        let files = paths.iter().map(|path| fs::read(path).unwrap());
        let steps = |bytes: Vec<u8>| frames(&bytes).map(|f| step_of(&f[12..f.len() - 4])).collect::<Vec<_>>();
        files.flat_map(steps).collect()
    }

    #[test]
    fn a_session_takes_back_the_steps_it_will_make_again_and_leaves_other_runs_alone() {
        let home = tempfile::tempdir().unwrap();
        for (run, done, last) in [("b", 0, 300), ("a", 0, 40), ("a", 20, 30)] {
            let mut events = EventFile::create(home.path(), run, done).unwrap();
            for step in (done + 10..=last).step_by(10) {
                events.scalars(step, [("loss/l_c", 0.5)].into_iter()).unwrap();
            }
            events.file.write_all(b"cut short by a cra").unwrap();
        }
        let mut all = steps(home.path());
        all.sort_unstable();
        let mut wanted: Vec<u64> = (1..=30).map(|i| 10 * i).collect();
        wanted.extend([0, 0, 0, 10, 20, 21, 30]);
        wanted.sort_unstable();
        assert_eq!(all, wanted);
        // A restart from the beginning removes all steps of the run.
        EventFile::create(home.path(), "a", 0).unwrap();
        assert_eq!(steps(home.path()).len(), 1 + 30 + 1);
    }
}
