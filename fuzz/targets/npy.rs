#![no_main]
//! Fuzzed rows with valid labels, and fuzzed labels with valid rows.

use cloth_fuzz::{read_rows, with_file};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let good = include_bytes!("../seeds/npy/labels.npy");
    with_file("rows/y.npy", good, |_| with_file("rows/x.npy", bytes, read_rows));
    let good = include_bytes!("../seeds/npy/rows.npy");
    with_file("labels/x.npy", good, |x| with_file("labels/y.npy", bytes, |_| read_rows(x)));
});
