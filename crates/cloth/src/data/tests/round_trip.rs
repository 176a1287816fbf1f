//! What is written is what is read, whatever the values.

use arrow_array::{FixedSizeListArray, Float32Array, Int64Array, StringArray};
use proptest::prelude::*;

use super::write::{array, gz, idx, le, npy, npy_f32, npy_i64, npy_text, npz, parquet};
use super::*;

/// Rows, columns, values and labels.
#[derive(Debug, Clone)]
struct Table {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
    labels: Vec<i64>,
}

impl Table {
    fn column(&self, column: usize) -> Vec<f32> {
        self.values.iter().skip(column).step_by(self.columns).copied().collect()
    }

    fn check(&self, path: &Path, options: &ReadOptions) {
        assert_eq!(read_all(path, options).unwrap().values(), self.values);
        let source = Source::load(path, options).unwrap();
        assert_eq!(source.features().values(), self.values);
        let labels: Vec<String> = self.labels.iter().map(i64::to_string).collect();
        assert_eq!(label_names(&source), labels);
    }
}

fn tables() -> impl Strategy<Value = Table> {
    (2usize..12, 1usize..6).prop_flat_map(|(rows, columns)| {
        let values = prop::collection::vec(-1e6f32..1e6, rows * columns);
        let labels = prop::collection::vec(-5i64..5, rows);
        (values, labels).prop_map(move |(values, mut labels)| {
            // A source has two classes at least.
            (labels[0], labels[1]) = (-6, 6);
            Table { rows, columns, values, labels }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn npy_and_npz(table in tables(), compressed: bool) {
        let scratch = Scratch::new();
        let (x, y) = (npy_f32(table.rows, &table.values), npy_i64(&table.labels));
        let path = scratch.file("s.npz", npz(&[("y", y.clone()), ("x", x.clone())], compressed));
        table.check(&path, &ReadOptions::default());
        scratch.file("y.npy", y);
        table.check(&scratch.file("x.npy", x), &ReadOptions::default());
    }

    #[test]
    fn fortran_order(table in tables()) {
        let scratch = Scratch::new();
        let columns: Vec<f32> = (0..table.columns).flat_map(|column| table.column(column)).collect();
        scratch.file("y.npy", npy_i64(&table.labels));
        let shape = format!("({}, {})", table.rows, table.columns);
        table.check(&scratch.file("x.npy", npy("<f4", true, &shape, &le(&columns))), &ReadOptions::default());
    }

    #[test]
    fn csv(table in tables(), compressed: bool) {
        let scratch = Scratch::new();
        let mut text = (0..table.columns).map(|column| format!("f{column},")).collect::<String>() + "label\r\n";
        for (row, label) in table.values.chunks(table.columns).zip(&table.labels) {
            text += &row.iter().map(|value| format!("{value},")).collect::<String>();
            text += &format!("{label}.0\r\n");
        }
        let path = match compressed {
            true => scratch.file("s.csv.gz", gz(text.as_bytes())),
            false => scratch.file("s.csv", text),
        };
        table.check(&path, &ReadOptions::default());
    }

    #[test]
    fn idx_files(table in tables(), compressed: bool) {
        let scratch = Scratch::new();
        let values: Vec<u8> = table.values.iter().flat_map(|value| value.to_be_bytes()).collect();
        let labels: Vec<u8> = table.labels.iter().flat_map(|&label| (label as i32).to_be_bytes()).collect();
        let x = idx(0x0d, &[table.rows as u32, table.columns as u32], &values);
        scratch.file("labels-idx1-ubyte", idx(0x0c, &[table.rows as u32], &labels));
        let path = match compressed {
            true => scratch.file("images-idx3-ubyte.gz", gz(&x)),
            false => scratch.file("images-idx3-ubyte", x),
        };
        table.check(&path, &ReadOptions::default());
    }

    #[test]
    fn parquet_columns(table in tables()) {
        let scratch = Scratch::new();
        let names: Vec<String> = (0..table.columns).map(|column| format!("f{column}")).collect();
        let label = array(Int64Array::from(table.labels.clone()));
        let mut columns = vec![("label", label)];
        // Backwards in the file, so that the order has to come from the options.
        for column in (0..table.columns).rev() {
            columns.push((&names[column], array(Float32Array::from(table.column(column)))));
        }
        let path = scratch.file("s.parquet", parquet(columns));
        table.check(&path, &ReadOptions { columns: Some(names), ..ReadOptions::default() });
    }

    #[test]
    fn parquet_lists(table in tables()) {
        use arrow_array::types::Float32Type;
        let scratch = Scratch::new();
        let lists = table.values.chunks(table.columns).map(|row| Some(row.iter().copied().map(Some)));
        let label = array(StringArray::from_iter_values(table.labels.iter().map(i64::to_string)));
        let fixed = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(lists.clone(), table.columns as i32);
        let path = scratch.file("f.parquet", parquet(vec![("embedding", array(fixed)), ("label", label.clone())]));
        table.check(&path, &ReadOptions::default());
        let free = arrow_array::ListArray::from_iter_primitive::<Float32Type, _, _>(lists);
        let path = scratch.file("l.parquet", parquet(vec![("embedding", array(free)), ("label", label)]));
        table.check(&path, &ReadOptions::default());
    }

    #[test]
    fn texts_as_labels(labels in prop::collection::vec("[a-zäß猫 ]{1,6}", 2..8)) {
        let labels: Vec<&str> = labels.iter().map(|label| label.trim()).filter(|label| !label.is_empty()).collect();
        prop_assume!(labels.iter().any(|label| *label != labels[0]));
        let scratch = Scratch::new();
        let x = npy_f32(labels.len(), &vec![0.5; labels.len()]);
        let path = scratch.file("s.npz", npz(&[("x", x), ("y", npy_text(&labels))], true));
        let source = load(&path).unwrap();
        prop_assert_eq!(label_names(&source), labels);
    }
}
