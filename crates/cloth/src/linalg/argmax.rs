//! Indices of the largest and the smallest value.

/// The index of the largest value; the first of equal ones, and 0 for an empty slice.
///
/// NaN is never larger than another value, so it is the result only if it comes first.
///
/// ```
/// assert_eq!(cloth::linalg::argmax(&[0.2, 0.5, 0.5]), 1);
/// ```
pub fn argmax<T: PartialOrd>(values: &[T]) -> usize {
    (0..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best })
}

/// The index of the smallest value; ties, NaN and empty slices as in [`argmax`].
pub fn argmin<T: PartialOrd>(values: &[T]) -> usize {
    (0..values.len()).fold(0, |best, i| if values[i] < values[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_and_what_is_no_number_passed_over() {
        assert_eq!((argmax(&[1.0, 3.0, f32::NAN, 3.0]), argmin(&[1.0, f32::NAN, 0.0, 0.0])), (1, 2));
        assert_eq!((argmax::<f32>(&[]), argmin::<f32>(&[])), (0, 0));
        assert_eq!(argmax(&[f64::NEG_INFINITY; 3]), 0);
    }
}
