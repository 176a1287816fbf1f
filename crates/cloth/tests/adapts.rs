//! Every method that adapts beats `source_only` on a shift made for it.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use cloth::eval::Scorer;
use cloth::{Flow, Head, Methods, Training};
use common::{CLASSES, Shift, config, shifted_problem};

/// How much better a method must be, on the mean over the seeds.
const MARGIN: f64 = 0.05;
const SEEDS: u64 = 3;

/// Each method, a shift that it is made for, settings that the baseline gets as well, and settings of its own: weights of
/// papers are for larger networks than that of this test.
const METHODS: &[(&str, Shift, &[&str], &[&str])] = &[
    ("cloth", Shift::Moved, &[], &[]),
    ("dan", Shift::Moved, &[], &[]),
    ("deep_coral", Shift::Mixed, &[], &["method.deep_coral.weight=0.01"]),
    ("cmd", Shift::Moved, &[], &[]),
    ("homm", Shift::Moved, &[], &["method.homm.weight=10"]),
    ("dann", Shift::Moved, &[], &[]),
    ("adda", Shift::Mixed, &["train.iterations=1500"], &["method.adda.adversarial_beta1=0.5"]),
    ("cdan", Shift::Moved, &[], &[]),
    ("cdan_e", Shift::Moved, &[], &[]),
    ("deepjdot", Shift::Moved, &[], &["method.deepjdot.alpha=0.1", "method.deepjdot.lambda=0.1"]),
    ("mcc", Shift::Turned, &[], &["method.mcc.weight=5"]),
    ("shot", Shift::Turned, &[], &[]),
    ("spl", Shift::Moved, &[], &[]),
];

/// Mean target accuracy over the seeds.
fn accuracy(method: &str, shift: Shift, settings: &[&str]) -> f64 {
    // By the source's mean and scale alone: otherwise normalisation would undo the shift, whatever the method.
    let common = ["data.centre=source", "data.normalise=standard", "train.iterations=400"];
    let of_seed = |seed| {
        let (source, target, answers) = shifted_problem(shift, seed);
        let rows = target.features().values().to_vec();
        let config = config(method, &[&common, settings].concat());
        let outcome = Training::prepare(config, source, target).unwrap().run(|_| Flow::Continue).unwrap();
        let mut scorer = Scorer::new(CLASSES);
        scorer.add(&outcome.model.predict(&rows, Head::C).unwrap(), &answers);
        scorer.score(&outcome.model.about().classes).accuracy
    };
    (0..SEEDS).map(of_seed).sum::<f64>() / SEEDS as f64
}

#[test]
fn every_adapting_method_beats_source_only_on_a_shift_made_for_it() {
    let mut worse = Vec::new();
    for (method, shift, shared, own) in METHODS {
        let plain = accuracy("source_only", *shift, shared);
        let adapted = accuracy(method, *shift, &[*shared, *own].concat());
        if adapted < plain + MARGIN {
            worse.push(format!("{method}, {shift:?}: {adapted:.3}, source_only {plain:.3}"));
        }
    }
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}

#[test]
fn no_adapting_method_is_left_out() {
    let methods = Methods::builtin();
    let adapting = methods.iter().filter(|recipe| recipe.adapts()).map(|recipe| recipe.name());
    let tested = METHODS.iter().map(|(method, ..)| *method);
    assert_eq!(adapting.collect::<BTreeSet<_>>(), tested.collect::<BTreeSet<_>>());
}
