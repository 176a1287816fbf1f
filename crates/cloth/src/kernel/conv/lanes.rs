//! Between NCHW and the lane layout.
//!
//! A group of `L` images (one per SIMD lane) is stored as `[element][L]`: one SIMD register holds the same
//! element of `L` images. So the kernels need no shuffles, and no width of an image is ever a bad one.

use super::transpose::transpose;

/// Copies the images of a group, `len` elements each, to `lanes`. Lanes without an image become zero.
pub(super) fn to_lanes(images: &[f32], len: usize, lanes: &mut [f32]) {
    let (present, count) = (images.len() / len, lanes.len() / len);
    assert!(present <= count, "more images than lanes");
    transpose(images, (present, len), len, lanes, count);
    if present < count {
        for element in lanes.chunks_exact_mut(count) {
            element[present..].fill(0.0);
        }
    }
}

/// The inverse of [`to_lanes`]: writes all of `images`, and leaves out lanes without an image.
pub(super) fn from_lanes(lanes: &[f32], len: usize, images: &mut [f32]) {
    let (present, count) = (images.len() / len, lanes.len() / len);
    assert!(present <= count && present * len == images.len(), "whole images, no more than lanes");
    transpose(lanes, (len, present), count, images, len);
}
