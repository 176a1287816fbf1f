//! Every bad input gets a message with the place, what was found and what was wanted; no files are left behind.

use std::fs;

use crate::support::{Dir, FAST, Labels, WIDTH, csv, npz, rows};

/// Checks that `cloth train` fails with these parts in its message, and writes nothing.
#[track_caller]
fn refused(dir: &Dir, source: &str, target: &str, more: &[&str], parts: &[&str]) {
    let before = dir.files();
    dir.run(["train", source, target].iter().chain(FAST).chain(more)).failed(parts);
    assert_eq!(dir.files(), before);
}

#[test]
fn missing_file() {
    let dir = Dir::with_data();
    refused(
        &dir,
        "nowhere.npz",
        "target.csv",
        &[],
        &["cannot read", "nowhere.npz", "No such file", "help: check the path"],
    );
    refused(&dir, "source.csv", "nowhere/x.csv", &[], &["cannot read", "nowhere/x.csv"]);
}

#[test]
fn wrong_extension() {
    let dir = Dir::with_data();
    dir.write("source.xlsx", "x");
    refused(
        &dir,
        "source.xlsx",
        "target.csv",
        &[],
        &["source.xlsx: found the unknown extension .xlsx", "wanted one of .npz, .npy, .csv"],
    );
    dir.write("table.npz", csv(&rows(10, 1, 0.0), Labels::True));
    refused(
        &dir,
        "table.npz",
        "target.csv",
        &[],
        &["table.npz: found", "not of the format that its extension says"],
    );
}

#[test]
fn truncated_npz() {
    let dir = Dir::with_data();
    let whole = npz(&rows(150, 1, 0.0));
    for length in [0, 100, whole.len() / 2, whole.len() - 10] {
        dir.write("cut.npz", &whole[..length]);
        refused(&dir, "cut.npz", "target.csv", &[], &["cut.npz: found", "help: "]);
    }
}

/// Found by fuzzing: the Parquet crate panics on this file. The user gets an error and no panic message.
#[test]
fn damaged_parquet() {
    let dir = Dir::with_data();
    dir.write("bad.parquet", include_bytes!("../../../../fuzz/seeds/parquet/negative-offset.parquet"));
    let ran = dir
        .run(["train", "bad.parquet", "target.csv", "--label", "y"])
        .failed(&["bad.parquet: found Parquet that cannot be read", "help: the file is damaged"]);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn ragged_csv() {
    let dir = Dir::with_data();
    dir.write("source.csv", dir.text("source.csv") + "1,2,3\n");
    refused(
        &dir,
        "source.csv",
        "target.csv",
        &[],
        &[
            "source.csv, line 152: found 3 values, wanted 9, as in the first line",
            "help: look for a missing or extra separator",
        ],
    );
}

#[test]
fn rows_with_nan_or_infinity() {
    let dir = Dir::with_data();
    let good = dir.text("target.csv");
    dir.write("target.csv", good.clone() + "0,0,nan,0,0,0,0,0\n");
    refused(
        &dir,
        "source.csv",
        "target.csv",
        &[],
        &[
            "target.csv, row 121, column \"f2\": found NaN",
            "1 row of 121",
            "wanted finite numbers",
            "help: drop the rows",
        ],
    );
    dir.write("target.csv", good + "0,0,0,0,0,0,0,inf\n0,0,0,0,0,0,0,1e60\n");
    refused(
        &dir,
        "source.csv",
        "target.csv",
        &[],
        &["target.csv, row 121, column \"f7\": found an infinite value, in 2 rows of 122"],
    );
}

#[test]
fn zero_rows() {
    let dir = Dir::with_data();
    dir.write("empty.csv", csv(&[], Labels::None));
    refused(&dir, "source.csv", "empty.csv", &[], &["empty.csv: found no rows, wanted at least one"]);
    dir.write("nothing.csv", "");
    refused(
        &dir,
        "nothing.csv",
        "target.csv",
        &[],
        &["nothing.csv: found an empty file, wanted a header and rows"],
    );
}

#[test]
fn one_class_only() {
    let dir = Dir::with_data();
    let ants: Vec<_> = rows(60, 1, 0.0).into_iter().filter(|row| row.1 == 0).collect();
    dir.write("ants.csv", csv(&ants, Labels::True));
    refused(
        &dir,
        "ants.csv",
        "target.csv",
        &[],
        &["ants.csv: found one class only, \"ant\", wanted at least two"],
    );
}

#[test]
fn label_missing() {
    let dir = Dir::with_data();
    dir.write("bare.csv", csv(&rows(60, 1, 0.0), Labels::None));
    refused(
        &dir,
        "bare.csv",
        "target.csv",
        &[],
        &["bare.csv: found no label among the columns f0, f1", "wanted one of label, y"],
    );
    refused(
        &dir,
        "source.csv",
        "target.csv",
        &["--label", "lable"],
        &["wanted a column \"lable\"", "help: did you mean \"label\"?"],
    );
    dir.write("gap.csv", dir.text("source.csv") + "0,0,0,0,0,0,0,0,\n");
    refused(
        &dir,
        "gap.csv",
        "target.csv",
        &[],
        &["gap.csv, line 152, column \"label\": found no label, wanted one in each row"],
    );
}

#[test]
fn different_dimensions() {
    let dir = Dir::with_data();
    dir.write("source.npz", npz(&rows(150, 1, 0.0)));
    let narrow: String = rows(60, 2, 1.0).iter().map(|row| format!("{},{}\n", row.0[0], row.0[1])).collect();
    dir.write("narrow.csv", narrow.clone());
    refused(
        &dir,
        "source.npz",
        "narrow.csv",
        &[],
        &["narrow.csv: found 2 features", &format!("wanted {WIDTH} features, as in the source")],
    );
    dir.write("named.csv", format!("f0,f1\n{narrow}"));
    refused(
        &dir,
        "source.csv",
        "named.csv",
        &[],
        &["named.csv: found no column f2, f3", "wanted all 8 feature columns of the source"],
    );
}

/// Not an error: training runs and prints a note.
#[test]
fn a_class_with_one_example() {
    let dir = Dir::with_data();
    dir.write("source.csv", dir.text("source.csv") + "9,9,9,9,9,9,9,9,dodo\n");
    let ran = dir.train("source.csv", "target.csv", "run", &[]).done();
    assert!(ran.stderr.contains("1 class with a single source row: dodo"), "{}", ran.stderr);
}

#[test]
fn a_batch_larger_than_the_data() {
    let dir = Dir::with_data();
    refused(
        &dir,
        "source.csv",
        "target.csv",
        &["--set", "train.batch_size=5000"],
        &[
            "setting `train.batch_size`: found 5000, wanted at most 120",
            "help: use `--set train.batch_size=120` or less",
        ],
    );
}

#[test]
fn an_unknown_key() {
    let dir = Dir::with_data();
    let (source, target) = ("source.csv", "target.csv");
    refused(
        &dir,
        source,
        target,
        &["--set", "train.iteration=5"],
        &["setting `train.iteration`: found an unknown key", "did you mean `train.iterations`?"],
    );
    refused(
        &dir,
        source,
        target,
        &["--set", "train.iterations"],
        &["setting: found `train.iterations`, wanted key=value"],
    );
    dir.write("my.toml", "[train]\nlearning_rte = 1\n");
    refused(
        &dir,
        source,
        target,
        &["--config", "my.toml"],
        &["my.toml, `train.learning_rte`: found an unknown key", "did you mean `train.learning_rate`?"],
    );
    dir.write("bad.toml", "[train\n");
    refused(
        &dir,
        source,
        target,
        &["--config", "bad.toml"],
        &["bad.toml, line 1: found", "wanted a TOML file"],
    );
    refused(&dir, source, target, &["--config", "none.toml"], &["cannot read none.toml"]);
    refused(
        &dir,
        source,
        target,
        &["--method", "clth"],
        &["setting `method.name`: found `clth`, wanted one of cloth, source_only"],
    );
    refused(&dir, source, target, &["--preset", "papr"], &["preset: found `papr`, wanted default or paper"]);
}

#[test]
fn an_impossible_value() {
    let dir = Dir::with_data();
    let (source, target) = ("source.csv", "target.csv");
    refused(
        &dir,
        source,
        target,
        &["--set", "train.iterations=0"],
        &["setting `train.iterations`: found 0, wanted at least 1"],
    );
    refused(
        &dir,
        source,
        target,
        &["--set", "train.iterations=many"],
        &["`train.iterations`: found string", "wanted integer"],
    );
    refused(
        &dir,
        source,
        target,
        &["--set", "method.cloth.alpha=-1"],
        &["`method.cloth.alpha`: found -1, wanted at least 0"],
    );
    refused(&dir, source, target, &["--set", "train.select=best"], &["`train.select`", "best", "source-val"]);
    refused(
        &dir,
        source,
        target,
        &["--set", "method.cloth.prior=[0.5, 0.5]"],
        &["`method.cloth.prior`: found 2 proportions, wanted 3"],
    );
}

#[test]
fn an_output_that_cannot_be_written() {
    let dir = Dir::with_data();
    dir.write("file", "");
    refused(
        &dir,
        "source.csv",
        "target.csv",
        &["-o", "file/run"],
        &["cannot create file/run", "cause: not a directory"],
    );
    refused(&dir, "source.csv", "target.csv", &["-o", "/proc/cloth/run"], &["cannot create /proc/cloth/run"]);
    // The output is checked before the data are read.
    refused(&dir, "nowhere.csv", "target.csv", &["-o", "file/run"], &["cannot create file/run"]);

    dir.train("source.csv", "target.csv", "run", &[]).done();
    refused(
        &dir,
        "source.csv",
        "target.csv",
        &["-o", "run"],
        &["run: found an existing run", "--resume run"],
    );
    let before = dir.files();
    dir.run(["predict", "run", "target.csv", "-o", "no/such/out.csv"])
        .failed(&["cannot create no/such/out.csv", "help: make the directory first"]);
    dir.run(["predict", "run", "target.csv", "-o", "out.xlsx"])
        .failed(&["out.xlsx: found a missing or unknown extension", ".parquet"]);
    dir.run(["predict", "run", "target.csv", "-o", "run"]).failed(&["run"]);
    assert_eq!(dir.files(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn disk_full() {
    let dir = Dir::with_data();
    let full = |name: &str| std::os::unix::fs::symlink("/dev/full", dir.path(name)).unwrap();
    // The disk is full when the model is written.
    fs::create_dir(dir.path("run")).unwrap();
    full("run/model.safetensors");
    let ran = dir.train("source.csv", "target.csv", "run", &[]);
    ran.failed(&["cannot write", "No space left", "help: the disk is full", "cloth train --resume run"]);
    // Nothing is lost: the run can be resumed once there is space.
    fs::remove_file(dir.path("run/model.safetensors")).unwrap();
    dir.run(["train", "--resume", "run"]).done();
    dir.train("source.csv", "target.csv", "whole", &[]).done();
    assert!(dir.read("run/model.safetensors") == dir.read("whole/model.safetensors"));

    full("out.csv");
    dir.run(["predict", "run", "target.csv", "-o", "out.csv"])
        .failed(&["No space left", "help: the disk is full"]);
}

/// A loss that diverges ends the run with an error that has the loss, the iteration and help.
#[test]
fn a_loss_that_is_not_finite() {
    let dir = Dir::with_data();
    let wild = [
        "--set",
        "method.cloth.q=16",
        "--set",
        "method.cloth.moment_scale=one",
        "--set",
        "method.cloth.gamma=1e9",
        "--set",
        "data.normalise=none",
        "--set",
        "train.learning_rate=10",
        "--set",
        "train.checkpoint_seconds=0",
        "--set",
        "train.warmup=0",
    ];
    dir.train("source.csv", "target.csv", "run", &wild).failed(&[
        "became",
        "at iteration",
        "help: ",
        "training stopped",
    ]);
    assert!(!dir.path("run/model.safetensors").exists());
}
