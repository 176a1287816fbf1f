//! The inner product.

/// Σ a_i b_i of two slices of equal length. Eight independent sums hide the latency of additions, which the compiler
/// may not reorder.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0f64; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a8.zip(b8) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::dot;

    #[test]
    fn every_length_by_hand() {
        for n in 0..40 {
            let (a, b): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (f64::from(i), f64::from(2 - i))).unzip();
            let by_hand: i32 = (0..n).map(|i| i * (2 - i)).sum();
            assert_eq!(dot(&a, &b), f64::from(by_hand), "{n} values");
        }
    }
}
