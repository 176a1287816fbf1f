#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::fs;
use std::rc::Rc;

use tempfile::tempdir;

use super::*;
use crate::data::{ReadOptions, Source, inspect};

const PROBA: &[f32] = &[0.25, 0.75, 1.0, 0.0];

fn columns(classes: [&str; 2], names: bool, proba: bool) -> Columns {
    Columns { classes: Classes::new(classes), names, proba }
}

/// Two rows in two chunks.
fn write(mut writer: Box<dyn Writer>, names: bool, proba: bool) {
    let row_names = ["a/1.png".to_owned(), "b, \"2\".png".to_owned()];
    for row in 0..2 {
        let rows = PredictedRows {
            first_row: row,
            names: names.then_some(&row_names[row..=row]),
            predictions: &[[1, 0][row]],
            confidence: &[[0.75, 1.0][row]],
            proba: proba.then_some(&PROBA[row * 2..row * 2 + 2]),
        };
        writer.write(&rows).unwrap();
    }
    writer.finish().unwrap();
}

fn written(name: &str, columns: Columns) -> Vec<u8> {
    let directory = tempdir().unwrap();
    let path = directory.path().join(name);
    let (names, proba) = (columns.names, columns.proba);
    let writer = create(&path, columns).unwrap();
    assert!(!path.exists(), "the file is there only when it is complete");
    write(writer, names, proba);
    fs::read(path).unwrap()
}

#[test]
fn csv_quotes_names_and_adds_probabilities() {
    let text = String::from_utf8(written("p.csv", columns(["cat", "dog"], true, true))).unwrap();
    assert_eq!(
        text,
        "row,name,prediction,confidence,p_cat,p_dog\n\
         0,a/1.png,dog,0.75,0.25,0.75\n\
         1,\"b, \"\"2\"\".png\",cat,1,1,0\n"
    );
}

#[test]
fn csv_goes_to_a_stream_too() {
    #[derive(Clone, Default)]
    struct Shared(Rc<RefCell<Vec<u8>>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let out = Shared::default();
    write(csv_to(out.clone(), columns(["cat", "dog"], false, false)).unwrap(), false, false);
    assert_eq!(out.0.borrow().as_slice(), b"row,prediction,confidence\n0,dog,0.75\n1,cat,1\n");
}

#[test]
fn jsonl_is_json() {
    let text = String::from_utf8(written("p.jsonl", columns(["cat", "dog"], true, true))).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1]["name"], "b, \"2\".png");
    assert_eq!((&lines[0]["prediction"], &lines[0]["p_dog"]), (&"dog".into(), &0.75.into()));
    let text = String::from_utf8(written("p.jsonl", columns(["3", "10"], false, false))).unwrap();
    assert_eq!(text.lines().next().unwrap(), r#"{"row":0,"prediction":10,"confidence":0.75}"#);
}

#[test]
fn npy_has_numbers_texts_or_probabilities() {
    let numbers = written("p.npy", columns(["3", "10"], false, false));
    let header = |bytes: &[u8]| String::from_utf8_lossy(&bytes[10..128]).trim().to_owned();
    assert_eq!(header(&numbers), "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }");
    assert_eq!(numbers[128..], [10i64.to_le_bytes(), 3i64.to_le_bytes()].concat());
    let texts = written("p.npy", columns(["cat", "katze"], false, false));
    assert_eq!(header(&texts), "{'descr': '<U5', 'fortran_order': False, 'shape': (2,), }");
    assert_eq!(texts.len(), 128 + 2 * 5 * 4);
    let proba = written("p.npy", columns(["cat", "dog"], false, true));
    assert_eq!(header(&proba), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }");
    assert_eq!(proba[128..], PROBA.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>());
}

/// What is written can be read: predictions are labels, probabilities are features.
#[test]
fn parquet_has_the_columns_of_csv() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("p.parquet");
    for (classes, name) in [(["cat", "dog"], "dog"), (["3", "10"], "10")] {
        fs::write(&path, written("p.parquet", columns(classes, true, true))).unwrap();
        let options = ReadOptions { label: Some("prediction".into()), ..ReadOptions::default() };
        let schema = inspect(&path, &options).unwrap();
        let proba = classes.map(|class| format!("p_{class}"));
        assert_eq!(schema.columns.unwrap(), ["row", "confidence", &proba[0], &proba[1]]);
        assert_eq!(schema.ignored, ["name"]);
        let source = Source::load(&path, &options).unwrap();
        assert_eq!(source.classes().name(source.labels()[0]), name);
        assert_eq!(source.features().row(0), [0.0, 0.75, 0.25, 0.75]);
    }
}

#[test]
fn bad_paths_and_bad_rows_are_errors() {
    let error = create("p.xlsx", columns(["a", "b"], false, false)).err().unwrap();
    assert_eq!(
        error.to_string(),
        "p.xlsx: found a missing or unknown extension, wanted one of .csv, .parquet, .pq, .npy, .jsonl, .ndjson"
    );
    let error = create("/no/such/p.csv", columns(["a", "b"], false, false)).err().unwrap();
    assert_eq!(error.to_string(), "cannot create /no/such/p.csv");
    let directory = tempdir().unwrap();
    for format in FORMATS {
        let path = directory.path().join("p").with_extension(format.extensions[0]);
        let mut writer = create(&path, columns(["a", "b"], false, false)).unwrap();
        let rows =
            PredictedRows { first_row: 0, names: None, predictions: &[2], confidence: &[1.0], proba: None };
        assert!(writer.write(&rows).is_err(), "{}", format.name);
        drop(writer);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "{}", format.name);
    }
}
