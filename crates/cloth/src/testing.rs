//! Test helpers for losses, kernels and networks: fixed matrices, numerical gradients, comparison of two expressions.

use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;

use crate::rng::{Purpose, stream};

pub(crate) fn device() -> Device {
    crate::device::training()
}

pub(crate) fn tensor<const R: usize, const C: usize>(rows: [[f32; C]; R]) -> Tensor<2> {
    Tensor::from_data(TensorData::from(rows), &device())
}

pub(crate) fn scalar(x: Tensor<1>) -> f32 {
    x.into_scalar()
}

/// A fixed pseudo-random matrix in [-1, 1].
pub(crate) fn noise(rows: usize, columns: usize, seed: u64) -> Tensor<2> {
    let mut rng = stream(seed, Purpose::WEIGHTS, 0);
    let values: Vec<f32> = (0..rows * columns).map(|_| rng.random_range(-1.0..1.0)).collect();
    Tensor::from_data(TensorData::new(values, [rows, columns]), &device())
}

/// Compares value and gradients of a loss's kernel with those of its plain expression.
pub(crate) fn agree<const N: usize>(
    inputs: [Tensor<2>; N],
    kernel: impl Fn([Tensor<2>; N]) -> Tensor<1>,
    plain: impl Fn([Tensor<2>; N]) -> Tensor<1>,
) {
    let run = |loss: &dyn Fn([Tensor<2>; N]) -> Tensor<1>| {
        let inputs = inputs.clone().map(|x| x.detach().require_grad());
        let value = loss(inputs.clone()).mul_scalar(3.0);
        let gradients = value.backward();
        let zeros = |x: &Tensor<2>| x.clone().inner().zeros_like();
        (scalar(value), inputs.map(|x| x.grad(&gradients).unwrap_or_else(|| zeros(&x))))
    };
    let (ours, oracle) = (run(&kernel), run(&plain));
    assert!((ours.0 - oracle.0).abs() <= 2e-5 * oracle.0.abs().max(1.0), "{} {}", ours.0, oracle.0);
    for (ours, oracle) in ours.1.into_iter().zip(oracle.1) {
        let largest: f32 = oracle.clone().abs().max().into_scalar();
        let worst: f32 = (ours - oracle).abs().max().into_scalar();
        assert!(worst <= 2e-5 * largest + 1e-6, "{worst} where the largest is {largest}");
    }
}

/// Compares the gradient of `loss` at `x` with central differences, entry by entry.
pub(crate) fn gradient(x: Tensor<2>, loss: impl Fn(Tensor<2>) -> Tensor<1>) {
    let x = x.detach().require_grad();
    let analytic = x.grad(&loss(x.clone()).backward()).expect("x has a gradient");
    let analytic: Vec<f32> = analytic.into_data().try_into_vec().expect("f32");
    let [rows, columns] = x.dims();
    let start: Vec<f32> = x.clone().inner().into_data().try_into_vec().expect("f32");
    let at = |values: Vec<f32>| {
        scalar(loss(Tensor::from_data(TensorData::new(values, [rows, columns]), &device())))
    };
    let step = 1e-2;
    let largest = analytic.iter().fold(0f32, |a, g| a.max(g.abs()));
    assert!(largest > 0.0, "a gradient that is zero everywhere checks nothing");
    for i in 0..start.len() {
        let (mut up, mut down) = (start.clone(), start.clone());
        up[i] += step;
        down[i] -= step;
        let numeric = (at(up) - at(down)) / (2.0 * step);
        let error = (numeric - analytic[i]).abs();
        assert!(error < 2e-2 * largest + 2e-4, "entry {i}: numeric {numeric}, analytic {}", analytic[i]);
    }
}
