#![no_main]

use cloth_fuzz::{allow_guarded_panics, read_rows, with_file};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    allow_guarded_panics();
    with_file("a.parquet", bytes, read_rows);
});
