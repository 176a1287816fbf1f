//! Thumbnails of image rows, as PNG.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};

use crate::data::{Features, Shape, fit_image};

/// Longest side of a thumbnail, in pixels.
const SIDE: usize = 64;

/// The row as base64 PNG, scaled from its darkest value to its brightest; none unless it is an image of 1, 3 or 4
/// channels.
pub(super) fn thumbnail(row: &[f32], shape: Shape) -> Option<String> {
    let Shape::Image { channels, height, width } = shape else { return None };
    let colour = match channels {
        1 => ExtendedColorType::L8,
        3 => ExtendedColorType::Rgb8,
        4 => ExtendedColorType::Rgba8,
        _ => return None,
    };
    let features = Features::new(row.to_vec(), shape).ok()?;
    let longest = height.max(width);
    let small = match longest {
        0..=SIDE => features,
        _ => {
            let shorter = |side: usize| (side * SIDE / longest).max(1);
            let shape = Shape::Image { channels, height: shorter(height), width: shorter(width) };
            fit_image(&features, shape).ok()?
        }
    };
    let Shape::Image { height, width, .. } = small.shape() else { return None };
    let low = small.values().iter().copied().fold(0.0, f32::min);
    let high = small.values().iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let pixels = height * width;
    let byte = |i: usize| {
        let value = small.values()[i % channels * pixels + i / channels];
        ((value - low) / (high - low) * 255.0).round() as u8
    };
    let bytes: Vec<u8> = (0..pixels * channels).map(byte).collect();
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(&bytes, width as u32, height as u32, colour).ok()?;
    Some(STANDARD.encode(png))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(row: &[f32], shape: Shape) -> image::DynamicImage {
        let png = STANDARD.decode(thumbnail(row, shape).unwrap()).unwrap();
        image::load_from_memory(&png).unwrap()
    }

    #[test]
    fn values_are_stretched_and_channels_stand_together() {
        let image = decoded(&[0.0, 8.0, 16.0, 4.0], Shape::Image { channels: 1, height: 2, width: 2 });
        assert_eq!(image.to_luma8().into_raw(), [0, 128, 255, 64]);
        let image =
            decoded(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0], Shape::Image { channels: 3, height: 1, width: 2 });
        assert_eq!(image.to_rgb8().into_raw(), [255, 0, 0, 0, 0, 255]);
    }

    #[test]
    fn large_images_become_small_and_tables_have_no_picture() {
        let image = decoded(&vec![1.0; 128 * 100], Shape::Image { channels: 1, height: 100, width: 128 });
        assert_eq!((image.width(), image.height()), (64, 50));
        assert_eq!(thumbnail(&[1.0; 4], Shape::Flat(4)), None);
    }
}
