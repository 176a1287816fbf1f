//! Tests of every method in the list.

use super::shared::check::Small;
use super::{Losses, Methods};
use crate::config::PRESETS;

#[test]
fn every_preset_is_valid_for_every_method() {
    for recipe in Methods::builtin().iter() {
        for preset in PRESETS {
            recipe.layers().unwrap().preset(preset.name).unwrap().build().unwrap();
        }
    }
}

#[test]
fn every_parameter_has_a_meaning() {
    for recipe in Methods::builtin().iter() {
        let parameters = recipe.parameters();
        let named: Vec<&str> = parameters.about().iter().map(|about| about.name.as_str()).collect();
        let mut keys: Vec<&str> = parameters.defaults().keys().map(String::as_str).collect();
        let mut sorted = named.clone();
        sorted.sort_unstable();
        keys.sort_unstable();
        assert_eq!(sorted, keys, "{}", recipe.name());
        assert!(parameters.about().iter().all(|about| about.meaning.ends_with('.')), "{}", recipe.name());
    }
}

#[test]
fn every_loss_that_a_method_reports_is_described_and_phases_fill_the_run() {
    for recipe in Methods::builtin().iter() {
        let small = Small::new(recipe.name(), &[]);
        let known = recipe.losses();
        let mut method = recipe.build(&small.setup()).unwrap();
        let mut seen = Losses::new();
        for iteration in 1..=10 {
            let losses = method.step(&small.step(iteration)).unwrap();
            for (symbol, value) in losses.iter() {
                assert!(known.iter().any(|info| info.symbol == symbol), "{}: {symbol}", recipe.name());
                if seen.get(symbol).is_none() {
                    seen.push(symbol.to_owned(), value);
                }
            }
        }
        assert!(seen.get("l_c").is_some(), "{}", recipe.name());
        let phases = recipe.phases(small.setup().config).unwrap();
        assert_eq!((phases[0].first, phases[phases.len() - 1].last), (1, 10), "{}", recipe.name());
        assert!(phases.windows(2).all(|pair| pair[0].last + 1 == pair[1].first), "{}", recipe.name());
    }
}

#[test]
fn names_that_cannot_be_settings_and_names_that_are_taken_are_refused() {
    let refused = |methods: Methods, recipe| methods.with(recipe).unwrap_err().to_string();
    assert_eq!(
        refused(Methods::builtin(), super::mcc::Mcc),
        "method: found a second `mcc`, wanted a unique name for each method"
    );
    assert!(Methods::none().with(super::mcc::Mcc).unwrap().contains("mcc"));
}

#[test]
fn a_phase_warms_up_and_slows_down_on_its_own() {
    let small = Small::new("source_only", &["train.warmup=2", "train.learning_rate=1"]);
    let rate = |iteration, phase| small.step(iteration).rate_in(phase).learning_rate;
    // Half a cosine over ten iterations, the first of them warming up.
    assert_eq!(rate(1, 1..=10), 0.5);
    assert!((rate(6, 1..=10) - 0.5).abs() < 1e-12);
    assert_eq!(small.step(6).rate().learning_rate, rate(6, 1..=10));
    for done in 0..5 {
        assert_eq!(rate(6 + done, 6..=10), rate(1 + done, 1..=5));
    }
}
