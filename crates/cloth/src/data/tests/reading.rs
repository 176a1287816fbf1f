//! Where features and labels are found.

use arrow_array::{BooleanArray, DictionaryArray, Float32Array, Float64Array, StringArray, types::Int32Type};

use super::write::{array, idx, npy, npy_f32, npy_i64, npy_text, npz, parquet, png};
use super::*;

#[test]
fn csv_leaves_out_texts_and_finds_the_label_in_any_case() {
    let scratch = Scratch::new();
    let path = scratch.file("s.csv", "\u{feff},id,a,Class,note,b\n0,x1,1,cat,hi,\n1,x2,2,dog,,0.5\n");
    let schema = inspect(&path, &ReadOptions::default()).unwrap();
    assert_eq!(schema.columns.unwrap(), ["a", "b"]);
    assert_eq!(schema.label.unwrap(), "column \"Class\"");
    assert_eq!(schema.ignored, ["(no name)", "id", "note"]);
    let features = read_all(&path, &ReadOptions::default()).unwrap();
    assert!(features.row(0)[1].is_nan());
    assert_eq!(features.row(1), [2.0, 0.5]);
}

#[test]
fn csv_without_a_header_numbers_its_columns() {
    let scratch = Scratch::new();
    let path = scratch.file("s.csv", "1.5,2,0\n2.5,3,1\n");
    let options = ReadOptions { label: Some("3".into()), ..ReadOptions::default() };
    let source = Source::load(&path, &options).unwrap();
    assert_eq!(source.features().values(), [1.5, 2.0, 2.5, 3.0]);
    assert_eq!(label_names(&source), ["0", "1"]);
    assert_eq!(source.layout().columns, None);
}

#[test]
fn a_target_without_a_header_may_lack_the_source_s_column_of_labels() {
    let scratch = Scratch::new();
    let options = ReadOptions { label: Some("1".into()), ..ReadOptions::default() };
    let source = Source::load(scratch.file("s.csv", "0,1.5,2.5\n1,3.5,4.5\n"), &options).unwrap();
    for (text, had_labels) in [("0,5.5,6.5\n", true), ("5.5,6.5\n", false)] {
        let target = Target::load(scratch.file("t.csv", text), &options, source.layout()).unwrap();
        assert_eq!((target.features().row(0), target.had_labels()), (&[5.5, 6.5][..], had_labels));
    }
    let error =
        Target::load(scratch.file("t.csv", "5.5,6.5,7.5,8.5\n"), &options, source.layout()).unwrap_err();
    assert!(error.to_string().ends_with("as in the source"), "{error}");
}

#[test]
fn a_target_matches_the_columns_of_the_source_whatever_their_order() {
    let scratch = Scratch::new();
    let source = load(&scratch.file("s.csv", "a,b,label\n1,2,x\n3,4,y\n")).unwrap();
    let path = scratch.file("t.tsv", "extra\tb\tlabel\ta\n9\t20\tx\t10\n9\t40\ty\t30\n");
    let target = Target::load(&path, &ReadOptions::default(), source.layout()).unwrap();
    assert_eq!(target.features().values(), [10.0, 20.0, 30.0, 40.0]);
    assert!(target.had_labels());
    assert_eq!(target.schema().unwrap().ignored, ["extra"]);

    let held_out = HeldOut::open(&path, &ReadOptions::default(), source.layout(), source.classes()).unwrap();
    let chunks: Vec<_> = held_out.map(Result::unwrap).collect();
    assert_eq!(chunks, [(target.features().clone(), vec![0, 1])]);

    let mut unlabelled = Unlabelled::open(&path, &ReadOptions::default(), source.layout()).unwrap();
    let chunk = unlabelled.next().unwrap().unwrap();
    assert_eq!((chunk.features, chunk.labels), (target.features().clone(), None));
    assert!(unlabelled.next().is_none());
}

#[test]
fn npz_finds_features_and_labels_under_other_names() {
    let scratch = Scratch::new();
    let (x, y) = (npy_f32(2, &[1.0, 2.0]), npy_text(&["b", "a"]));
    for names in [["features", "labels"], ["X", "targets"], ["whatever", "label"]] {
        let path = scratch.file("s.npz", npz(&[(names[1], y.clone()), (names[0], x.clone())], true));
        assert_eq!(label_names(&load(&path).unwrap()), ["b", "a"], "{names:?}");
    }
    let path = scratch.file("s.npz", npz(&[("x", x), ("species", y)], true));
    let options = ReadOptions { label: Some("species".into()), ..ReadOptions::default() };
    let source = Source::load(&path, &options).unwrap();
    assert_eq!(source.labels(), [1, 0]);
    assert_eq!(source.schema().unwrap().label.as_deref(), Some("array \"species\""));
}

#[test]
fn arrays_of_every_type_become_f32() {
    let scratch = Scratch::new();
    for (descr, data) in [
        ("|b1", vec![1, 0, 1, 1]),
        ("|u1", vec![1, 0, 1, 1]),
        (">i2", vec![0, 1, 0, 0, 0, 1, 0, 1]),
        ("<f2", vec![0, 0x3c, 0, 0, 0, 0x3c, 0, 0x3c]),
        ("<u4", [1u32, 0, 1, 1].iter().flat_map(|v| v.to_le_bytes()).collect()),
        (">f8", [1f64, 0.0, 1.0, 1.0].iter().flat_map(|v| v.to_be_bytes()).collect()),
    ] {
        let path = scratch.file("x.npy", npy(descr, false, "(2, 2)", &data));
        assert_eq!(
            read_all(&path, &ReadOptions::default()).unwrap().values(),
            [1.0, 0.0, 1.0, 1.0],
            "{descr}"
        );
    }
}

#[test]
fn images_come_channel_by_channel() {
    let scratch = Scratch::new();
    let pixels: Vec<u8> = (0..12).collect();
    let last = scratch.file("a.npy", npy("|u1", false, "(1, 2, 2, 3)", &pixels));
    let features = read_all(&last, &ReadOptions::default()).unwrap();
    assert_eq!(features.shape(), Shape::Image { channels: 3, height: 2, width: 2 });
    assert_eq!(features.row(0), [0.0, 3.0, 6.0, 9.0, 1.0, 4.0, 7.0, 10.0, 2.0, 5.0, 8.0, 11.0]);
    let first = scratch.file("b.npy", npy("|u1", false, "(1, 3, 2, 2)", &pixels));
    assert_eq!(read_all(&first, &ReadOptions::default()).unwrap().row(0)[..3], [0.0, 1.0, 2.0]);
    let gray = scratch.file("c-idx3-ubyte", idx(8, &[3, 2, 2], &pixels));
    let schema = inspect(&gray, &ReadOptions::default()).unwrap();
    assert_eq!((schema.shape.to_string().as_str(), schema.rows), ("2×2 gray image", Some(3)));
}

#[test]
fn image_option_brings_arrays_and_directories_to_one_shape() {
    let scratch = Scratch::new();
    let options = ReadOptions { image: Some(ImageFit { size: 4, channels: 1 }), ..ReadOptions::default() };
    let mnist = scratch.file("a.npy", npy("|u1", false, "(1, 2, 2)", &[100; 4]));
    let svhn = scratch.file("b.npy", npy("|u1", false, "(1, 8, 8, 3)", &[100; 192]));
    png(&scratch.path("d/x/1.png"), 5, 7, [100, 100, 100]);
    for path in [mnist, svhn, scratch.path("d")] {
        let features = read_all(&path, &options).unwrap();
        assert_eq!(features.shape(), Shape::Image { channels: 1, height: 4, width: 4 });
        assert!(features.values().iter().all(|value| (value - 100.0).abs() < 1e-3), "{}", path.display());
    }
}

#[test]
fn colours_that_are_left_out_are_said_to_be() {
    let scratch = Scratch::new();
    let with =
        |channels| ReadOptions { image: Some(ImageFit { size: 4, channels }), ..ReadOptions::default() };
    let coloured = scratch.file("b.npy", npy("|u1", false, "(1, 8, 8, 3)", &[100; 192]));
    let gray = scratch.file("a.npy", npy("|u1", false, "(1, 2, 2)", &[100; 4]));
    png(&scratch.path("d/x/1.png"), 5, 7, [1, 2, 3]);
    ::image::GrayImage::new(3, 3).save(scratch.path("gray.png")).unwrap();
    std::fs::create_dir(scratch.path("g")).unwrap();
    std::fs::rename(scratch.path("gray.png"), scratch.path("g/1.png")).unwrap();
    for (path, says) in
        [(coloured, true), (gray, false), (scratch.path("d"), true), (scratch.path("g"), false)]
    {
        let ignored = |channels| inspect(&path, &with(channels)).unwrap().ignored;
        assert_eq!(!ignored(1).is_empty(), says, "{}", path.display());
        assert!(ignored(3).is_empty(), "{}", path.display());
    }
}

#[test]
fn sixteen_bits_are_not_rounded_to_eight() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("d")).unwrap();
    let save = |name: &str, image: ::image::DynamicImage| image.save(scratch.path(name)).unwrap();
    let pixel = 1000u16;
    save("d/1.png", ::image::ImageBuffer::from_pixel(4, 4, ::image::Luma([pixel])).into());
    save("d/2.png", ::image::ImageBuffer::from_pixel(4, 4, ::image::Rgb([pixel; 3])).into());
    save("d/3.png", ::image::ImageBuffer::from_pixel(4, 4, ::image::Rgba([pixel, pixel, pixel, 9])).into());
    save("d/4.png", ::image::ImageBuffer::from_pixel(4, 4, ::image::LumaA([4u8, 255])).into());
    let features = read_all(&scratch.path("d"), &ReadOptions::default()).unwrap();
    let wanted = 255.0 * f32::from(pixel) / 65535.0;
    for row in 0..3 {
        assert!((features.row(row)[0] - wanted).abs() < 1e-3, "{} {wanted}", features.row(row)[0]);
    }
    assert!((features.row(3)[0] - 4.0).abs() < 1e-4, "{}", features.row(3)[0]);
}

#[test]
fn directories_are_classes_and_the_order_is_that_of_the_paths() {
    let scratch = Scratch::new();
    for (name, value) in [("d/dog/b.png", 3), ("d/cat/z/9.png", 2), ("d/dog/a.png", 1), ("d/cat/1.PNG", 0)] {
        png(&scratch.path(name), 4, 4, [value; 3]);
    }
    scratch.file("d/cat/notes.txt", "");
    scratch.file("d/.DS_Store", "");
    let source = load(&scratch.path("d")).unwrap();
    assert_eq!(label_names(&source), ["cat", "cat", "dog", "dog"]);
    let colours = "colours (`data.image_channels=3` keeps them)";
    assert_eq!(source.schema().unwrap().ignored, ["1 file that is not an image", colours]);
    let mut rows = Unlabelled::open(scratch.path("d"), &ReadOptions::default(), source.layout()).unwrap();
    let chunk = rows.next().unwrap().unwrap();
    assert_eq!(chunk.names.unwrap(), ["cat/1.PNG", "cat/z/9.png", "dog/a.png", "dog/b.png"]);
    let first: Vec<f32> = (0..4).map(|row| chunk.features.row(row)[0].round()).collect();
    assert_eq!(first, [0.0, 2.0, 1.0, 3.0]);
}

#[test]
fn a_directory_of_images_takes_the_shape_of_the_source() {
    let scratch = Scratch::new();
    let y = npy_i64(&[0, 1]);
    let x = npy("|u1", false, "(2, 28, 28)", &[7; 2 * 28 * 28]);
    let source = load(&scratch.file("s.npz", npz(&[("x", x), ("y", y)], true))).unwrap();
    png(&scratch.path("t/1.png"), 50, 50, [9; 3]);
    let target = Target::load(scratch.path("t"), &ReadOptions::default(), source.layout()).unwrap();
    assert_eq!(target.features().shape(), source.features().shape());
    assert!(!target.had_labels());
}

#[test]
fn parquet_takes_every_kind_of_column() {
    let scratch = Scratch::new();
    let categories: DictionaryArray<Int32Type> = vec!["b", "a", "b"].into_iter().collect();
    let path = scratch.file(
        "s.parquet",
        parquet(vec![
            ("name", array(StringArray::from(vec!["p", "q", "r"]))),
            ("flag", array(BooleanArray::from(vec![true, false, true]))),
            ("wide", array(Float64Array::from(vec![Some(1.5), None, Some(2.5)]))),
            ("Target", array(categories)),
        ]),
    );
    let schema = inspect(&path, &ReadOptions::default()).unwrap();
    assert_eq!(
        (schema.columns.unwrap(), schema.ignored),
        (vec!["flag".into(), "wide".into()], vec!["name".to_owned()])
    );
    assert_eq!((schema.rows, schema.label), (Some(3), Some("column \"Target\"".to_owned())));
    let features = read_all(&path, &ReadOptions::default()).unwrap();
    assert_eq!((features.row(0), features.row(2)), (&[1.0, 1.5][..], &[1.0, 2.5][..]));
    assert!(features.row(1)[1].is_nan());
    let path = scratch.file(
        "t.parquet",
        parquet(vec![
            ("a", array(Float32Array::from(vec![1.0, 2.0]))),
            ("y", array(BooleanArray::from(vec![true, false]))),
        ]),
    );
    assert_eq!(label_names(&load(&path).unwrap()), ["true", "false"]);
    // Categories of which there is none.
    let nothing: DictionaryArray<Int32Type> = vec![None::<&str>, None].into_iter().collect();
    let path = scratch.file(
        "u.parquet",
        parquet(vec![("a", array(Float32Array::from(vec![1.0, 2.0]))), ("y", array(nothing))]),
    );
    let (message, _) = scratch.message(&load(&path).unwrap_err());
    assert_eq!(message, "u.parquet, row 1: found no label, wanted one in each row");
}

#[test]
fn a_label_is_the_same_class_in_every_format() {
    let scratch = Scratch::new();
    let source = load(&scratch.file("s.csv", "a,b,y\n1,2,3.0\n3,4,10\n")).unwrap();
    assert_eq!(source.classes().names(), ["3", "10"]);
    let x = npy_f32(2, &[1.0, 2.0, 3.0, 4.0]);
    for labels in [
        npy_i64(&[10, 3]),
        npy_text(&["10", "3.0"]),
        npy("<f4", false, "(2, 1)", &super::write::le(&[10.0, 3.0])),
    ] {
        let path = scratch.file("t.npz", npz(&[("x", x.clone()), ("y", labels)], false));
        let mut held_out =
            HeldOut::open(path, &ReadOptions::default(), source.layout(), source.classes()).unwrap();
        assert_eq!(held_out.next().unwrap().unwrap().1, [1, 0]);
    }
}

#[test]
fn whoever_watches_a_file_being_loaded_is_shown_all_of_it_once() {
    let scratch = Scratch::new();
    let mut text = "a,b,label\n".to_owned();
    (0..20_000).for_each(|i| text += &format!("{i},1,{}\n", i % 2));
    let seen = |text: &str| {
        let path = scratch.file("s.csv", text);
        let (mut opened, mut values, mut ended) = (0, Vec::new(), 0);
        let loaded = Source::load_watched(path, &ReadOptions::default(), |event| match event {
            LoadEvent::Opened(schema) => {
                assert_eq!((schema.format, values.len()), ("csv", 0));
                opened += 1;
            }
            LoadEvent::Rows(rows) => values.extend(rows.values().iter().step_by(2).copied()),
            LoadEvent::End => ended += 1,
        });
        (loaded, opened, values, ended)
    };
    let (loaded, opened, values, ended) = seen(&text);
    assert_eq!((loaded.unwrap().len(), opened, ended), (20_000, 1, 1));
    assert!(values.iter().enumerate().all(|(i, &value)| value == i as f32) && values.len() == 20_000);
    // What is wrong with the values does not end it early; what is wrong with the file does.
    let (loaded, _, values, ended) = seen(&text.replace("\n7,1,", "\nnan,1,"));
    assert!(loaded.is_err() && values.len() == 20_000 && ended == 1);
    let (loaded, opened, _, ended) = seen(&(text + "1,2\n"));
    assert!(loaded.is_err() && opened == 1 && ended == 0);
}
