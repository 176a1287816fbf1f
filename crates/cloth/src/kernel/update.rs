//! Adam or SGD, and Polyak averaging, in one pass over each weight.

use super::vectorised;
use crate::threads::share;

/// The numbers of one update by Adam, the same for every weight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AdamStep {
    /// Decay of the first moment.
    pub(crate) beta1: f32,
    /// Decay of the second moment.
    pub(crate) beta2: f32,
    /// The learning rate, corrected for moments that start at zero.
    pub(crate) size: f32,
    /// Guard against division by zero, corrected in the same way.
    pub(crate) epsilon: f32,
    /// Decay of the average.
    pub(crate) average: f32,
}

/// Weights in one unit of work of a thread: five slices of this length fit its cache.
const PART: usize = 1 << 14;

/// Updates `weight`, both moments and the average in place.
pub(crate) fn adam(
    step: AdamStep,
    weight: &mut [f32],
    gradient: &[f32],
    first: &mut [f32],
    second: &mut [f32],
    average: &mut [f32],
) {
    assert_eq!(weight.len(), gradient.len(), "a gradient for each weight");
    let past = first.chunks_mut(PART).zip(second.chunks_mut(PART)).zip(average.chunks_mut(PART));
    share(weight.chunks_mut(PART).zip(gradient.chunks(PART)).zip(past), |((w, g), ((m, v), a))| {
        vectorised(
            #[inline(always)]
            || part(step, w, g, m, v, a),
        );
    });
}

#[inline(always)]
fn part(step: AdamStep, w: &mut [f32], g: &[f32], m: &mut [f32], v: &mut [f32], a: &mut [f32]) {
    let AdamStep { beta1, beta2, size, epsilon, average } = step;
    let n = w.len();
    let (g, m, v, a) = (&g[..n], &mut m[..n], &mut v[..n], &mut a[..n]);
    for i in 0..n {
        m[i] = beta1 * m[i] + (1.0 - beta1) * g[i];
        v[i] = beta2 * v[i] + (1.0 - beta2) * g[i] * g[i];
        w[i] -= size * m[i] / (v[i].sqrt() + epsilon);
        a[i] = average * a[i] + (1.0 - average) * w[i];
    }
}

/// The numbers of one update by SGD, the same for every weight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SgdStep {
    /// Decay of the velocity.
    pub(crate) momentum: f32,
    /// The learning rate.
    pub(crate) size: f32,
    /// Decay of the average.
    pub(crate) average: f32,
}

/// Updates `weight`, its velocity and its average in place, by SGD with Nesterov's momentum:
///
/// ```text
/// v ← μ v + g;   w ← w − η (g + μ v)
/// ```
pub(crate) fn sgd(
    step: SgdStep,
    weight: &mut [f32],
    gradient: &[f32],
    velocity: &mut [f32],
    average: &mut [f32],
) {
    assert_eq!(weight.len(), gradient.len(), "a gradient for each weight");
    let SgdStep { momentum, size, average: decay } = step;
    let past = velocity.chunks_mut(PART).zip(average.chunks_mut(PART));
    share(weight.chunks_mut(PART).zip(gradient.chunks(PART)).zip(past), |((w, g), (v, a))| {
        vectorised(
            #[inline(always)]
            || {
                for (((w, g), v), a) in w.iter_mut().zip(g).zip(v).zip(a) {
                    *v = momentum * *v + g;
                    *w -= size * (g + momentum * *v);
                    *a = decay * *a + (1.0 - decay) * *w;
                }
            },
        );
    });
}

/// Updates only the average, for a weight without a gradient.
pub(crate) fn average(step: AdamStep, weight: &[f32], average: &mut [f32]) {
    for (a, &w) in average.iter_mut().zip(weight) {
        *a = step.average * *a + (1.0 - step.average) * w;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use burn::tensor::Tensor;

    #[test]
    fn two_steps_of_sgd_by_hand() {
        // Gradient 1 twice, η = 0.1, μ = 0.5: v = 1, then 1.5; w falls by 0.1 · 1.5, then by 0.1 · 1.75.
        let step = SgdStep { momentum: 0.5, size: 0.1, average: 0.0 };
        let [mut w, mut v, mut a] = [[2.0], [0.0], [0.0]];
        sgd(step, &mut w, &[1.0], &mut v, &mut a);
        assert!((w[0] - 1.85).abs() < 1e-6, "{w:?}");
        sgd(step, &mut w, &[1.0], &mut v, &mut a);
        assert!((w[0] - 1.675).abs() < 1e-6 && a == w, "{w:?} {a:?}");
    }

    #[test]
    fn one_pass_is_the_plain_expression() {
        let n = 3 * PART + 5;
        let step = AdamStep { beta1: 0.9, beta2: 0.999, size: 0.02, epsilon: 1e-7, average: 0.75 };
        let [w, g, m, a] = [1, 2, 3, 4].map(|seed| noise(1, n, seed).inner());
        let v = noise(1, n, 5).inner().square() + 0.01;

        let new_m = m.clone() * 0.9 + g.clone() * 0.1;
        let new_v = v.clone() * 0.999 + g.clone().square() * 0.001;
        let new_w = w.clone() - new_m.clone() * 0.02 / (new_v.clone().sqrt() + 1e-7);
        let new_a = a.clone() * 0.75 + new_w.clone() * 0.25;

        let host = |t: Tensor<2>| t.into_data().try_into_vec::<f32>().unwrap();
        let [mut w, g, mut m, mut v, mut a] = [w, g, m, v, a].map(host);
        adam(step, &mut w, &g, &mut m, &mut v, &mut a);
        for (ours, oracle) in [(w, new_w), (m, new_m), (v, new_v), (a, new_a)] {
            let worst = ours.iter().zip(host(oracle)).map(|(x, y)| (x - y).abs()).fold(0f32, f32::max);
            assert!(worst < 1e-6, "{worst}");
        }
    }
}
