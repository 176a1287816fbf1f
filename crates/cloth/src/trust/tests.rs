//! Judgements on shifts whose answer is known.

use super::*;
use crate::data::{Classes, Features, Shape, Source, Target};
use crate::method::Methods;
use crate::model::Probabilities;
use crate::rng::{Purpose, stream};
use crate::train::{Assessment, Effect, Flow, Outcome, Training, TrainingOptions};
use rand::RngExt;

/// The signals of two classifiers that agree on everything.
pub(super) fn signals() -> Signals {
    let source = Source::new(
        Features::new((0..24).map(|i| (i % 5) as f32).collect(), Shape::Flat(2)).unwrap(),
        (0..12).map(|i| i % 2).collect(),
        Classes::new(["a", "b"]),
    )
    .unwrap();
    let p = || Probabilities { values: [0.9, 0.1, 0.3, 0.7].repeat(6), n_classes: 2 };
    let labels: Vec<u32> = (0..12).map(|i| i % 2).collect();
    let testimony = || Testimony::new(p(), &labels, p());
    let latents = ["neighbour_adapted", "neighbour_plain"].map(|name| Latents {
        name,
        source: source.features().values().to_vec(),
        target: source.features().values().to_vec(),
        width: 2,
    });
    let sample = Sample::of(&source, source.features());
    Signals::of(&Evidence {
        n_classes: 2,
        proportions: vec![0.5, 0.5],
        adapted: testimony(),
        plain: testimony(),
        witnesses: Witnesses::of(&source, source.features(), sample, &latents),
        shift: None,
        labels: labels.clone(),
    })
}

/// Two classes that differ in four of eight features; `shares` of class 1, and what is added to every feature.
fn rows(n: usize, share: f64, moved: f32, seed: u64) -> (Features, Vec<u32>) {
    let mut rng = stream(seed, Purpose::WEIGHTS, 0);
    let labels: Vec<u32> = (0..n).map(|i| u32::from((i as f64) < share * n as f64)).collect();
    let values = labels.iter().flat_map(|&y| {
        let noise: Vec<f32> = (0..8).map(|_| rng.random_range(-1f32..1.0)).collect();
        noise.into_iter().enumerate().map(move |(j, noise)| {
            let class = if j < 4 { 1.2 * y as f32 } else { 0.0 };
            noise + class + moved
        })
    });
    (Features::new(values.collect(), Shape::Flat(8)).unwrap(), labels)
}

fn judged(share: f64, moved: f32) -> (Assessment, Outcome, Vec<u32>) {
    let (x, y) = rows(400, 0.5, 0.0, 1);
    let source = Source::new(x, y, Classes::new(["no", "yes"])).unwrap();
    let (x, answers) = rows(400, share, moved, 2);
    let target = Target::new(x).unwrap();
    let methods = Methods::builtin();
    let config = methods.layers("cloth").unwrap().set("train.iterations=300").unwrap().build().unwrap();
    let options = TrainingOptions::default();
    let plain = plain_training(&config, source.clone(), target.clone(), &options).unwrap();
    let plain = plain.run(|_| Flow::Continue).unwrap();
    let training = Training::with_options(config, source, target, &options.keep_rows(true)).unwrap();
    let mut outcome = training.run(|_| Flow::Continue).unwrap();
    (judge(&mut outcome, plain.model).unwrap(), outcome, answers)
}

#[test]
fn a_run_on_images_is_not_judged() {
    let shape = Shape::Image { channels: 1, height: 2, width: 4 };
    let images = |seed| {
        let (x, y) = rows(60, 0.5, 0.0, seed);
        (Features::new(x.values().to_vec(), shape).unwrap(), y)
    };
    let (x, y) = images(1);
    let source = Source::new(x, y, Classes::new(["no", "yes"])).unwrap();
    let target = Target::new(images(2).0).unwrap();
    let layers = Methods::builtin().layers("source_only").unwrap();
    let layers = layers.set("train.iterations=1").unwrap().set("generator.kind=mlp").unwrap();
    let options = TrainingOptions::default().keep_rows(true);
    let training = Training::with_options(layers.build().unwrap(), source, target, &options).unwrap();
    let mut outcome = training.run(|_| Flow::Continue).unwrap();
    let plain = outcome.model.clone();
    let error = judge(&mut outcome, plain).unwrap_err().to_string();
    assert!(error.contains("images cannot be judged"), "{error}");
    assert!(outcome.model.mixture().is_none());
}

fn accuracy(predicted: &[u32], answers: &[u32]) -> f64 {
    agreement(predicted, answers)
}

#[test]
fn other_class_proportions_do_no_harm_that_the_guard_lets_through() {
    let (assessment, outcome, answers) = judged(0.9, 0.0);
    let target = rows(400, 0.9, 0.0, 2).0;
    let by = |head| accuracy(&outcome.model.predict(target.values(), head).unwrap().best().0, &answers);
    let (guarded, plain) = (by(crate::Head::Guarded), by(crate::Head::Plain));
    assert!(guarded >= plain - 0.03, "{guarded} {plain} {assessment:?}");
    assert!((assessment.estimate.accuracy - guarded).abs() < 0.15, "{guarded} {assessment:?}");
}

#[test]
fn a_shift_that_adapting_undoes_is_seen_to_be_undone() {
    let (assessment, outcome, answers) = judged(0.5, 3.0);
    let target = rows(400, 0.5, 3.0, 2).0;
    let by = |head| accuracy(&outcome.model.predict(target.values(), head).unwrap().best().0, &answers);
    let (guarded, plain) = (by(crate::Head::Guarded), by(crate::Head::Plain));
    assert!(guarded > plain + 0.1, "{guarded} {plain} {assessment:?}");
    assert_eq!(assessment.verdict, Effect::Helped, "{assessment:?}");
}

#[test]
fn the_mean_confidence_is_the_estimate_and_the_counts_are_of_the_mixture() {
    let (assessment, outcome, _) = judged(0.5, 1.0);
    assert!((outcome.target_confidence - assessment.estimate.accuracy).abs() < 0.01);
    assert_eq!(outcome.target_called.iter().sum::<usize>(), 400);
    let precision: f64 = assessment
        .classes
        .iter()
        .filter_map(|class| Some(class.precision? * class.predicted as f64 / 400.0))
        .sum();
    assert!((precision - assessment.estimate.accuracy).abs() < 0.01);
    let [low, high] = assessment.estimate.interval;
    assert!(low <= assessment.estimate.accuracy && assessment.estimate.accuracy <= high);
}
