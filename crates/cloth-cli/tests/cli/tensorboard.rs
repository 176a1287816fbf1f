//! TensorBoard events, read by a parser that shares no code with the writer.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Dir, FAST};

/// Computed bit by bit, as in the definition; the writer uses a table.
fn masked_crc32c(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 };
        }
    }
    let crc = !crc;
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// A protobuf value, by wire type.
enum Field<'a> {
    Varint(u64),
    Fixed(&'a [u8]),
    Bytes(&'a [u8]),
}

/// The fields of a message, by number.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let mut take = |n: usize| {
            let (taken, rest) = bytes.split_at(n);
            bytes = rest;
            taken
        };
        let field = match key & 7 {
            0 => Field::Varint(varint(&mut bytes)),
            1 => Field::Fixed(take(8)),
            5 => Field::Fixed(take(4)),
            2 => {
                let n = varint(&mut bytes) as usize;
                let (taken, rest) = bytes.split_at(n);
                bytes = rest;
                Field::Bytes(taken)
            }
            kind => panic!("wire type {kind}"),
        };
        fields.push((key >> 3, field));
    }
    fields
}

/// Steps, tags and values of all event files, in the order of their names.
fn scalars(dir: &Dir, directory: &str) -> Vec<(u64, String, f32)> {
    let mut paths: Vec<_> =
        fs::read_dir(dir.path(directory)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut scalars = Vec::new();
    for path in paths {
        assert!(path.file_name().unwrap().to_str().unwrap().contains("tfevents"), "{path:?}");
        let bytes = fs::read(&path).unwrap();
        let mut rest = bytes.as_slice();
        let mut first = true;
        while !rest.is_empty() {
            let length = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
            let sum = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap());
            assert_eq!(sum(8), masked_crc32c(&rest[..8]));
            let event = &rest[12..12 + length];
            assert_eq!(sum(12 + length), masked_crc32c(event));
            rest = &rest[16 + length..];
            let (mut step, mut wall_time) = (0, 0.0);
            for (number, field) in fields(event) {
                match (number, field) {
                    (1, Field::Fixed(time)) => wall_time = f64::from_le_bytes(time.try_into().unwrap()),
                    (2, Field::Varint(value)) => step = value,
                    (3, Field::Bytes(version)) => assert!(first && version == b"brain.Event:2"),
                    (5, Field::Bytes(summary)) => {
                        for (_, value) in fields(summary) {
                            let Field::Bytes(value) = value else { panic!("no value") };
                            let (mut tag, mut number) = (String::new(), f32::NAN);
                            for (field, value) in fields(value) {
                                match (field, value) {
                                    (1, Field::Bytes(text)) => {
                                        tag = String::from_utf8(text.to_vec()).unwrap()
                                    }
                                    (2, Field::Fixed(value)) => {
                                        number = f32::from_le_bytes(value.try_into().unwrap())
                                    }
                                    _ => panic!("another field"),
                                }
                            }
                            scalars.push((step, tag, number));
                        }
                    }
                    (7, Field::Bytes(_)) => {}
                    _ => panic!("another field in an event"),
                }
            }
            assert!(wall_time > 1.7e9, "{wall_time}");
            first = false;
        }
    }
    scalars
}

/// The contents of `metrics.jsonl` in the same form.
fn metrics(dir: &Dir, run: &str) -> Vec<(u64, String, f32)> {
    let mut all = Vec::new();
    for line in dir.text(&format!("{run}/metrics.jsonl")).lines() {
        let line: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        for (name, value) in line.iter().filter(|(name, _)| *name != "iteration") {
            let tag = match (name.as_str(), name.strip_prefix("share_")) {
                ("source_accuracy", _) => "accuracy/source".into(),
                (_, Some(loss)) => format!("gradient share/{loss}"),
                (_, None) => format!("loss/{name}"),
            };
            all.push((line["iteration"].as_u64().unwrap(), tag, value.as_f64().unwrap() as f32));
        }
    }
    all
}

#[track_caller]
fn assert_same(mut events: Vec<(u64, String, f32)>, mut metrics: Vec<(u64, String, f32)>) {
    let key = |(step, tag, _): &(u64, String, f32)| (*step, tag.clone());
    events.sort_by_key(key);
    metrics.sort_by_key(key);
    assert_eq!(events, metrics);
}

#[test]
fn events_hold_what_metrics_hold() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &["--tensorboard", "--no-report"]).done();
    assert_same(scalars(&dir, "run/tensorboard"), metrics(&dir, "run"));
    // A shared directory has a subdirectory for each run.
    dir.train("source.csv", "target.csv", "runs/a", &["--tensorboard=logs", "--no-report"]).done();
    assert_same(scalars(&dir, "logs/a"), metrics(&dir, "runs/a"));
    assert!(!dir.path("runs/a/tensorboard").exists());
}

#[test]
fn killed_and_resumed_no_step_is_there_twice() {
    let dir = Dir::with_data();
    let long = [
        "--set",
        "train.iterations=300",
        "--set",
        "train.checkpoint_seconds=0.02",
        "--tensorboard",
        "--no-report",
    ];
    let args = ["train", "source.csv", "target.csv", "-o", "run", "-q"].iter().chain(FAST).chain(&long);
    let mut child = dir.command().args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for _ in 0..2 {
        let checkpoint = dir.path("run/checkpoint.safetensors");
        let written = || checkpoint.metadata().and_then(|file| file.modified()).ok();
        let (before, started) = (written(), Instant::now());
        while written() == before && child.try_wait().unwrap().is_none() {
            assert!(started.elapsed() < Duration::from_secs(60), "no checkpoint");
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(30));
        let _ = child.kill();
        child.wait().unwrap();
        // A resumed run that has events continues them.
        let args = ["train", "--resume", "run", "-q", "--no-report"];
        child = dir.command().args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    }
    assert!(child.wait().unwrap().success());
    assert_same(scalars(&dir, "run/tensorboard"), metrics(&dir, "run"));
}
