//! Test helpers for methods: a small data set, and iterations one by one.

use burn::tensor::Device;

use crate::config::{Batches, Config};
use crate::data::batch::TrainingSet;
use crate::data::{Classes, Features, Shape, Source, Target, split};
use crate::method::{Losses, Method, Methods, Setup, Step};
use crate::nets::GeneratorSpec;

/// A run that is too small to learn much.
pub(crate) struct Small {
    config: Config,
    generator: GeneratorSpec,
    data: TrainingSet,
    device: Device,
}

impl Small {
    /// Ten iterations of the method, with these settings: three classes, the target shifted and stretched.
    pub(crate) fn new(method: &str, settings: &[&str]) -> Self {
        Self::build(method, settings, 0.2, Shape::Flat(4))
    }

    /// The same, with the target shifted by `shift`.
    pub(crate) fn moved(method: &str, settings: &[&str], shift: f32) -> Self {
        Self::build(method, settings, shift, Shape::Flat(4))
    }

    /// The same, with the values as pixels of 2×2 images.
    pub(crate) fn images(method: &str, settings: &[&str]) -> Self {
        let settings = [&["generator.kind=mlp"], settings].concat();
        Self::build(method, &settings, 0.2, Shape::Image { channels: 1, height: 2, width: 2 })
    }

    fn build(method: &str, settings: &[&str], shift: f32, shape: Shape) -> Self {
        let mut layers = Methods::builtin().layers(method).unwrap();
        for setting in
            ["train.iterations=10", "train.warmup=1", "generator.hidden=[6]"].iter().chain(settings)
        {
            layers = layers.set(setting).unwrap();
        }
        let config = layers.build().unwrap();
        // Each class has its own feature; the noise is deterministic.
        let features = |shift: f32, stretch: f32| {
            let value = move |i: usize, j: usize| {
                let noise = ((i * 7 + j * 5) % 11) as f32 / 20.0;
                stretch * (f32::from(u8::from(i % 3 == j)) + noise) + shift * j as f32
            };
            let values = (0..30).flat_map(|i| (0..4).map(move |j| value(i, j))).collect();
            Features::new(values, shape).unwrap()
        };
        let labels: Vec<u32> = (0..30).map(|i| i % 3).collect();
        let split = split::stratified(&labels, 3, 0.1, 0);
        let source = Source::new(features(0.0, 1.0), labels, Classes::new(["a", "b", "c"])).unwrap();
        let target = Target::new(features(shift, 1.5)).unwrap();
        let data = TrainingSet::new(source, target, split, 18, Batches::Balanced, 0).unwrap();
        let data = data.augmented(config.data.augment);
        let generator = GeneratorSpec::resolve(&config.generator, shape).unwrap();
        Self { config, generator, data, device: crate::device::cpu() }
    }

    pub(crate) fn setup(&self) -> Setup<'_> {
        Setup::new(&self.config, &self.generator, 3, &self.device)
    }

    pub(crate) fn step(&self, iteration: usize) -> Step<'_> {
        Step::new(iteration, &self.config, &self.data, &self.device)
    }

    /// Makes these iterations; returns the losses of the last one.
    pub(crate) fn run(&self, method: &mut dyn Method, iterations: std::ops::RangeInclusive<usize>) -> Losses {
        let mut losses = Losses::new();
        for iteration in iterations {
            losses = method.step(&self.step(iteration)).unwrap();
        }
        losses
    }
}

/// The value of one loss after a hundred iterations of a method with this weight of it.
pub(crate) fn at_the_end(method: &str, loss: &str, weight: &str) -> f32 {
    let weight = format!("method.{method}.weight={weight}");
    let longer = ["train.iterations=100", "train.learning_rate=0.01", "generator.dropout=0"];
    let small = Small::new(method, &[&longer[..], &[weight.as_str()]].concat());
    let mut built = Methods::builtin().find(method).unwrap().build(&small.setup()).unwrap();
    let losses = small.run(built.as_mut(), 1..=100);
    losses.get(loss).unwrap()
}
