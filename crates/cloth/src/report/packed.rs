//! Compact text for many numbers: quantised, in base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes in base64.
pub(super) fn bytes(values: impl IntoIterator<Item = u8>) -> String {
    STANDARD.encode(values.into_iter().collect::<Vec<u8>>())
}

/// 16-bit integers in base64, little-endian.
pub(super) fn words(values: impl IntoIterator<Item = u16>) -> String {
    bytes(values.into_iter().flat_map(u16::to_le_bytes))
}

/// 32-bit integers in base64, little-endian.
pub(super) fn longs(values: impl IntoIterator<Item = u32>) -> String {
    bytes(values.into_iter().flat_map(u32::to_le_bytes))
}

/// A share from 0 to 1, scaled to 0 to 255.
pub(super) fn share(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Points as pairs of 16-bit integers in base64. Both axes have the same scale, and the centre stays the centre.
pub(super) fn points(points: &[[f32; 2]]) -> String {
    let range = |axis: usize| {
        let values = points.iter().map(|point| point[axis]);
        let low = values.clone().fold(f32::INFINITY, f32::min);
        (low, values.fold(f32::NEG_INFINITY, f32::max))
    };
    let ranges = [range(0), range(1)];
    let side = ranges.iter().map(|(low, high)| high - low).fold(f32::MIN_POSITIVE, f32::max);
    let quantised = |value: f32, (low, high): (f32, f32)| {
        let middle = (low + high) / 2.0;
        (((value - middle) / side + 0.5).clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16
    };
    words(points.iter().flat_map(|&[x, y]| [quantised(x, ranges[0]), quantised(y, ranges[1])]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_keep_their_proportions() {
        let packed = STANDARD.decode(points(&[[0.0, 5.0], [4.0, 5.0], [2.0, 6.0]])).unwrap();
        let words: Vec<u16> = packed.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        // 4 wide and 1 high: the width fills the range, the height a quarter of it around the middle.
        assert_eq!(words, [0, 24576, 65535, 24576, 32768, 40959]);
        assert_eq!(points(&[[1.0, 1.0]]), self::words([32768, 32768]));
    }

    #[test]
    fn shares_fill_a_byte() {
        assert_eq!([-0.1, 0.0, 0.5, 1.0, 2.0].map(share), [0, 0, 128, 255, 255]);
    }
}
