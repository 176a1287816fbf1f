//! One training step of CLOTH on synthetic rows, measured by `examples/step.rs` and `benches/step.rs`.

// Each of the two uses only a part of this module.
#![allow(dead_code)]

use std::error::Error;

use burn::tensor::Device;
use cloth::config::Config;
use cloth::data::batch::{Batch, TrainingSet};
use cloth::data::{Classes, Features, Shape, Source, Target, split};
use cloth::method::{Losses, Method, Methods, Setup, Step};
use cloth::nets::GeneratorSpec;
use cloth::rng::Purpose;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Rows of each domain.
const ROWS: usize = 512;
/// Number of iterations whose batches are drawn in advance.
pub(crate) const BATCHES: usize = 10;
/// Settings of all configurations here, over the `paper` preset.
const SETTINGS: &[&str] = &[
    "generator.dropout=0.0",
    "train.batch_size=128",
    "method.cloth.gamma=0.1",
    "method.cloth.l_gt=non-saturating",
    "method.cloth.reduction=mean",
    "method.cloth.moment_weights=normalised",
    "method.cloth.moment_scale=inverse-width",
];

/// CLOTH in training on synthetic rows.
pub(crate) struct Problem {
    pub(crate) name: String,
    pub(crate) config: Config,
    pub(crate) data: TrainingSet,
    device: Device,
    pub(crate) method: Box<dyn Method>,
    pub(crate) iteration: usize,
    /// The batches of the first iterations, for D and for G; later iterations reuse them.
    drawn: Vec<[(Purpose, Batch); 2]>,
}

impl Problem {
    /// Configuration A, B or C, with these settings changed.
    pub(crate) fn new(name: &str, settings: &[String]) -> Result<Self> {
        let image = Shape::Image { channels: 1, height: 32, width: 32 };
        let (shape, hidden, n_classes) = match name {
            "A" => (Shape::Flat(2048), "generator.hidden=[1024, 90]", 31),
            "B" => (Shape::Flat(2048), "generator.hidden=[256]", 65),
            "C" => (image, "generator.hidden=[500, 90]", 10),
            _ => return Err(format!("no configuration `{name}`: there are A, B and C").into()),
        };
        let methods = Methods::builtin();
        let mut layers =
            methods.layers("cloth")?.preset("paper")?.set(hidden)?.set("generator.filters=[20, 50]")?;
        for setting in SETTINGS.iter().copied().chain(settings.iter().map(String::as_str)) {
            layers = layers.set(setting)?;
        }
        let config = layers.build()?;
        let generator = GeneratorSpec::resolve(&config.generator, shape)?;
        let device = cloth::device::cpu();
        let method = methods.find("cloth")?.build(&Setup::new(&config, &generator, n_classes, &device))?;

        let (source, target) = rows(shape, n_classes)?;
        let split = split::stratified(source.labels(), n_classes, 0.0, config.seed);
        let train = &config.train;
        let data = TrainingSet::new(source, target, split, train.batch_size, train.batches, config.seed)?;
        let draw = |i| [Purpose::BATCHES_OF_D, Purpose::BATCHES_OF_G].map(|p| (p, data.batch(p, i, &device)));
        let drawn = (1..=BATCHES).map(draw).collect();
        Ok(Self { name: name.to_string(), config, data, device, method, iteration: 0, drawn })
    }

    /// One iteration: both updates of Algorithm 1.
    pub(crate) fn step(&mut self) -> Result<Losses> {
        self.iteration += 1;
        let drawn = &self.drawn[(self.iteration - 1) % BATCHES];
        let step = Step::new(self.iteration, &self.config, &self.data, &self.device).with_batches(drawn);
        Ok(self.method.step(&step)?)
    }
}

/// Rows in which each class has its own pattern, and the target is slightly shifted.
fn rows(shape: Shape, n_classes: usize) -> Result<(Source, Target)> {
    let mut rng = ChaCha8Rng::seed_from_u64(2023);
    let mut draw = |n: usize| -> Vec<f32> { (0..n).map(|_| normal(&mut rng)).collect() };
    let width = shape.len();
    let (patterns, shift) = (draw(n_classes * width), draw(width));
    let labels: Vec<u32> = (0..ROWS as u32).map(|i| i % n_classes as u32).collect();
    let mut domain = |shifted: f32| {
        let mut values = draw(ROWS * width);
        for (row, &label) in values.chunks_exact_mut(width).zip(&labels) {
            let pattern = &patterns[label as usize * width..][..width];
            for (j, x) in row.iter_mut().enumerate() {
                *x = match shape {
                    // Not negative, like features after a ReLU.
                    Shape::Flat(_) => 0.5 * (*x + 0.5 * pattern[j] + shifted * shift[j]).abs(),
                    // Pixels in [0, 1]: gray blocks of 4×4, and noise.
                    Shape::Image { width, .. } => {
                        let block = j / width / 4 * width + j % width / 4;
                        (0.5 + 0.4 * pattern[block] + 0.1 * *x + shifted * shift[block]).clamp(0.0, 1.0)
                    }
                };
            }
        }
        Features::new(values, shape)
    };
    let (source, target) = (domain(0.0)?, domain(0.2)?);
    let classes = Classes::new((0..n_classes).map(|m| format!("{m:02}")));
    Ok((Source::new(source, labels, classes)?, Target::new(target)?))
}

/// A normal random number, by the Box–Muller transform.
fn normal(rng: &mut impl Rng) -> f32 {
    let (a, b): (f32, f32) = (rng.random(), rng.random());
    (-2.0 * (1.0 - a).ln()).sqrt() * (std::f32::consts::TAU * b).cos()
}
