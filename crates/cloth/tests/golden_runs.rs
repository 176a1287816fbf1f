//! Short runs of every method, whose losses are kept in `golden/runs.json`.
//!
//! The same settings and data must give the same losses, to four digits, as long as a method's revision stays: results
//! that were measured before are otherwise taken for results of today. Whoever changes numbers on purpose raises
//! `Recipe::revision` and runs `CLOTH_UPDATE=1 cargo test --release -p cloth --test golden_runs`, which writes anew what
//! has another revision and nothing else.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;

use cloth::{Event, Flow, Methods, Source, Target, Training};
use common::{config, image_problem, problem};
use serde::{Deserialize, Serialize};

/// Iterations whose losses are kept.
const KEPT: [usize; 4] = [1, 2, 6, 12];
/// Four digits. Processors of other kinds round differently, and twelve iterations do not make more of it.
const BOUND: f64 = 5e-4;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Run {
    revision: u32,
    /// By iteration and symbol.
    losses: BTreeMap<usize, BTreeMap<String, f64>>,
}

type Runs = BTreeMap<String, Run>;

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/runs.json")
}

fn kept() -> Runs {
    std::fs::read(file()).map_or_else(|_| Runs::new(), |bytes| serde_json::from_slice(&bytes).unwrap())
}

/// Four digits, as JSON has them.
fn four_digits(value: f32) -> f64 {
    format!("{value:.3e}").parse().unwrap()
}

fn made() -> Runs {
    let short = ["train.iterations=12", "train.evaluate_every=12", "train.warmup=3"];
    let images = ["generator.filters=[4, 6]", "generator.hidden=[12, 8]"];
    // Plans from the first iteration on, of fewer rows than the target has.
    let structure = ["structure_start=0", "structure_every=4", "structure_rows=60"];
    let structure: Vec<String> = structure.iter().map(|part| format!("method.cloth.{part}")).collect();
    let structure: Vec<&str> = structure.iter().map(String::as_str).collect();
    let flat = || (problem(1).0, problem(1).1);
    let mut runs = Runs::new();
    for recipe in Methods::builtin().iter() {
        let name = recipe.name();
        let mut make = |kind: &str, settings: &[&str], (source, target): (Source, Target)| {
            let config = config(name, &[&short, settings].concat());
            let losses = losses(Training::prepare(config, source, target).unwrap());
            runs.insert(format!("{name}, {kind}"), Run { revision: recipe.revision(), losses });
        };
        // How `auto` normalises is no part of a method.
        let direction = "data.normalise=direction";
        make("features", &[direction], flat());
        make("images", &images, image_problem());
        if name == "cloth" {
            make("features, few rows in a plan", &[&[direction], &structure[..]].concat(), flat());
            make("images, few rows in a plan", &[&images[..], &structure].concat(), image_problem());
        }
    }
    runs
}

fn losses(training: Training) -> BTreeMap<usize, BTreeMap<String, f64>> {
    let mut kept = BTreeMap::new();
    let outcome = training.run(|event| {
        if let Event::Iteration { iteration, losses, .. } = event
            && KEPT.contains(iteration)
        {
            let values = losses.iter().map(|(symbol, value)| (symbol.to_owned(), four_digits(value)));
            kept.insert(*iteration, values.collect());
        }
        Flow::Continue
    });
    outcome.unwrap();
    kept
}

fn agree(a: &Run, b: &Run) -> bool {
    let close = |(x, y): (&BTreeMap<String, f64>, &BTreeMap<String, f64>)| {
        x.len() == y.len()
            && x.iter().zip(y).all(|((name, x), (other, y))| {
                name == other && (x - y).abs() <= BOUND * x.abs().max(y.abs()) + 1e-6
            })
    };
    a.losses.keys().eq(b.losses.keys()) && a.losses.values().zip(b.losses.values()).all(close)
}

#[test]
fn the_losses_of_every_method_stay_until_its_revision_moves() {
    let (mut kept, made) = (kept(), made());
    let update = std::env::var_os("CLOTH_UPDATE").is_some();
    let mut wrong = Vec::new();
    for (name, made) in made {
        match kept.get(&name) {
            Some(old) if old.revision == made.revision => {
                if !agree(old, &made) {
                    wrong.push(format!(
                        "{name}: other losses under revision {}, so raise it\n  {:?}\n  {:?}",
                        made.revision, old.losses, made.losses
                    ));
                }
            }
            _ if update => {
                kept.insert(name, made);
            }
            Some(old) => wrong.push(format!(
                "{name}: kept losses are of revision {}, the method's is {}: run again with CLOTH_UPDATE=1",
                old.revision, made.revision
            )),
            None => wrong.push(format!("{name}: no losses are kept: run again with CLOTH_UPDATE=1")),
        }
    }
    if update {
        std::fs::write(file(), serde_json::to_string_pretty(&kept).unwrap() + "\n").unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_difference_in_the_fourth_digit_is_seen() {
    let run = |value: f64| Run {
        revision: 1,
        losses: BTreeMap::from([(1, BTreeMap::from([("l_c".to_owned(), value)]))]),
    };
    assert!(agree(&run(1.234), &run(1.2343)));
    assert!(!agree(&run(1.234), &run(1.236)));
}
