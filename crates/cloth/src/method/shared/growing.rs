//! A weight that grows with the run.

/// DANN's λ(p) for the completed share p of the run: 0 at the start, when the networks are untrained, and 0.99 in the
/// middle.
pub fn growing(progress: f64) -> f64 {
    2.0 / (1.0 + (-10.0 * progress).exp()) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_from_nothing_to_almost_one() {
        assert_eq!(growing(0.0), 0.0);
        // 2 / (1 + e⁻¹) − 1 = tanh ½.
        assert!((growing(0.1) - 0.5f64.tanh()).abs() < 1e-12);
        assert!(growing(0.5) > 0.98 && growing(1.0) > 0.9999 && growing(1.0) < 1.0);
    }
}
