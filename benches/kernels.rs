//! The most expensive parts of an iteration, each forward and backward.

use burn::tensor::{Device, Tensor, TensorData};
use cloth::loss::{MomentOptions, homm, l_hmm};
use cloth::nets::{Convolution, Dense};
use cloth::optim::{Learner, Rate};
use cloth::rng::{Purpose, stream};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rand::RngExt;

fn device() -> Device {
    Device::flex().autodiff()
}

fn noise<const D: usize>(shape: [usize; D], seed: u64) -> Tensor<D> {
    let mut rng = stream(seed, Purpose::WEIGHTS, 0);
    let values: Vec<f32> = (0..shape.iter().product()).map(|_| rng.random_range(-1.0..1.0)).collect();
    Tensor::from_data(TensorData::new(values, shape), &device())
}

fn dense(c: &mut Criterion) {
    let mut group = c.benchmark_group("dense with ReLU, 256 rows");
    for (inputs, outputs) in [(2048, 1024), (2048, 256), (1024, 90), (256, 65)] {
        let layer = Dense::new(inputs, outputs, &mut stream(0, Purpose::WEIGHTS, 0), &device());
        let x = noise([256, inputs], 1);
        group.bench_function(BenchmarkId::from_parameter(format!("{inputs} x {outputs}")), |b| {
            b.iter(|| layer.relu(x.clone()).sum().backward());
        });
    }
}

fn convolution(c: &mut Criterion) {
    let mut group = c.benchmark_group("convolution with ReLU and pooling, 256 images");
    for (channels, side, filters) in [(1, 32, 20), (20, 14, 50)] {
        let layer = Convolution::new(channels, filters, &mut stream(0, Purpose::WEIGHTS, 0), &device());
        let x = noise([256, channels, side, side], 1);
        let x = if channels > 1 { x.require_grad() } else { x };
        group.bench_function(BenchmarkId::from_parameter(format!("{channels}x{side}x{side}, {filters}")), |b| {
            b.iter(|| layer.forward(x.clone()).sum().backward());
        });
    }
}

fn moments(c: &mut Criterion) {
    let mut group = c.benchmark_group("moments of order 3, 128 rows of 90, 10 classes");
    let (z_s, z_t) = (noise([128, 90], 1).require_grad(), noise([128, 90], 2).require_grad());
    let t_t = noise([128, 10], 3).require_grad();
    let labels: Vec<u32> = (0..128).map(|i| i % 10).collect();
    let options = MomentOptions::default();
    group.bench_function("class-aware, by Gram matrices", |b| {
        b.iter(|| l_hmm(z_s.clone(), z_t.clone(), t_t.clone(), &labels, options).backward());
    });
    group.sample_size(10).bench_function("HoMM, 30,000 entries drawn", |b| {
        b.iter(|| {
            homm(z_s.clone(), z_t.clone(), 3, 30_000, &mut stream(0, Purpose::MOMENTS, 0)).backward()
        });
    });
}

fn adam(c: &mut Criterion) {
    let rate = Rate { average: 0.999, ..Rate::adam(1e-4) };
    let layer = Dense::new(2048, 1024, &mut stream(0, Purpose::WEIGHTS, 0), &device());
    let mut learner = Learner::new(layer);
    c.bench_function("Adam and the average of 2 million weights, with the gradient of their sum", |b| {
        b.iter(|| {
            let loss = learner.module().weight.val().sum();
            learner.step(loss, &rate);
        });
    });
}

criterion_group!(benches, dense, convolution, moments, adam);
criterion_main!(benches);
