#![no_main]
//! Fuzzed images with valid labels, and fuzzed labels with valid images.

use cloth_fuzz::{read_rows, with_file};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let good = include_bytes!("../seeds/idx/labels");
    with_file("images/a-labels-idx1-ubyte", good, |_| {
        with_file("images/a-images-idx3-ubyte", bytes, read_rows);
    });
    let good = include_bytes!("../seeds/idx/images");
    with_file("labels/a-images-idx3-ubyte", good, |images| {
        with_file("labels/a-labels-idx1-ubyte", bytes, |_| read_rows(images));
    });
});
