//! A directory of small data sets, and a way to run the command in it.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// Settings that train in a moment and still use all parts of the method.
pub(crate) const FAST: &[&str] = &[
    "--set",
    "train.iterations=40",
    "--set",
    "generator.hidden=[16]",
    "--set",
    "train.evaluate_every=20",
    "--set",
    "train.warmup=5",
    "--set",
    "train.learning_rate=0.02",
    "--set",
    "train.average=0.9",
    "--set",
    "method.cloth.structure_every=15",
];

pub(crate) const CLASSES: [&str; 3] = ["ant", "bee", "cat"];
pub(crate) const WIDTH: usize = 8;

/// Exit code and output of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, 0, "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that it ended in an error whose message has all of these parts.
    #[track_caller]
    pub(crate) fn failed(self, parts: &[&str]) -> Self {
        assert_eq!(self.code, 2, "{}\n{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        assert!(self.stderr.contains("error: "), "{}", self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} in\n{}", self.stderr);
        }
        self
    }

    /// Asserts that stdout is one JSON object with these keys, and returns it.
    #[track_caller]
    pub(crate) fn json(&self, keys: &[&str]) -> Value {
        let value: Value = serde_json::from_str(&self.stdout).unwrap();
        for key in keys {
            assert!(value.get(key).is_some(), "no {key} in {value}");
        }
        value
    }
}

/// A temporary directory for one test.
pub(crate) struct Dir(TempDir);

impl Dir {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A directory with a labelled `source.csv` and a shifted, unlabelled `target.csv`.
    pub(crate) fn with_data() -> Self {
        let dir = Self::new();
        dir.write("source.csv", csv(&rows(150, 1, 0.0), Labels::True));
        dir.write("target.csv", csv(&rows(120, 2, 1.0), Labels::None));
        dir
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// All files and directories below it, sorted.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        fn walk(directory: &Path, files: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                files.push(path.clone());
                if path.is_dir() {
                    walk(&path, files);
                }
            }
        }
        let mut files = Vec::new();
        walk(self.0.path(), &mut files);
        files.sort();
        files
    }

    pub(crate) fn run(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Ran {
        let output = self.command().args(args).output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The command, not yet started, for tests that send signals or close pipes.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cloth"));
        command.current_dir(self.0.path());
        command
    }

    /// Runs `cloth train` on two files into `run`, with [`FAST`] settings and `more`.
    pub(crate) fn train(&self, source: &str, target: &str, run: &str, more: &[&str]) -> Ran {
        self.run(["train", source, target, "-o", run].iter().chain(FAST).chain(more))
    }
}

/// A row and its class.
pub(crate) type Row = ([f32; WIDTH], usize);

/// Rows in three clusters, one for each class, all shifted by `shift`.
pub(crate) fn rows(n: usize, seed: u64, shift: f32) -> Vec<Row> {
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let row = |i: usize| {
        let class = i % CLASSES.len();
        let centre = |feature: usize| if feature % CLASSES.len() == class { 3.0 } else { 0.0 };
        (std::array::from_fn(|feature| centre(feature) + shift + uniform() + uniform() - 1.0), class)
    };
    (0..n).map(row).collect()
}

#[derive(Clone, Copy)]
pub(crate) enum Labels {
    None,
    True,
    /// Every row has the label of another class.
    Wrong,
}

pub(crate) fn csv(rows: &[Row], labels: Labels) -> String {
    let mut text = (0..WIDTH).map(|i| format!("f{i}")).collect::<Vec<_>>().join(",");
    text += match labels {
        Labels::None => "\n",
        _ => ",label\n",
    };
    for (i, (values, class)) in rows.iter().enumerate() {
        text += &values.map(|value| value.to_string()).join(",");
        match labels {
            Labels::None => {}
            Labels::True => write!(text, ",{}", CLASSES[*class]).unwrap(),
            Labels::Wrong => write!(text, ",{}", CLASSES[(class + 1 + i / 3 % 2) % CLASSES.len()]).unwrap(),
        }
        text.push('\n');
    }
    text
}

/// A NumPy `.npy` file.
pub(crate) fn npy(descr: &str, dims: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}");
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// A NumPy `.npz` file with `x` and `y`.
pub(crate) fn npz(rows: &[Row]) -> Vec<u8> {
    let x: Vec<u8> = rows.iter().flat_map(|row| row.0).flat_map(f32::to_le_bytes).collect();
    let y: Vec<u8> = rows.iter().flat_map(|row| (row.1 as i64).to_le_bytes()).collect();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let n = rows.len();
    for (name, array) in
        [("x.npy", npy("<f4", &format!("{n}, {WIDTH}"), &x)), ("y.npy", npy("<i8", &format!("{n},"), &y))]
    {
        zip.start_file(name, options).unwrap();
        zip.write_all(&array).unwrap();
    }
    zip.finish().unwrap().into_inner()
}
