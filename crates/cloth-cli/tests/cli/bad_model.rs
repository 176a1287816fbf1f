//! Errors for model files that cannot be used, and for data that do not fit a model.

use std::fs;

use crate::support::{Dir, Labels, csv, rows};

#[test]
fn a_model_that_is_not_ours() {
    let dir = Dir::with_data();
    dir.write("model.safetensors", "not a model");
    dir.run(["predict", "model.safetensors", "target.csv"])
        .failed(&["model.safetensors: found", "wanted a model that training has saved"]);
    // An empty header is valid safetensors, but has no model of ours.
    dir.write("other.safetensors", [&2u64.to_le_bytes()[..], b"{}"].concat());
    dir.run(["eval", "other.safetensors", "source.csv"])
        .failed(&["other.safetensors: found safetensors that were not written by cloth"]);
    dir.run(["predict", "nowhere", "target.csv"]).failed(&["cannot read nowhere"]);
    fs::create_dir(dir.path("empty")).unwrap();
    dir.run(["predict", "empty", "target.csv"])
        .failed(&["empty: found no config.toml, wanted the directory of a training run"]);

    dir.train("source.csv", "target.csv", "run", &[]).done();
    let model = dir.read("run/model.safetensors");
    dir.write("cut.safetensors", &model[..model.len() / 2]);
    dir.run(["predict", "cut.safetensors", "target.csv"]).failed(&["cut.safetensors: found"]);
    dir.run(["predict", "run/checkpoint.safetensors", "target.csv"])
        .failed(&["checkpoint.safetensors: found"]);
}

#[test]
fn a_model_from_a_newer_version() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &[]).done();
    let mut model = dir.read("run/model.safetensors");
    let old = br#"\"version\":1,"#;
    let at = model.windows(old.len()).position(|window| window == old).unwrap();
    model[at + old.len() - 2] = b'9';
    dir.write("newer.safetensors", &model);
    dir.run(["predict", "newer.safetensors", "target.csv"]).failed(&[
        "newer.safetensors: found file version 9, wanted at most 1",
        "help: the file comes from a newer cloth",
    ]);
}

#[test]
fn data_that_a_model_does_not_know() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &[]).done();
    dir.write("unknown.csv", dir.text("source.csv").replace("cat\n", "dog\n"));
    dir.run(["eval", "run", "unknown.csv"]).failed(&[
        "unknown.csv, row 3: found the label \"dog\", wanted one of the source's classes: ant, bee, cat",
    ]);
    dir.run(["eval", "run", "target.csv"]).failed(&["target.csv: found no label"]);
    dir.write("narrow.csv", "f0,f1\n1,2\n");
    let before = dir.files();
    dir.run(["predict", "run", "narrow.csv", "-o", "out.csv"]).failed(&["narrow.csv: found no column f2"]);
    dir.write("late.csv", csv(&rows(20_000, 2, 1.0), Labels::None) + "0,0,0,0,0,0,0,nan\n");
    dir.run(["predict", "run", "late.csv", "-o", "out.csv"]).failed(&["late.csv, row 20001, column \"f7\""]);
    fs::remove_file(dir.path("late.csv")).unwrap();
    assert_eq!(dir.files(), before);
}
