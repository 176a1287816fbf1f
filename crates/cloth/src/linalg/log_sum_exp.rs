//! The logarithm of a sum of exponentials.

/// log Σ exp(v), shifted by the largest value so that it cannot overflow. −∞ for no values; NaN if a value is NaN.
///
/// ```
/// let half = 0.5f64.ln() + 2000.0;
/// assert!((cloth::linalg::log_sum_exp([half, half].into_iter()) - 2000.0).abs() < 1e-9);
/// ```
pub fn log_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let max = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if max == f64::NEG_INFINITY {
        // The largest is −∞ also if all values are NaN.
        return values.fold(max, |sum, v| if v.is_nan() { v } else { sum });
    }
    max + values.map(|v| (v - max).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::log_sum_exp;

    #[test]
    fn at_extremes() {
        let of = |values: &[f64]| log_sum_exp(values.iter().copied());
        assert_eq!(of(&[]), f64::NEG_INFINITY);
        assert_eq!(of(&[f64::NEG_INFINITY; 2]), f64::NEG_INFINITY);
        assert!((of(&[f64::NEG_INFINITY, 1.0, 1.0]) - (1.0 + 2f64.ln())).abs() < 1e-15);
        assert_eq!(of(&[-1e300, 1e300]), 1e300);
        assert!(of(&[f64::NAN]).is_nan() && of(&[0.0, f64::NAN]).is_nan());
        assert!(of(&[f64::NEG_INFINITY, f64::NAN]).is_nan());
    }
}
