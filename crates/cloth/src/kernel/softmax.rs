//! Softmax on slices, for the kernels of the losses.

use super::vectorised;

/// Rows of logits with both forms of their softmax.
pub(crate) struct Softmax {
    /// log softmax, row by row.
    pub(crate) log: Vec<f32>,
    /// softmax, row by row.
    pub(crate) p: Vec<f32>,
    /// Values in a row.
    pub(crate) width: usize,
}

impl Softmax {
    /// Of each row of `logits`.
    pub(crate) fn of(logits: &[f32], width: usize) -> Self {
        let mut log = logits.to_vec();
        let mut p = vec![0f32; logits.len()];
        vectorised(
            #[inline(always)]
            || {
                for (x, p) in log.chunks_exact_mut(width).zip(p.chunks_exact_mut(width)) {
                    let max = maximum(x);
                    for (p, x) in p.iter_mut().zip(&*x) {
                        *p = exp(x - max);
                    }
                    let sum = total(p);
                    let (log_sum, over) = (max + sum.ln(), 1.0 / sum);
                    for (p, x) in p.iter_mut().zip(x) {
                        *p *= over;
                        *x -= log_sum;
                    }
                }
            },
        );
        Self { log, p, width }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.p.len() / self.width
    }
}

/// log Σ exp down each column, shifted by the column's maximum so that it cannot overflow.
pub(crate) fn log_sum_exp_columns(x: &[f32], width: usize) -> Vec<f32> {
    let mut max = vec![f32::NEG_INFINITY; width];
    let mut sum = vec![0f32; width];
    vectorised(
        #[inline(always)]
        || {
            for row in x.chunks_exact(width) {
                for (m, x) in max.iter_mut().zip(row) {
                    *m = if *x > *m { *x } else { *m };
                }
            }
            for row in x.chunks_exact(width) {
                for ((s, m), x) in sum.iter_mut().zip(&max).zip(row) {
                    *s += exp(x - m);
                }
            }
        },
    );
    sum.iter().zip(&max).map(|(s, m)| s.ln() + m).collect()
}

/// The largest value; NaN if any value is NaN, so that it is not lost.
#[inline(always)]
fn maximum(x: &[f32]) -> f32 {
    let (chunks, rest) = x.as_chunks::<8>();
    let mut lanes = [f32::NEG_INFINITY; 8];
    for chunk in chunks {
        for (l, x) in lanes.iter_mut().zip(chunk) {
            *l = if *l > *x { *l } else { *x };
        }
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |a, &b| if a > b || a.is_nan() { a } else { b })
}

/// The sum, in an order that depends on the length alone.
#[inline(always)]
fn total(x: &[f32]) -> f32 {
    let (chunks, rest) = x.as_chunks::<8>();
    let mut lanes = [0f32; 8];
    for chunk in chunks {
        for (l, x) in lanes.iter_mut().zip(chunk) {
            *l += x;
        }
    }
    lanes.iter().chain(rest).sum()
}

/// e^x for x up to 88, to the last digit or two, in operations that compilers turn into vectors (Cephes' `expf`).
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    /// Added to a small number, it leaves the nearest whole number in the last bits.
    const ROUND: f32 = 12_582_912.0;
    // Below −87 the result is no normal number: it becomes zero. NaN fails both comparisons and goes through.
    let bounded = if x < -87.3 { -87.3 } else { x };
    let bounded = if bounded > 88.0 { 88.0 } else { bounded };
    let rounded = bounded * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = bounded - n * LN_2_HIGH - n * LN_2_LOW;
    let mut y = 1.987_569_1e-4;
    for c in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        y = y * r + c;
    }
    let y = y * r * r + r + 1.0;
    // 2^n by its bits.
    let exponent = rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    let y = y * f32::from_bits(exponent);
    if x < -87.3 { 0.0 } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for i in -870..=879 {
            let x = i as f32 * 0.1 + 0.000_7;
            let (ours, exact) = (f64::from(exp(x)), f64::from(x).exp());
            assert!(((ours - exact) / exact).abs() < 3e-7, "{x}: {ours} {exact}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e30), 0.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn softmax_by_hand_and_at_extremes() {
        let s = Softmax::of(&[0.0, 0.0, 3f32.ln(), 0.0, 1e4, -1e4], 2);
        let expected = [0.5, 0.5, 0.75, 0.25, 1.0, 0.0];
        assert!(s.p.iter().zip(expected).all(|(p, e)| (p - e).abs() < 1e-6), "{:?}", s.p);
        assert_eq!(s.log[5], -2e4);
        assert_eq!(s.rows(), 3);
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        assert!(Softmax::of(&[1.0, f32::NAN, 2.0], 3).p.iter().all(|p| p.is_nan()));
        let wide: Vec<f32> = (0..17).map(|i| if i == 3 { f32::NAN } else { 1.0 }).collect();
        assert!(Softmax::of(&wide, 17).log.iter().all(|p| p.is_nan()));
    }

    #[test]
    fn columns_by_hand() {
        let lse = log_sum_exp_columns(&[0.0, 1000.0, 0.0, -1000.0], 2);
        assert!((lse[0] - 2f32.ln()).abs() < 1e-6 && lse[1] == 1000.0, "{lse:?}");
    }
}
