//! The block against plain loops in f64.

use super::tiles::Machine;
use super::{Shape, backward, batch, forward};
use pulp::{Arch, Scalar, Scalar128b, Scalar256b, Scalar512b, Simd, WithSimd};

/// A given instruction set, for other lane counts and tiles than this machine's own.
#[derive(Clone, Copy)]
struct Only<S>(S);

impl<S: Simd> Machine for Only<S> {
    fn run<Op: WithSimd>(self, op: Op) -> Op::Output {
        op.with_simd(self.0)
    }
}

fn noise(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    std::iter::repeat_with(next).take(len).collect()
}

struct Case {
    shape: Shape,
    x: Vec<f32>,
    w: Vec<f32>,
    b: Vec<f32>,
    dy: Vec<f32>,
}

impl Case {
    fn new(images: usize, channels: usize, height: usize, width: usize, filters: usize) -> Self {
        let shape = Shape { images, channels, height, width, filters };
        let seed = (images + 31 * channels + 57 * height + 101 * width + 1009 * filters) as u64;
        let x = noise(images * shape.input_len(), seed);
        let w = noise(shape.weights_len(), seed + 1);
        let b = noise(filters, seed + 2);
        let dy = noise(images * shape.output_len(), seed + 3);
        Self { shape, x, w, b, dy }
    }

    /// Shapes that fill no group, no tile and no pooling window evenly, and some that do.
    fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for images in [1, 3, 8, 17] {
            for (channels, height, width, filters) in [
                (1, 6, 6, 1),
                (1, 7, 9, 2),
                (2, 8, 6, 3),
                (2, 11, 14, 4),
                (3, 6, 15, 5),
                (3, 15, 7, 6),
                (1, 12, 13, 7),
                (6, 9, 10, 13),
            ] {
                cases.push(Self::new(images, channels, height, width, filters));
            }
        }
        cases.push(Self::new(9, 11, 14, 14, 12));
        cases
    }
}

/// `(y, dx, dw, db)` by plain loops.
fn reference(case: &Case) -> [Vec<f64>; 4] {
    let Case { shape, x, w, b, dy } = case;
    let Shape { images, channels, height, width, filters } = *shape;
    let (ph, pw) = (shape.pooled_height(), shape.pooled_width());
    let mut y = vec![0.0; dy.len()];
    let mut dx = vec![0.0; x.len()];
    let mut dw = vec![0.0; w.len()];
    let mut db = vec![0.0; b.len()];
    for n in 0..images {
        for o in 0..filters {
            for (py, px) in (0..ph).flat_map(|py| (0..pw).map(move |px| (py, px))) {
                let taps = |cy: usize, cx: usize| {
                    (0..channels * 25).map(move |tap| {
                        let (c, ky, kx) = (tap / 25, tap / 5 % 5, tap % 5);
                        (((n * channels + c) * height + cy + ky) * width + cx + kx, o * channels * 25 + tap)
                    })
                };
                let mut best = (f64::NEG_INFINITY, 0, 0);
                for (cy, cx) in [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(r, c)| (2 * py + r, 2 * px + c)) {
                    let products = taps(cy, cx).map(|(i, j)| f64::from(x[i]) * f64::from(w[j]));
                    let value = f64::from(b[o]) + products.sum::<f64>();
                    if value > best.0 {
                        best = (value, cy, cx);
                    }
                }
                let at = ((n * filters + o) * ph + py) * pw + px;
                y[at] = best.0.max(0.0);
                if best.0 > 0.0 {
                    let d = f64::from(dy[at]);
                    db[o] += d;
                    for (i, j) in taps(best.1, best.2) {
                        dx[i] += d * f64::from(w[j]);
                        dw[j] += d * f64::from(x[i]);
                    }
                }
            }
        }
    }
    [y, dx, dw, db]
}

#[track_caller]
fn assert_close(what: &str, shape: &Shape, ours: &[f32], reference: &[f64]) {
    assert_eq!(ours.len(), reference.len());
    let scale = reference.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
    for (i, (&a, &b)) in ours.iter().zip(reference).enumerate() {
        assert!((f64::from(a) - b).abs() <= 2e-6 * scale, "{what}[{i}] of {shape:?}: {a} but should be {b}");
    }
}

fn check_on(machine: impl Machine) {
    for case in Case::all() {
        let Case { shape, x, w, b, dy } = &case;
        let [y, dx, dw, db] = reference(&case);
        let (our_y, saved) = batch::forward(machine, x, w, b, shape, true);
        assert_close("y", shape, &our_y, &y);
        let (not_kept, nothing) = batch::forward(machine, x, w, b, shape, false);
        assert_eq!(our_y, not_kept);
        assert!(nothing.is_none());
        let saved = saved.unwrap();
        let (our_dx, our_dw, our_db) = batch::backward(machine, dy, &saved, w, shape, true);
        assert_close("dx", shape, &our_dx.unwrap(), &dx);
        assert_close("dw", shape, &our_dw, &dw);
        assert_close("db", shape, &our_db, &db);
        let (no_dx, same_dw, same_db) = batch::backward(machine, dy, &saved, w, shape, false);
        assert!(no_dx.is_none());
        assert_eq!((our_dw, our_db), (same_dw, same_db));
    }
}

#[test]
fn this_machine_does_what_plain_loops_do() {
    check_on(Arch::new());
}

#[test]
fn other_lane_counts_and_tiles_do_what_plain_loops_do() {
    check_on(Only(Scalar));
    check_on(Only(Scalar128b));
    check_on(Only(Scalar256b));
    assert_eq!(Only(Scalar512b).tiles().forward_filters, super::tiles::wide::FORWARD_FILTERS);
    check_on(Only(Scalar512b));
}

#[test]
fn the_first_of_equal_maxima_gets_the_gradient_and_only_above_zero() {
    let shape = Shape { images: 2, channels: 1, height: 6, width: 6, filters: 2 };
    // All four sums of the window are equal: 1 for the first filter, 0 for the second.
    let x = vec![1.0; 72];
    let mut w = vec![0.0; 50];
    w[12] = 1.0;
    let (y, saved) = forward(&x, &w, &[0.0, 0.0], &shape, true);
    assert_eq!(y, [1.0, 0.0, 1.0, 0.0]);
    let (dx, _, db) = backward(&[3.0, 5.0, 7.0, 9.0], &saved.unwrap(), &w, &shape, true);
    assert_eq!(db, [10.0, 0.0]);
    let mut expected = vec![0.0; 72];
    expected[2 * 6 + 2] = 3.0;
    expected[36 + 2 * 6 + 2] = 7.0;
    assert_eq!(dx.unwrap(), expected);
}

#[test]
fn nan_weights_show_in_the_output() {
    let case = Case::new(3, 1, 6, 8, 2);
    let (y, _) = forward(&case.x, &[f32::NAN; 50], &case.b, &case.shape, true);
    assert!(y.iter().all(|v| v.is_nan()));
}

#[test]
fn no_images_are_no_work() {
    let shape = Shape { images: 0, channels: 2, height: 8, width: 8, filters: 3 };
    let w = noise(150, 1);
    let (y, saved) = forward(&[], &w, &[0.0; 3], &shape, true);
    assert!(y.is_empty());
    let (dx, dw, db) = backward(&[], &saved.unwrap(), &w, &shape, true);
    assert!(dx.unwrap().is_empty() && dw.iter().chain(&db).all(|&v| v == 0.0));
}

#[test]
fn gradients_are_finite_differences() {
    let case = Case::new(5, 2, 8, 9, 3);
    let loss = |x: &[f32], w: &[f32], b: &[f32]| -> f64 {
        let (y, _) = forward(x, w, b, &case.shape, false);
        y.iter().zip(&case.dy).map(|(&y, &d)| f64::from(y) * f64::from(d)).sum()
    };
    let (_, saved) = forward(&case.x, &case.w, &case.b, &case.shape, true);
    let (dx, dw, db) = backward(&case.dy, &saved.unwrap(), &case.w, &case.shape, true);
    let step = 1e-3;
    let check = |what: &str, gradient: &[f32], loss_at: &dyn Fn(usize, f32) -> f64| {
        let mut misses = 0;
        for (i, &gradient) in gradient.iter().enumerate() {
            let slope = (loss_at(i, step) - loss_at(i, -step)) / (2.0 * f64::from(step));
            misses += usize::from((slope - f64::from(gradient)).abs() > 0.01 * (1.0 + slope.abs()));
        }
        // A step across a kink of the maximum or the ReLU is no slope: rare, but it happens.
        assert!(misses * 20 <= gradient.len(), "{what}: {misses} of {}", gradient.len());
    };
    let moved = |v: &[f32], i: usize, by: f32| {
        let mut v = v.to_vec();
        v[i] += by;
        v
    };
    check("dx", &dx.unwrap(), &|i, by| loss(&moved(&case.x, i, by), &case.w, &case.b));
    check("dw", &dw, &|i, by| loss(&case.x, &moved(&case.w, i, by), &case.b));
    check("db", &db, &|i, by| loss(&case.x, &case.w, &moved(&case.b, i, by)));
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    // 40 groups of 8: more than one group in some parts.
    for case in [Case::new(317, 2, 9, 8, 5), Case::new(33, 3, 10, 10, 7)] {
        let run = |threads: usize| {
            crate::threads::with(threads, || {
                let (y, saved) = forward(&case.x, &case.w, &case.b, &case.shape, true);
                let (dx, dw, db) = backward(&case.dy, &saved.unwrap(), &case.w, &case.shape, true);
                [y, dx.unwrap(), dw, db].map(|v| v.into_iter().map(f32::to_bits).collect::<Vec<_>>())
            })
        };
        let one = run(1);
        for threads in [2, 3, 5] {
            assert!(run(threads) == one, "{threads} threads");
        }
    }
}
