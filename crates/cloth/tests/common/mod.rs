//! A small problem with a shift that adaptation undoes and source-only training does not.

use cloth::data::{Classes, Features, Shape};
use cloth::{Config, Source, Target, config::Layers};
use rand::RngExt;

pub const WIDTH: usize = 40;
pub const CLASSES: usize = 4;

/// Clusters around fixed directions; the target's are moved by one vector that is the same for all classes.
pub fn problem(seed: u64) -> (Source, Target, Vec<u32>) {
    let mut rng = cloth::rng::stream(seed, cloth::rng::Purpose::Weights, 1 << 40);
    let mut noise = move |size: f32| rng.random_range(-size..size);
    let centres: Vec<f32> = (0..CLASSES * WIDTH).map(|_| noise(1.0)).collect();
    let moved: Vec<f32> = (0..WIDTH).map(|_| noise(1.5)).collect();
    let mut rows = |n: usize, shift: f32| {
        let labels: Vec<u32> = (0..n).map(|i| (i % CLASSES) as u32).collect();
        let values = labels
            .iter()
            .flat_map(|&y| (0..WIDTH).map(move |j| (y as usize, j)))
            .map(|(y, j)| centres[y * WIDTH + j] + shift * moved[j] + noise(1.2))
            .collect();
        (Features::new(values, Shape::Flat(WIDTH)).unwrap(), labels)
    };
    let (x_s, y_s) = rows(240, 0.0);
    let (x_t, y_t) = rows(200, 1.0);
    let classes = Classes::new((0..CLASSES).map(|m| format!("class {m}")));
    (Source::new(x_s, y_s, classes).unwrap(), Target::new(x_t).unwrap(), y_t)
}

/// A short run.
pub fn config(method: &str, settings: &[&str]) -> Config {
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
