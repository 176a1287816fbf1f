//! Every method on another Burn backend, where no kernel of ours can run: the plain expressions take their place.
//!
//! `cargo test --manifest-path tests/second-backend/Cargo.toml`
#![cfg(test)]

#[path = "../../crates/cloth/tests/common/mod.rs"]
mod common;

use burn::tensor::Device;
use cloth::method::Losses;
use cloth::{Event, Flow, Methods, Source, Target, Training, TrainingOptions};
use common::{config, image_problem, problem};

/// How far losses may be apart after ten updates that round differently, relative to their size.
const BOUND: f32 = 2e-3;

// The backend is deprecated, and it is the only other one that needs neither a GPU nor libtorch.
#[allow(deprecated)]
fn other() -> Device {
    Device::ndarray()
}

fn losses(method: &str, settings: &[&str], (source, target): (Source, Target), device: Device) -> Vec<Losses> {
    let short = ["train.iterations=10", "train.warmup=1", "train.evaluate_every=5"];
    let config = config(method, &[&short, settings].concat());
    let options = TrainingOptions::default().device(device);
    let mut seen = Vec::new();
    let outcome = Training::with_options(config, source, target, &options).unwrap().run(|event| {
        if let Event::Iteration { losses, .. } = event {
            seen.push(losses.clone());
        }
        Flow::Continue
    });
    assert!(outcome.unwrap().target_confidence > 0.0);
    seen
}

fn compare(method: &str, settings: &[&str], rows: impl Fn() -> (Source, Target)) {
    let ours = losses(method, settings, rows(), cloth::device::cpu());
    let theirs = losses(method, settings, rows(), other());
    assert_eq!(ours.len(), 10, "{method}");
    for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(ours.symbols(), theirs.symbols(), "{method}");
        for ((symbol, a), (_, b)) in ours.iter().zip(theirs.iter()) {
            let close = (a - b).abs() <= BOUND * a.abs().max(b.abs()) + 1e-5;
            assert!(close, "{method}, iteration {}: {symbol} is {a} on the CPU and {b} there", i + 1);
        }
    }
}

#[test]
fn a_second_backend_is_another_device() {
    assert!(cloth::device::is_cpu(&cloth::device::cpu()));
    assert!(!cloth::device::is_cpu(&other()) && !cloth::device::is_cpu(&other().autodiff()));
}

#[test]
fn every_method_has_the_same_losses_on_a_second_backend() {
    for recipe in Methods::builtin().iter() {
        compare(recipe.name(), &[], || (problem(1).0, problem(1).1));
    }
}

#[test]
fn images_have_the_same_losses_on_a_second_backend() {
    for method in ["cloth", "source_only", "dann"] {
        compare(method, &["generator.filters=[4, 6]", "generator.hidden=[12, 8]"], image_problem);
    }
}
