#![no_main]
//! A model file. A model that loads must also predict without a panic.

use cloth::{Head, Model};
use cloth_fuzz::with_file;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| with_file("model.safetensors", bytes, |path| {
    if let Ok(model) = Model::load(path) {
        let _ = model.predict(&vec![0.5; model.about().layout.shape.len()], Head::C);
    }
}));
