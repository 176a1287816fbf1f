//! Each thing that can be wrong with a file, and what is said about it.

use super::write::{gz, idx, npy, npy_f32, npy_i64, npz, png};
use super::*;

/// Writes a file, loads it as a source, and gives back message and help.
fn refused(name: &str, bytes: impl AsRef<[u8]>) -> (String, String) {
    let scratch = Scratch::new();
    let path = scratch.file(name, bytes);
    scratch.message(&load(&path).unwrap_err())
}

fn x() -> Vec<u8> {
    npy_f32(2, &[1.0, 2.0, 3.0, 4.0])
}

#[test]
fn a_missing_file_is_said_to_be_missing_and_keeps_the_reason() {
    let scratch = Scratch::new();
    let error = load(&scratch.path("no.npz")).unwrap_err();
    let (message, help) = scratch.message(&error);
    assert_eq!(message, "cannot read no.npz");
    assert!(help.contains("check the path"), "{help}");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("No such file"), "{source}");
}

#[test]
fn an_unknown_extension_lists_the_known_ones() {
    let (message, _) = refused("a.xlsx", "");
    assert!(
        message.starts_with("a.xlsx: found the unknown extension .xlsx, wanted one of .npz, .npy,"),
        "{message}"
    );
    assert!(message.ends_with("or a directory of images"), "{message}");
    assert!(refused("data", "").0.starts_with("data: found a name without an extension"));
}

#[test]
fn truncated_files_are_said_to_be_truncated() {
    let bytes = x();
    let (message, help) = refused("x.npy", &bytes[..bytes.len() - 3]);
    assert_eq!(message, "x.npy: found 13 bytes of data where an array (2, 2) needs 16");
    assert!(help.contains("truncated"));
    let (message, help) = refused("x.npz", &npz(&[("x", bytes)], false)[..100]);
    assert!(message.starts_with("x.npz: found a zip file that cannot be read"), "{message}");
    assert!(help.contains("damaged"));
    let (message, _) = refused("a.parquet", "PAR1....");
    assert!(message.starts_with("a.parquet: found"), "{message}");

    let scratch = Scratch::new();
    let bytes = gz(&idx(8, &[9, 2, 2], &[1; 36]));
    let path = scratch.file("a.idx.gz", &bytes[..bytes.len() - 12]);
    let (message, help) = scratch.message(&read_all(&path, &ReadOptions::default()).unwrap_err());
    assert!(message.starts_with("a.idx.gz: found an unexpected end of the file"), "{message}");
    assert!(help.contains("truncated"));
    let path = scratch.file("b.idx.gz", gz(&idx(8, &[9, 2, 2], &[1; 30])));
    let (message, _) = scratch.message(&read_all(&path, &ReadOptions::default()).unwrap_err());
    assert_eq!(message, "b.idx.gz: found the end of the file after 7 of 9 rows");
}

#[test]
fn a_flipped_bit_in_an_npz_does_not_pass_for_data() {
    let scratch = Scratch::new();
    let mut bytes = npz(&[("x", x())], false);
    let value = bytes.windows(4).position(|four| four == 3f32.to_le_bytes()).unwrap();
    bytes[value] ^= 1;
    let path = scratch.file("x.npz", bytes);
    let (message, _) = scratch.message(&read_all(&path, &ReadOptions::default()).unwrap_err());
    assert_eq!(message, "x.npz: found bytes that do not match their checksum");
}

#[test]
fn csv_errors_name_line_and_column() {
    let (message, _) = refused("s.csv", "a,b,y\n1,2,x\n1,2\n");
    assert_eq!(message, "s.csv, line 3: found 2 values, wanted 3, as in the first line");
    let (message, _) = refused("s.csv", "a,b,y\n1,2,x\n1,oops,y\n");
    assert_eq!(message, "s.csv, line 3, column \"b\": found \"oops\", wanted a number");
    let (message, help) = refused("s.csv", "a,b,y\n1,2,x\n1,2,\n");
    assert_eq!(message, "s.csv, line 3, column \"y\": found no label, wanted one in each row");
    assert!(help.contains("drop") && !help.contains("needs another"), "{help}");
    let (message, help) = refused("s.csv", "a,y\n1,none\n2,fault\n3,N/A\n");
    assert_eq!(
        message,
        "s.csv, line 4, column \"y\": found `N/A`, which is no label, wanted one in each row"
    );
    assert!(help.contains("drop") && help.contains("needs another one"), "{help}");
    assert_eq!(refused("s.csv", "").0, "s.csv: found an empty file, wanted a header and rows");
}

#[test]
fn values_that_are_not_finite_are_counted_and_the_first_is_named() {
    let (message, help) = refused("s.csv", "a,b,y\n1,2,x\n1,NA,y\n,2,y\n");
    assert_eq!(
        message,
        "s.csv, row 2, column \"b\": found NaN (a missing value), in 2 rows of 3, wanted finite numbers"
    );
    assert!(help.contains("df.dropna()"));
    let (_, help) = refused("s.csv", "a,b,y\n1,,x\n1,,y\n");
    assert!(help.contains("axis=1") && !help.contains("df.dropna()"), "it would leave no rows: {help}");
    let bad = npy_f32(2, &[1.0, 2.0, 3.0, f32::INFINITY]);
    let (message, _) = refused("s.npz", npz(&[("x", bad), ("y", npy_i64(&[0, 1]))], false));
    assert_eq!(
        message,
        "s.npz, row 2, column 2: found an infinite value, in 1 row of 2, wanted finite numbers"
    );
}

#[test]
fn nothing_to_learn_from() {
    assert_eq!(refused("s.csv", "a,b,y\n").0, "s.csv: found no rows, wanted at least one");
    assert_eq!(
        refused("s.csv", "y\nx\nz\n").0,
        "s.csv: found no features, wanted at least one number in a row"
    );
    let (message, help) = refused("s.csv", "a,y\n1,x\n2,x\n");
    assert_eq!(message, "s.csv: found one class only, \"x\", wanted at least two");
    assert!(help.contains("label column"));
    let (message, help) = refused("s.csv", "a,y\n1,0.25\n2,7\n3,-1e-3\n");
    assert_eq!(
        message,
        "s.csv: found 3 different labels in 3 rows, such as -1e-3, wanted classes, with several rows each"
    );
    assert!(help.contains("label column"));
    let empty = npz(&[("x", npy("<f4", false, "(2, 0)", &[])), ("y", npy_i64(&[0, 1]))], false);
    assert_eq!(refused("s.npz", empty).0, "s.npz: found no features, wanted at least one number in a row");
}

#[test]
fn missing_labels_name_what_there_is() {
    let (message, _) = refused("s.csv", "a,b\n1,2\n");
    assert_eq!(
        message,
        "s.csv: found no label among the columns a, b, wanted one of label, y, class, target"
    );
    let scratch = Scratch::new();
    let options = ReadOptions { label: Some("specis".into()), ..ReadOptions::default() };
    let path = scratch.file("s.csv", "a,species\n1,2\n");
    let (message, help) = scratch.message(&Source::load(&path, &options).unwrap_err());
    assert_eq!(message, "s.csv: found no label among the columns a, species, wanted a column \"specis\"");
    assert_eq!(help, "did you mean \"species\"?");
    let path = scratch.file("s.npz", npz(&[("x", x()), ("species", npy_i64(&[1, 2]))], false));
    let (message, help) = scratch.message(&Source::load(&path, &options).unwrap_err());
    assert_eq!(message, "s.npz: found no labels among the arrays x, species, wanted an array \"specis\"");
    assert_eq!(help, "did you mean \"species\"?");
    let (message, _) = refused("amazon.npy", x());
    assert_eq!(
        message,
        "amazon.npy: found no labels, wanted one of these files beside it: amazon_y.npy, amazon_labels.npy"
    );
    png(&scratch.path("d/1.png"), 2, 2, [0; 3]);
    let (message, help) = scratch.message(&load(&scratch.path("d")).unwrap_err());
    assert_eq!(
        message,
        "d: found no label for 1.png, wanted a directory for each class, with its images inside"
    );
    assert!(help.contains("is a cat"));
}

#[test]
fn labels_must_be_one_per_row_and_whole() {
    let labelled = |y: Vec<u8>| refused("s.npz", npz(&[("x", x()), ("y", y)], false));
    let (message, _) = labelled(npy_i64(&[0, 1, 2]));
    assert_eq!(message, "s.npz, array \"y\": found 3 labels, wanted 2, one for each row of features");
    let (message, help) = labelled(npy("|u1", false, "(2, 3)", &[0; 6]));
    assert_eq!(message, "s.npz, array \"y\": found the shape (2, 3), wanted one label per row, (2,)");
    assert!(help.contains("argmax"));
    let (message, _) = labelled(npy("<f4", false, "(2,)", &super::write::le(&[1.0, 0.5])));
    assert_eq!(message, "s.npz, array \"y\", row 2: found the label 0.5, wanted whole numbers or texts");
    let (message, help) = labelled(npy("|O", false, "(2,)", b"pickle"));
    assert_eq!(
        message,
        "s.npz, array \"y\": found pickled Python objects, wanted numbers, booleans or texts"
    );
    assert!(help.contains("astype"));
}

#[test]
fn odd_shapes_are_refused() {
    let (message, help) = refused("s.npz", npz(&[("x", npy_i64(&[1, 2])), ("y", npy_i64(&[0, 1]))], false));
    assert!(
        message.starts_with("s.npz, array \"x\": found the shape (2,), wanted (rows, features)"),
        "{message}"
    );
    assert!(help.contains("reshape"));
    let (message, _) = refused("s.npy", npy("<f4", false, "(-1, 2)", &[]));
    assert!(message.starts_with("s.npy: found the NumPy header"), "{message}");
    let (message, _) = refused("s.npy", npy("<f4", false, "(9999999999999, 9999999999999)", &[]));
    assert!(message.contains("needs more than any computer has"), "{message}");
    let (message, _) = refused("s.npz", npz(&[("a", x()), ("b", x()), ("y", npy_i64(&[0, 1]))], false));
    assert!(
        message.starts_with("s.npz: found the arrays a, b, y, wanted features in one of x, X,"),
        "{message}"
    );
}

#[test]
fn source_and_target_must_be_alike() {
    let scratch = Scratch::new();
    let source = load(&scratch.file("s.csv", "a,b,label\n1,2,x\n3,4,y\n")).unwrap();
    let target = |name: &str, bytes: &[u8]| {
        let path = scratch.file(name, bytes);
        scratch.message(&Target::load(path, &ReadOptions::default(), source.layout()).unwrap_err())
    };
    let (message, _) = target("t.npy", &npy_f32(1, &[1.0, 2.0, 3.0]));
    assert_eq!(message, "t.npy: found 3 features, wanted 2 features, as in the source");
    let (message, help) = target("t.csv", b"a,c\n1,2\n");
    assert_eq!(message, "t.csv: found no column b, wanted all 2 feature columns of the source");
    assert!(help.starts_with("there is a column \"") || help.starts_with("it has a, c"), "{help}");
    let (message, _) = target("t.csv", b"a,b\n1,red\n");
    assert_eq!(message, "t.csv, column \"b\": found texts, wanted numbers");

    let images = npz(&[("x", npy("|u1", false, "(2, 2, 2)", &[0; 8])), ("y", npy_i64(&[0, 1]))], false);
    let source = load(&scratch.file("i.npz", images)).unwrap();
    let path = scratch.file("t.npy", npy("|u1", false, "(2, 3, 3)", &[0; 18]));
    let error = Target::load(path, &ReadOptions::default(), source.layout()).unwrap_err();
    let (message, help) = scratch.message(&error);
    assert_eq!(message, "t.npy: found 3×3 gray image, wanted 2×2 gray image, as in the source");
    assert!(help.contains("data.image_size"));
}

#[test]
fn a_held_out_label_that_the_source_has_not_is_an_error_and_ends_the_stream() {
    let scratch = Scratch::new();
    let source = load(&scratch.file("s.csv", "a,label\n1,x\n3,y\n")).unwrap();
    let path = scratch.file("t.csv", "a,label\n1,x\n3,z\n");
    let mut held_out =
        HeldOut::open(path, &ReadOptions::default(), source.layout(), source.classes()).unwrap();
    let (message, _) = scratch.message(&held_out.next().unwrap().unwrap_err());
    assert_eq!(message, "t.csv, row 2: found the label \"z\", wanted one of the source's classes: x, y");
}

#[test]
fn an_image_that_cannot_be_read_is_named() {
    let scratch = Scratch::new();
    png(&scratch.path("d/a/1.png"), 2, 2, [0; 3]);
    png(&scratch.path("d/b/1.png"), 2, 2, [0; 3]);
    let whole = std::fs::read(scratch.path("d/b/1.png")).unwrap();
    for bytes in [&b"not an image"[..], &whole[..whole.len() / 2], &[]] {
        scratch.file("d/b/2.jpg", bytes);
        let (message, help) = scratch.message(&load(&scratch.path("d")).unwrap_err());
        assert!(message.starts_with("d/b/2.jpg: found an image that cannot be read ("), "{message}");
        assert!(help.contains("good copy"));
    }
    std::fs::create_dir(scratch.path("empty")).unwrap();
    let (message, _) = scratch.message(&load(&scratch.path("empty")).unwrap_err());
    assert!(message.starts_with("empty: found no images, wanted files named .bmp"), "{message}");
}
