//! Checks during training that need no target label.

use crate::data::batch::TrainingSet;
use crate::model::outputs;
use crate::nets::{Domain, Networks};
use crate::train::{self, Collapse};

/// Most target rows predicted in a check: enough to detect a collapse, few enough to cost little.
const TARGET_ROWS: usize = 1000;

/// Accuracy on the source's validation rows, if there are any.
pub(super) fn source_accuracy(networks: &Networks, data: &TrainingSet) -> Option<f64> {
    let rows = &data.split().validation;
    if rows.is_empty() {
        return None;
    }
    let (best, _) = outputs(networks, &data.source().features().gather(rows), Domain::Source).c.best();
    let right =
        best.iter().zip(rows).filter(|(b, row)| **b == data.source().labels()[**row as usize]).count();
    Some(right as f64 / rows.len() as f64)
}

/// At most [`TARGET_ROWS`] normalised target rows, evenly spaced.
pub(super) fn some_of_target(data: &TrainingSet) -> Vec<f32> {
    let n = data.target().rows();
    let every = n.div_ceil(TARGET_ROWS).max(1);
    let rows: Vec<u32> = (0..n as u32).step_by(every).collect();
    data.target().gather(&rows)
}

/// Warns where C or T predicts one class for almost all target rows although the source has several.
pub(super) fn collapse(networks: &Networks, data: &TrainingSet, iteration: usize) -> Vec<String> {
    let outputs = outputs(networks, &some_of_target(data), Domain::Target);
    let counts = data.source().class_counts();
    let mut warnings = Vec::new();
    for (name, predicted) in [("C", Some(&outputs.c)), ("T", outputs.t.as_ref())] {
        let predicted = predicted.map(|predicted| predicted.best().0);
        let found = predicted.and_then(|predicted| train::collapse(&predicted, &counts));
        if let Some(Collapse { class, share, expected }) = found {
            warnings.push(format!(
                "iteration {iteration}: {name} predicts `{}` for {:.0} % of the target rows ({:.0} % of the source rows): \
                 training may have collapsed",
                data.source().classes().name(class),
                100.0 * share,
                100.0 * expected,
            ));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Batches, GeneratorConfig};
    use crate::data::{Classes, Features, Shape, Source, Target, split};
    use crate::nets::{Generator, GeneratorSpec, HeadsConfig, LinearHead, Weights, export, import};
    use crate::rng::{Purpose, stream};

    fn data(target_rows: usize) -> TrainingSet {
        let features = |rows: usize| {
            let values = (0..rows * 4).map(|i| ((i * 7) % 5) as f32 - 2.0).collect();
            Features::new(values, Shape::Flat(4)).unwrap()
        };
        let labels: Vec<u32> = (0..30).map(|i| i % 3).collect();
        let split = split::stratified(&labels, 3, 0.2, 0);
        let source = Source::new(features(30), labels, Classes::new(["ant", "bee", "cat"])).unwrap();
        let target = Target::new(features(target_rows)).unwrap();
        TrainingSet::new(source, target, split, 8, Batches::Uniform, 0).unwrap()
    }

    /// Networks whose C and T output their biases for every row.
    fn networks(c: [f32; 3], t: [f32; 3]) -> Networks {
        let device = crate::device::cpu();
        let mut rng = stream(0, Purpose::WEIGHTS, 0);
        let spec = GeneratorSpec::resolve(&GeneratorConfig::default(), Shape::Flat(4)).unwrap();
        let g = Generator::new(&spec, &mut rng, &device);
        let mut biased = |bias: [f32; 3]| {
            let layer = LinearHead::new(HeadsConfig::default(), spec.width(), 3, &mut rng, &device);
            let mut weights: Weights = export(&layer);
            weights.insert("weight".into(), (vec![spec.width(), 3], vec![0.0; 3 * spec.width()]));
            weights.insert("bias".into(), (vec![3], bias.to_vec()));
            import(layer, &weights).unwrap()
        };
        Networks { c: biased(c), t: Some(biased(t)), g }
    }

    #[test]
    fn a_head_that_calls_everything_one_class_is_named_with_the_class() {
        let warnings = collapse(&networks([0.0, 9.0, 0.0], [0.0, 0.0, 9.0]), &data(40), 70);
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].starts_with(
            "iteration 70: C predicts `bee` for 100 % of the target rows (33 % of the source rows)"
        ));
        assert!(warnings[1].starts_with("iteration 70: T predicts `cat` for 100 % of the target rows"));
    }

    #[test]
    fn a_handful_of_rows_may_well_be_of_one_class() {
        assert!(collapse(&networks([0.0, 9.0, 0.0], [0.0, 9.0, 0.0]), &data(19), 1).is_empty());
    }

    #[test]
    fn some_rows_are_all_of_a_small_target_and_every_so_many_of_a_large_one() {
        let (few, many) = (data(40), data(2500));
        assert_eq!(some_of_target(&few), few.target().values());
        let some = some_of_target(&many);
        assert_eq!(some.len(), 834 * 4, "every third");
        assert_eq!(some[4..8], many.target().values()[12..16]);
    }

    #[test]
    fn source_accuracy_is_of_the_validation_rows() {
        let accuracy = source_accuracy(&networks([0.0, 9.0, 0.0], [0.0; 3]), &data(40)).unwrap();
        assert!((accuracy - 1.0 / 3.0).abs() < 1e-9);
    }
}
