//! Normalisation of rows to length 1.

/// The rows of `width` values, normalised to length 1. A row of zeros is unchanged.
///
/// ```
/// assert_eq!(cloth::linalg::unit_rows(&[3.0, 4.0, 0.0, 0.0], 2), [0.6, 0.8, 0.0, 0.0]);
/// ```
///
/// # Panics
/// If `width` is 0.
pub fn unit_rows(values: &[f32], width: usize) -> Vec<f32> {
    let mut unit = values.to_vec();
    unit.chunks_exact_mut(width).for_each(|row| {
        let length = row.iter().map(|v| v * v).sum::<f32>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|v| *v /= length);
        }
    });
    unit
}

#[cfg(test)]
mod tests {
    use super::unit_rows;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keep_their_direction(row in prop::collection::vec(-100f32..100.0, 1..20)) {
            let unit = unit_rows(&row, row.len());
            let square: f32 = unit.iter().map(|v| v * v).sum();
            prop_assert!((square - 1.0).abs() < 1e-5 || row.iter().all(|&v| v.abs() < 1e-18));
            prop_assert!(row.iter().zip(&unit).all(|(v, u)| v * u >= 0.0));
        }
    }
}
