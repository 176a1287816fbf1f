//! What every method must do, and every switch of CLOTH.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::HashMap;

use cloth::eval::Scorer;
use cloth::method::Losses;
use cloth::train::{Provenance, RunDir};
use cloth::{Config, Event, Flow, Head, Methods, Model, Outcome, Training};
use common::{CLASSES, config, image_problem, problem, wide_problem};

fn train(config: Config) -> Outcome {
    let (source, target, _) = problem(1);
    Training::prepare(config, source, target).unwrap().run(|_| Flow::Continue).unwrap()
}

fn accuracy(outcome: &Outcome) -> f64 {
    let (_, target, answers) = problem(1);
    let mut scorer = Scorer::new(CLASSES);
    scorer.add(&outcome.model.predict(target.features().values(), Head::C).unwrap(), &answers);
    scorer.score(&outcome.model.about().classes).accuracy
}

fn bytes(model: &Model) -> Vec<u8> {
    let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
    model.save(&path).unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn every_method_learns_the_source_and_reports_its_losses() {
    for recipe in Methods::builtin().iter() {
        let name = recipe.name();
        let (source, target, _) = problem(1);
        let (mut first, mut last) = (Losses::new(), Losses::new());
        let outcome = Training::prepare(config(name, &["train.iterations=400"]), source, target)
            .unwrap()
            .run(|event| {
                if let Event::Iteration { iteration, losses, .. } = event {
                    if *iteration == 1 {
                        first = losses.clone();
                    }
                    // A method that leaves the source behind has no l_c from then on.
                    if losses.get("l_c").is_some() {
                        last = losses.clone();
                    }
                }
                Flow::Continue
            })
            .unwrap();
        let l_c = |losses: &Losses| losses.get("l_c").unwrap();
        assert!(l_c(&last) < 0.7 * l_c(&first), "{}: {first:?} {last:?}", name);
        assert!(outcome.source_accuracy.unwrap() > 0.9, "{}", name);
        assert_eq!((outcome.iterations, outcome.selected_iteration), (400, 400), "{}", name);
    }
}

#[test]
fn every_method_gives_the_same_model_for_the_same_seed_and_another_for_another() {
    for recipe in Methods::builtin().iter() {
        let name = recipe.name();
        let model = |seed: &str| bytes(&train(config(name, &[seed])).model);
        assert_eq!(model("seed=1"), model("seed=1"), "{}", name);
        assert_ne!(model("seed=1"), model("seed=2"), "{}", name);
    }
}

#[test]
fn the_number_of_threads_changes_nothing_where_products_are_large_enough_to_be_shared() {
    for recipe in Methods::builtin().iter() {
        let name = recipe.name();
        let model = |threads: usize| {
            // Ours, and those of Burn's own operations.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let work = || {
                let (source, target, _) = wide_problem(640, 600, 500);
                let settings = ["train.batch_size=128", "generator.hidden=[256, 128]", "train.iterations=12"];
                let more = ["train.evaluate_every=6"];
                let config = config(name, &[settings.as_slice(), more.as_slice()].concat());
                bytes(
                    &Training::prepare(config, source, target)
                        .unwrap()
                        .run(|_| Flow::Continue)
                        .unwrap()
                        .model,
                )
            };
            pool.install(|| cloth::threads::with(threads, work))
        };
        let one = model(1);
        for threads in [2, 3, 8] {
            assert!(model(threads) == one, "{}: {threads} threads", name);
        }
    }
}

#[test]
fn every_method_resumes_to_the_same_model_and_metrics() {
    for recipe in Methods::builtin().iter() {
        let name = recipe.name();
        for select in ["train.select=last", "train.select=source-val"] {
            let settings = [select, "train.checkpoint_seconds=1e9"];
            let home = tempfile::tempdir().unwrap();
            let start = |directory: &str| {
                let config = config(name, &settings);
                RunDir::create(home.path().join(directory), &config, &Provenance::new("s", "t")).unwrap()
            };
            let go = |run: &RunDir, stop_at: usize| {
                let (source, target, _) = problem(1);
                let training = Training::prepare(config(name, &settings), source, target).unwrap();
                let outcome = training
                    .in_directory(run.clone())
                    .unwrap()
                    .run(|event| match event {
                        Event::Iteration { iteration, .. } if *iteration == stop_at => Flow::Stop,
                        _ => Flow::Continue,
                    })
                    .unwrap();
                assert_eq!(outcome.stopped, stop_at > 0);
            };
            let (whole, parts) = (start("whole"), start("parts"));
            go(&whole, 0);
            for stop_at in [1, 23, 40, 0] {
                go(&parts, stop_at);
            }
            let read =
                |run: &RunDir| (std::fs::read(run.model()).unwrap(), std::fs::read(run.metrics()).unwrap());
            assert!(read(&whole) == read(&parts), "{} {select}", name);
        }
    }
}

#[test]
fn every_method_saves_a_model_that_predicts_the_same_after_loading() {
    for recipe in Methods::builtin().iter() {
        let name = recipe.name();
        let outcome = train(config(name, &[]));
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        outcome.model.save(&path).unwrap();
        let loaded = Model::load(&path).unwrap();
        let (_, target, _) = problem(1);
        let predict = |model: &Model| model.predict(target.features().values(), Head::C).unwrap();
        assert_eq!(predict(&outcome.model), predict(&loaded), "{}", name);
    }
}

#[test]
fn cloth_undoes_a_shift_that_source_only_does_not() {
    let settings = ["train.iterations=300"];
    let (adapted, plain) = (train(config("cloth", &settings)), train(config("source_only", &settings)));
    let (adapted, plain) = (accuracy(&adapted), accuracy(&plain));
    assert!(adapted > 0.95 && adapted > plain + 0.05, "cloth {adapted}, source_only {plain}");
}

#[test]
fn every_switch_of_cloth_trains_and_changes_the_result() {
    // Each with what it takes to matter.
    let switches = [
        ("transport=sinkhorn", ""),
        ("sinkhorn_epsilon=1", "transport=sinkhorn"),
        ("moments=homm", ""),
        ("moments=none", ""),
        ("sinkhorn_rows=both", "transport=sinkhorn"),
        ("homm_entries=50", "moments=homm"),
        ("discriminator=binary", ""),
        ("discriminator_hidden=[8]", ""),
        ("adversarial=false", ""),
        ("adversarial_weight=0.5", ""),
        ("share_ct=true", ""),
        ("q=1", ""),
        ("alpha=0", ""),
        ("beta=0", ""),
        ("gamma=0", ""),
        ("l_gt=paper", ""),
        ("reduction=sum", ""),
        ("moment_weights=paper", ""),
        ("moment_scale=one", ""),
        ("prior=[0.4, 0.3, 0.2, 0.1]", ""),
        ("structure=0", ""),
        ("structure_start=0.5", ""),
        ("structure_every=20", ""),
        ("structure_neighbours=3", ""),
        ("structure_rows=50", ""),
        ("structure_balance=0", ""),
        ("structure_anchor=0", ""),
        ("ramp=0", ""),
        ("label_smoothing=0", ""),
    ];
    for key in Methods::builtin().find("cloth").unwrap().parameters().defaults().keys() {
        if key == "consistency" {
            // Of images only: the next test.
            continue;
        }
        let is_there = switches.iter().any(|(switch, _)| switch.split('=').next() == Some(key));
        assert!(is_there, "nothing tests {key}");
    }
    let trained = |switches: &[&str]| {
        let chosen = switches.iter().filter(|switch| !switch.is_empty());
        let chosen: Vec<String> = chosen.map(|switch| format!("method.cloth.{switch}")).collect();
        let mut settings = vec!["train.iterations=150", "train.warmup=5"];
        settings.extend(chosen.iter().map(String::as_str));
        train(config("cloth", &settings))
    };
    let mut plain = HashMap::new();
    for (switch, under) in switches {
        let plain = plain.entry(under).or_insert_with(|| bytes(&trained(&[under]).model));
        let outcome = trained(&[under, switch]);
        assert_ne!(bytes(&outcome.model), *plain, "{switch} changes nothing");
        assert!(outcome.source_accuracy.unwrap() > 0.5, "{switch}: {:?}", outcome.source_accuracy);
    }
}

#[test]
fn consistency_changes_what_is_learned_of_images_that_are_varied() {
    let trained = |settings: &[&str]| {
        let (source, target) = image_problem();
        let config = config("cloth", &[&["train.iterations=2", "train.warmup=1"], settings].concat());
        bytes(&Training::prepare(config, source, target).unwrap().run(|_| Flow::Continue).unwrap().model)
    };
    let off = "method.cloth.consistency=0";
    assert_ne!(trained(&["data.augment=1"]), trained(&["data.augment=1", off]));
    assert_eq!(trained(&["data.augment=0"]), trained(&["data.augment=0", off]));
}

#[test]
fn a_run_keeps_every_setting_as_training_used_it() {
    // An old run resumes as the same network whatever the defaults become, for nothing is left to them.
    for recipe in Methods::builtin().iter() {
        let name = recipe.name();
        for images in [false, true] {
            let rows = || if images { image_problem() } else { (problem(1).0, problem(1).1) };
            let resolve = |config: Config| {
                let (source, target) = rows();
                Training::prepare(config, source, target).unwrap().config().clone()
            };
            let resolved = resolve(Methods::builtin().config(name).unwrap());
            let text = resolved.to_toml();
            assert!(!text.contains("auto"), "{name}:\n{text}");
            assert!(resolved.train.batch_size > 0 && !resolved.generator.hidden.is_empty(), "{name}");
            assert_eq!(resolve(resolved.clone()), resolved, "{name}: resolved twice");
        }
    }
}

#[test]
fn a_loss_that_goes_wrong_is_named_with_its_iteration_and_advice() {
    // Values this large, not normalised, overflow in the third power of their products.
    let (mut source, mut target, _) = problem(1);
    source.features_mut().values_mut().iter_mut().for_each(|v| *v *= 1e12);
    target.features_mut().values_mut().iter_mut().for_each(|v| *v *= 1e12);
    let settings = ["data.normalise=none", "method.cloth.moment_scale=one"];
    let training = Training::prepare(config("cloth", &settings), source, target).unwrap();
    let error = training.run(|_| Flow::Continue).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("l_hmm became") && text.ends_with("at iteration 1"), "{text}");
    assert!(error.help().unwrap().contains("moment_scale=inverse-width"), "{:?}", error.help());
}

#[test]
fn a_wrong_number_of_priors_is_refused() {
    let (source, target, _) = problem(1);
    let error =
        Training::prepare(config("cloth", &["method.cloth.prior=[0.5, 0.5]"]), source, target).err().unwrap();
    assert_eq!(
        error.to_string(),
        "setting `method.cloth.prior`: found 2 proportions, wanted 4, one for each class"
    );
}
