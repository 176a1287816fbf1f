//! No bytes whatever make a reader panic, and no part of a file is taken for the whole.

use arrow_array::{Float32Array, Int64Array};
use proptest::prelude::*;

use super::write::{array, gz, idx, npy_f32, npy_i64, npz, parquet};
use super::*;

const NAMES: &[&str] = &["a.npy", "a.npz", "a.csv", "a.tsv", "a.csv.gz", "a.parquet", "a.idx", "a.idx.gz"];

/// Reads to the end, with labels; all that matters is that it comes back.
fn read(path: &Path) -> Result<usize> {
    let options = ReadOptions { label: Some("y".into()), ..ReadOptions::default() };
    let _ = inspect(path, &options);
    let _ = read_all(path, &ReadOptions::default());
    Source::load(path, &options).map(|source| source.len())
}

fn whole_files() -> Vec<(&'static str, Vec<u8>)> {
    let (x, y) = (npy_f32(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), npy_i64(&[0, 1, 0]));
    let columns = vec![
        ("a", array(Float32Array::from(vec![1.0, 2.0, 3.0]))),
        ("y", array(Int64Array::from(vec![0, 1, 0]))),
    ];
    let images = idx(8, &[3, 2, 1], &[1, 2, 3, 4, 5, 6]);
    vec![
        ("a.npy", x.clone()),
        ("a.npz", npz(&[("x", x.clone()), ("y", y.clone())], false)),
        ("b.npz", npz(&[("x", x), ("y", y)], true)),
        ("a.parquet", parquet(columns)),
        ("a.idx.gz", gz(&images)),
        ("a.idx", images),
        ("a.csv.gz", gz(b"a,y\n1,0\n2,1\n")),
    ]
}

#[test]
fn every_truncation_is_an_error() {
    for (name, bytes) in whole_files() {
        let scratch = Scratch::new();
        scratch.file("y", npy_i64(&[0, 1, 0]));
        for length in 0..bytes.len() {
            let path = scratch.file(name, &bytes[..length]);
            let error = read_all(&path, &ReadOptions::default()).err();
            assert!(error.is_some(), "{name} cut to {length} of {}", bytes.len());
        }
        let path = scratch.file(name, &bytes);
        assert!(read_all(&path, &ReadOptions::default()).is_ok(), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400), name in prop::sample::select(NAMES)) {
        let scratch = Scratch::new();
        let _ = read(&scratch.file(name, bytes));
    }

    #[test]
    fn arbitrary_text(text in "[-0-9a-z.,\"\t\r\n ]{0,200}") {
        let scratch = Scratch::new();
        let _ = read(&scratch.file("a.csv", &text));
        let _ = read(&scratch.file("a.tsv", text));
    }

    #[test]
    fn arbitrary_numpy_headers(header in "[{}()\\[\\]'\":, a-zA-Z0-9<>|=-]{0,80}", version in 1u8..4) {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
        if version > 1 {
            bytes.extend([0, 0]);
        }
        bytes.extend(header.as_bytes());
        let scratch = Scratch::new();
        let _ = read(&scratch.file("a.npy", bytes));
    }

    #[test]
    fn flipped_bytes(file in 0usize..7, flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let (name, mut bytes) = whole_files().swap_remove(file);
        for (index, byte) in flips {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        let scratch = Scratch::new();
        scratch.file("y", npy_i64(&[0, 1, 0]));
        let _ = read(&scratch.file(name, bytes));
    }
}
