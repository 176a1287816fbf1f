#![no_main]

use cloth_fuzz::{read_rows, with_file};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| with_file("a.csv", bytes, read_rows));
