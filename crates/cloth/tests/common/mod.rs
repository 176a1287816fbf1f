//! A small problem with a shift that adaptation undoes and source-only training does not.

use cloth::data::{Classes, Features, Shape};
use cloth::{Config, Source, Target, config::Layers};
use rand::RngExt;

pub(crate) const WIDTH: usize = 40;
pub(crate) const CLASSES: usize = 4;

/// Clusters around fixed directions; the target's are moved by one vector that is the same for all classes.
pub(crate) fn problem(seed: u64) -> (Source, Target, Vec<u32>) {
    make(seed, WIDTH, 240, 200)
}

/// The same with so many features and rows.
pub(crate) fn wide_problem(width: usize, n_source: usize, n_target: usize) -> (Source, Target, Vec<u32>) {
    make(7, width, n_source, n_target)
}

fn make(seed: u64, width: usize, n_source: usize, n_target: usize) -> (Source, Target, Vec<u32>) {
    let mut rng = cloth::rng::stream(seed, cloth::rng::Purpose::Weights, 1 << 40);
    let mut noise = move |size: f32| rng.random_range(-size..size);
    let centres: Vec<f32> = (0..CLASSES * width).map(|_| noise(1.0)).collect();
    let moved: Vec<f32> = (0..width).map(|_| noise(1.5)).collect();
    let mut rows = |n: usize, shift: f32| {
        let labels: Vec<u32> = (0..n).map(|i| (i % CLASSES) as u32).collect();
        let values = labels
            .iter()
            .flat_map(|&y| (0..width).map(move |j| (y as usize, j)))
            .map(|(y, j)| centres[y * width + j] + shift * moved[j] + noise(1.2))
            .collect();
        (Features::new(values, Shape::Flat(width)).unwrap(), labels)
    };
    let (x_s, y_s) = rows(n_source, 0.0);
    let (x_t, y_t) = rows(n_target, 1.0);
    let classes = Classes::new((0..CLASSES).map(|m| format!("class {m}")));
    (Source::new(x_s, y_s, classes).unwrap(), Target::new(x_t).unwrap(), y_t)
}

/// A short run.
pub(crate) fn config(method: &str, settings: &[&str]) -> Config {
    let mut layers = Layers::new(method).unwrap();
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
