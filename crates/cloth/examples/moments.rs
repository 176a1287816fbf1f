//! Time of the moment losses, forward and backward, on one batch: see `benchmarks/peers`.
//!
//! ```text
//! moments [--seconds 1] [--threads 2]
//! ```
//!
//! Prints JSON: class-aware matching by Gram matrices against HoMM's sampling of 300,000 entries, both at b = 128,
//! p = 90, q = 3 and 10 classes, and how the former grows with q, b and p.

use std::error::Error;
use std::time::{Duration, Instant};

use burn::tensor::{Device, Tensor, TensorData};
use cloth::loss::{MomentOptions, homm, l_hmm};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

const USAGE: &str = "usage: moments [--seconds 1] [--threads 2]";
const CLASSES: usize = 10;
const ENTRIES: usize = 300_000;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut seconds, mut threads) = (1.0, 0);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or(USAGE)?;
        match word.as_str() {
            "--seconds" => seconds = value.parse()?,
            "--threads" => threads = value.parse()?,
            _ => return Err(USAGE.into()),
        }
    }
    cloth::threads::with(threads, || measure(Duration::from_secs_f64(seconds)))
}

fn measure(budget: Duration) -> Result<(), Box<dyn Error>> {
    let (b, p, q) = (128, 90, 3);
    let mut batch = Rows::new(b, p);
    let class_aware = median_ms(budget, || batch.l_hmm(q));
    let sampling = median_ms(budget, || batch.homm(q));
    let sweep = |name: &str, values: &[usize], time: &dyn Fn(usize) -> f64| -> Vec<Value> {
        values.iter().map(|&value| json!({ name: value, "ms": time(value) })).collect()
    };
    let of_size = |b: usize, p: usize, q: u32| {
        let batch = Rows::new(b, p);
        median_ms(budget, || batch.l_hmm(q))
    };
    let result = json!({
        "b": b, "p": p, "q": q, "classes": CLASSES, "entries": ENTRIES,
        "l_hmm_ms": class_aware,
        "homm_ms": sampling,
        "ratio": sampling / class_aware,
        "by_q": sweep("q", &[1, 2, 3, 4, 5, 6, 7], &|q| of_size(b, p, q as u32)),
        "by_b": sweep("b", &[64, 128, 256, 512, 1024], &|b| of_size(b, p, q)),
        "by_p": sweep("p", &[64, 128, 256, 512, 1024, 2048], &|p| of_size(b, p, q)),
    });
    println!("{result}");
    Ok(())
}

/// Synthetic latents of both domains, T's logits and labels.
struct Rows {
    z_s: Tensor<2>,
    z_t: Tensor<2>,
    t_t: Tensor<2>,
    labels: Vec<u32>,
    rng: ChaCha8Rng,
}

impl Rows {
    fn new(b: usize, p: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let device = Device::flex().autodiff();
        let mut draw = |columns: usize| {
            let values: Vec<f32> = (0..b * columns).map(|_| rng.random()).collect();
            Tensor::<2>::from_data(TensorData::new(values, [b, columns]), &device).require_grad()
        };
        let (z_s, z_t, t_t) = (draw(p), draw(p), draw(CLASSES));
        let labels = (0..b).map(|i| (i % CLASSES) as u32).collect();
        Self { z_s, z_t, t_t, labels, rng }
    }

    fn l_hmm(&self, q: u32) {
        let (z_s, z_t, t_t) = (self.z_s.clone(), self.z_t.clone(), self.t_t.clone());
        l_hmm(z_s, z_t, t_t, &self.labels, MomentOptions::default().with_q(q)).backward();
    }

    /// The entries are drawn again for each batch, as in training.
    fn homm(&mut self, q: u32) {
        homm(self.z_s.clone(), self.z_t.clone(), q, ENTRIES, &mut self.rng).backward();
    }
}

/// The median time of one run, after one run that is not counted.
fn median_ms(budget: Duration, mut run: impl FnMut()) -> f64 {
    run();
    let mut times = Vec::new();
    let start = Instant::now();
    while times.len() < 5 || start.elapsed() < budget {
        let before = Instant::now();
        run();
        times.push(before.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
