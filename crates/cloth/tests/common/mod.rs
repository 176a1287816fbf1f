//! Small problems whose shift adaptation undoes and source-only training does not.
#![allow(dead_code)]

use cloth::data::{Classes, Features, Shape};
use cloth::{Config, Methods, Source, Target};
use rand::RngExt;

pub(crate) const WIDTH: usize = 40;
pub(crate) const CLASSES: usize = 4;

/// Clusters around fixed directions; the target's are moved by one vector that is the same for all classes.
pub(crate) fn problem(seed: u64) -> (Source, Target, Vec<u32>) {
    make(seed, WIDTH, 240, 200, Shift::Moved)
}

/// The same with so many features and rows.
pub(crate) fn wide_problem(width: usize, n_source: usize, n_target: usize) -> (Source, Target, Vec<u32>) {
    make(7, width, n_source, n_target, Shift::Moved)
}

/// Gray images of 16×16 pixels: a bar for each class, brighter and noisier in the target.
pub(crate) fn image_problem() -> (Source, Target) {
    let shape = Shape::Image { channels: 1, height: 16, width: 16 };
    let mut rng = cloth::rng::stream(3, cloth::rng::Purpose::WEIGHTS, 1 << 41);
    let mut images = |n: usize, light: f32, noise: f32| {
        let labels: Vec<u32> = (0..n).map(|i| (i % CLASSES) as u32).collect();
        let mut values = Vec::with_capacity(n * shape.len());
        for &y in &labels {
            for pixel in 0..shape.len() {
                let bar = if pixel / 16 / 4 == y as usize { 0.6 } else { 0.1 };
                values.push(bar + light + rng.random_range(-noise..noise));
            }
        }
        (Features::new(values, shape).unwrap(), labels)
    };
    let (x_s, y_s) = images(120, 0.0, 0.2);
    let (x_t, _) = images(100, 0.2, 0.3);
    let classes = Classes::new((0..CLASSES).map(|m| format!("class {m}")));
    (Source::new(x_s, y_s, classes).unwrap(), Target::new(x_t).unwrap())
}

/// How a target differs from its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shift {
    /// One vector is added to all rows.
    Moved,
    /// Noise along one direction is added.
    Mixed,
    /// Features are turned in pairs.
    Turned,
}

/// The small problem with a shift of that kind.
pub(crate) fn shifted_problem(shift: Shift, seed: u64) -> (Source, Target, Vec<u32>) {
    make(seed, WIDTH, 240, 240, shift)
}

fn make(
    seed: u64,
    width: usize,
    n_source: usize,
    n_target: usize,
    shift: Shift,
) -> (Source, Target, Vec<u32>) {
    let mut rng = cloth::rng::stream(seed, cloth::rng::Purpose::WEIGHTS, 1 << 40);
    let mut noise = move |size: f32| rng.random_range(-size..size);
    let centres: Vec<f32> = (0..CLASSES * width).map(|_| noise(1.0)).collect();
    let moved: Vec<f32> = (0..width).map(|_| noise(1.5)).collect();
    let mut rows = |n: usize, is_target: bool| {
        let labels: Vec<u32> = (0..n).map(|i| (i % CLASSES) as u32).collect();
        let mut values = Vec::with_capacity(n * width);
        for &y in &labels {
            let centre = &centres[y as usize * width..][..width];
            let mut row: Vec<f32> = centre.iter().map(|c| c + noise(1.2)).collect();
            if is_target {
                shift.apply(&mut row, &moved, &mut noise);
            }
            values.extend(row);
        }
        (Features::new(values, Shape::Flat(width)).unwrap(), labels)
    };
    let (x_s, y_s) = rows(n_source, false);
    let (x_t, y_t) = rows(n_target, true);
    let classes = Classes::new((0..CLASSES).map(|m| format!("class {m}")));
    (Source::new(x_s, y_s, classes).unwrap(), Target::new(x_t).unwrap(), y_t)
}

impl Shift {
    fn apply(self, row: &mut [f32], moved: &[f32], noise: &mut impl FnMut(f32) -> f32) {
        match self {
            Self::Moved => row.iter_mut().zip(moved).for_each(|(x, m)| *x += m),
            Self::Mixed => {
                let along = noise(4.0);
                row.iter_mut().zip(moved).for_each(|(x, m)| *x += along * m);
            }
            Self::Turned => {
                let (sin, cos) = 0.9f32.sin_cos();
                for pair in row.chunks_exact_mut(2) {
                    (pair[0], pair[1]) = (cos * pair[0] - sin * pair[1], sin * pair[0] + cos * pair[1]);
                }
            }
        }
    }
}

/// A short run.
pub(crate) fn config(method: &str, settings: &[&str]) -> Config {
    let mut layers = Methods::builtin().layers(method).unwrap();
    for setting in
        ["train.iterations=60", "train.batch_size=32", "generator.hidden=[16]", "train.evaluate_every=20"]
    {
        layers = layers.set(setting).unwrap();
    }
    for setting in settings {
        layers = layers.set(setting).unwrap();
    }
    layers.build().unwrap()
}
