#![no_main]
//! A directory of one class with one image. Its first bytes decide its extension.

use cloth_fuzz::{read_rows, with_file};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let extension = match bytes {
        [0x89, b'P', ..] => "png",
        [0xff, 0xd8, ..] => "jpg",
        [b'B', b'M', ..] => "bmp",
        [b'I', b'I', ..] | [b'M', b'M', ..] => "tiff",
        [b'R', b'I', ..] => "webp",
        _ => "ppm",
    };
    let name = format!("{extension}/class/a.{extension}");
    with_file(&name, bytes, |image| {
        let classes = image.parent().and_then(|class| class.parent()).expect("two directories above");
        read_rows(classes);
    });
});
