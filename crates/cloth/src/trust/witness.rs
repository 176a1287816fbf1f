//! Witnesses: simple classifiers that share nothing with the networks but the source's labels.
//!
//! A network may be sure and wrong, and two networks may be wrong alike. A classifier of another kind is rarely wrong on
//! the same rows: how often it agrees with a network tells more about the network than the network's own confidence.

use burn::tensor::{Tensor, TensorData};

use super::overlap::Overlap;
use crate::data::normalise::{Normaliser, fit_normalisers};
use crate::data::{Centre, DataConfig, Features, Normalise, Source};
use crate::linalg::{LabelledRows, argmax, nearest_rows, unit_rows};
use crate::model::Outputs;

/// Most rows of each domain that witnesses see.
const ROWS: usize = 2000;
/// Rows compared at a time.
const BLOCK: usize = 500;
/// Most neighbours whose predictions are compared.
const NEIGHBOURS: usize = 5;

/// Squared distances below this share of the source's spread are all near.
const NEAR: f64 = 0.01;

/// The rows that witnesses see.
pub struct Sample {
    /// Indices of source rows, ascending.
    pub source: Vec<u32>,
    /// Indices of target rows, ascending.
    pub target: Vec<u32>,
}

/// The rows of a sample as a network sees them.
pub struct Latents {
    /// Name of the witness that compares them.
    pub name: &'static str,
    /// Latents of the source rows.
    pub source: Vec<f32>,
    /// Latents of the target rows.
    pub target: Vec<f32>,
    /// Width of a latent.
    pub width: usize,
}

impl Latents {
    /// The latents of a sample, from a network's outputs on its source rows and on all target rows.
    pub(super) fn new(name: &'static str, source: Outputs, target: &Outputs, rows: &[u32]) -> Self {
        let width = source.width;
        let latent = |&row: &u32| &target.latent[row as usize * width..][..width];
        let target = rows.iter().flat_map(latent).copied().collect();
        Self { name, source: source.latent, target, width }
    }
}

/// What the witnesses say of a sample of the target rows.
pub struct Witnesses {
    /// Indices of the target rows of the sample, ascending.
    pub rows: Vec<u32>,
    /// The class that each witness gives each row of the sample, under the witness's name.
    pub answers: Vec<(&'static str, Vec<u32>)>,
    /// The nearest other rows of the sample, for each row of it.
    pub neighbours: Vec<Vec<usize>>,
    /// Accuracy on source rows of the nearest other source row, and of the nearest class mean.
    pub on_source: [f64; 2],
    /// How the target lies on the source.
    pub overlap: Overlap,
}

impl Sample {
    /// At most 2,000 rows of each domain, evenly spaced.
    pub fn of(source: &Source, target: &Features) -> Self {
        Self { source: evenly(source.len()), target: evenly(target.rows()) }
    }
}

impl Witnesses {
    /// Asks the nearest source row and the nearest source class mean: once with both domains normalised by
    /// the source's statistics, and once each by its own; and the nearest source row in each latent space. Rows of
    /// `source` and `target` are those before normalisation.
    pub fn of(source: &Source, target: &Features, sample: Sample, latents: &[Latents]) -> Self {
        let n_classes = source.classes().len();
        let labels: Vec<u32> = sample.source.iter().map(|&i| source.labels()[i as usize]).collect();
        let width = source.features().shape().len();
        let fitted = |centre| {
            let config = DataConfig { normalise: Normalise::Auto, centre, ..DataConfig::default() };
            fit_normalisers(&config, true, source.features(), target)
        };
        let normalised = |features: &Features, rows: &[u32], by: &Normaliser| {
            let mut values = features.gather(rows);
            by.apply(&mut values);
            values
        };
        let (by_source, by_domain) = (fitted(Centre::Source), fitted(Centre::Domain));
        let known = normalised(source.features(), &sample.source, &by_source.source);
        let labelled = LabelledRows { values: &known, width, labels: &labels, n_classes };
        let means = ClassMeans::of(labelled);
        let prototypes = means.rows(width);
        let shifted = normalised(target, &sample.target, &by_source.target);
        let centred = normalised(target, &sample.target, &by_domain.target);
        let own = nearest_rows(&known, width, 1, between(&known, width));
        let usual: Vec<f32> = own.iter().filter_map(|near| Some(near.first()?.distance)).collect();
        let spread = f64::from(squares(&known, width).iter().sum::<f32>()) / labels.len() as f64;
        let least = NEAR * spread + f64::MIN_POSITIVE;
        let near = [&shifted, &centred].map(|asked| nearest(labelled, asked));
        let reach = near.each_ref().map(|near| {
            let found: Vec<f32> = near.iter().map(|near| near.1).collect();
            reach(&found, &usual, least)
        });
        let [as_they_are, by_their_own] = near.map(|near| near.into_iter().map(|near| near.0).collect());
        let mut answers: Vec<(&str, Vec<u32>)> = vec![
            ("neighbour", as_they_are),
            ("neighbour_centred", by_their_own),
            ("mean", nearest_label(prototypes, &shifted)),
            ("mean_centred", nearest_label(prototypes, &centred)),
        ];
        for Latents { name, source, target, width } in latents {
            // By angle: the length of a latent says how sure a network is, not of what.
            let (known, asked) = (unit_rows(source, *width), unit_rows(target, *width));
            let labelled = LabelledRows { values: &known, width: *width, labels: &labels, n_classes };
            answers.push((name, nearest_label(labelled, &asked)));
        }
        let k = (sample.target.len() / (4 * n_classes)).clamp(1, NEIGHBOURS);
        let near = nearest_rows(&centred, width, k, between(&centred, width));
        let neighbours = near.into_iter().map(|near| near.iter().map(|near| near.row).collect()).collect();
        let alike = own.iter().zip(&labels);
        let alike =
            alike.filter(|(near, y)| near.first().is_some_and(|near| labels[near.row] == **y)).count();
        let on_source = [alike as f64 / labels.len() as f64, other_means(labelled)];
        let overlap = Overlap::new(labelled, &shifted, reach);
        Self { rows: sample.target, answers, neighbours, on_source, overlap }
    }
}

/// The squared distance of two rows, given their product.
fn between(values: &[f32], width: usize) -> impl Fn(usize, usize, f32) -> f32 + Sync {
    let squares = squares(values, width);
    move |a, b, product| (squares[a] + squares[b] - 2.0 * product).max(0.0)
}

/// The squared length of each row.
fn squares(values: &[f32], width: usize) -> Vec<f32> {
    values.chunks_exact(width).map(|row| row.iter().map(|v| v * v).sum()).collect()
}

/// log of the median of distances by the median of the usual ones, given the squares. `least` is added to both: among
/// copies of the same rows any distance would be large.
fn reach(squares: &[f32], usual: &[f32], least: f64) -> f64 {
    let median = |of: &[f32]| {
        let mut sorted = of.to_vec();
        sorted.sort_by(f32::total_cmp);
        f64::from(sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)) + least
    };
    (median(squares) / median(usual)).ln() / 2.0
}

/// Share of every second row of each class for which the nearest class mean of the other rows is that of its own class.
fn other_means(rows: LabelledRows<'_>) -> f64 {
    let mut seen = vec![0usize; rows.n_classes];
    let second = rows.labels.iter().map(|&y| {
        seen[y as usize] += 1;
        seen[y as usize].is_multiple_of(2)
    });
    let second: Vec<bool> = second.collect();
    let half = |wanted: bool| -> (Vec<f32>, Vec<u32>) {
        let values = rows.values.chunks_exact(rows.width).zip(&second).filter(|(_, half)| **half == wanted);
        let labels = rows.labels.iter().zip(&second).filter(|(_, half)| **half == wanted);
        (values.flat_map(|(row, _)| row.iter().copied()).collect(), labels.map(|(&y, _)| y).collect())
    };
    let ((known, labels), (asked, answers)) = (half(false), half(true));
    let means = ClassMeans::of(LabelledRows { values: &known, labels: &labels, ..rows });
    let found = nearest_label(means.rows(rows.width), &asked);
    let right = found.iter().zip(&answers).filter(|(a, b)| a == b).count();
    right as f64 / answers.len().max(1) as f64
}

/// At most `ROWS` of `n` rows, evenly spaced.
fn evenly(n: usize) -> Vec<u32> {
    let taken = n.min(ROWS);
    (0..taken).map(|i| (i as u64 * n as u64 / taken as u64) as u32).collect()
}

/// The means of the classes that have rows.
struct ClassMeans {
    values: Vec<f32>,
    labels: Vec<u32>,
    n_classes: usize,
}

impl ClassMeans {
    fn of(rows: LabelledRows<'_>) -> Self {
        let sums = rows.class_sums();
        let labels: Vec<u32> =
            (0..rows.n_classes as u32).filter(|&m| sums.counts[m as usize] > 0.0).collect();
        let mean = |&m: &u32| {
            let count = sums.counts[m as usize];
            sums.sums[m as usize * rows.width..][..rows.width].iter().map(move |sum| (sum / count) as f32)
        };
        Self { values: labels.iter().flat_map(mean).collect(), labels, n_classes: rows.n_classes }
    }

    fn rows(&self, width: usize) -> LabelledRows<'_> {
        LabelledRows { values: &self.values, width, labels: &self.labels, n_classes: self.n_classes }
    }
}

/// The label of the nearest known row, for each row of `asked`.
fn nearest_label(known: LabelledRows<'_>, asked: &[f32]) -> Vec<u32> {
    nearest(known, asked).into_iter().map(|near| near.0).collect()
}

/// The label of the nearest known row and the squared distance to it, for each row of `asked`.
fn nearest(known: LabelledRows<'_>, asked: &[f32]) -> Vec<(u32, f32)> {
    let (width, n) = (known.width, known.labels.len());
    let device = crate::device::cpu();
    let rows = |values: &[f32]| {
        let shape = [values.len() / width, width];
        Tensor::<2>::from_data(TensorData::new(values.to_vec(), shape), &device)
    };
    let known_rows = rows(known.values).transpose();
    let lengths = squares(known.values, width);
    asked
        .chunks(BLOCK * width)
        .flat_map(|block| {
            let products = rows(block).matmul(known_rows.clone()).into_data();
            let products: Vec<f32> = products.try_into_vec().expect("products are f32");
            let own = squares(block, width);
            let best = |(products, own): (&[f32], f32)| {
                // The row that is nearest has the largest product less half its squared length.
                let scores: Vec<f32> =
                    products.iter().zip(&lengths).map(|(p, length)| p - length / 2.0).collect();
                let i = argmax(&scores);
                (known.labels[i], (own - 2.0 * scores[i]).max(0.0))
            };
            products.chunks_exact(n).zip(own).map(best).collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Classes, Shape};

    /// Forty rows of two classes at right angles; in the target both are moved.
    fn domains(moved: f32) -> (Source, Features) {
        let row = |i: usize, moved: f32| {
            let (class, wobble) = (i % 2, (i / 2) as f32 * 0.01);
            [class as f32 * 4.0 + wobble + moved, 4.0 - class as f32 * 4.0 - wobble + moved]
        };
        let values = |moved| (0..40).flat_map(|i| row(i, moved)).collect::<Vec<f32>>();
        let features = |moved| Features::new(values(moved), Shape::Flat(2)).unwrap();
        let labels = (0..40).map(|i| i % 2).collect();
        (Source::new(features(0.0), labels, Classes::new(["a", "b"])).unwrap(), features(moved))
    }

    #[test]
    fn witnesses_know_the_classes_of_rows_that_lie_where_the_source_s_do() {
        let (source, target) = domains(0.0);
        let witnesses = Witnesses::of(&source, &target, Sample::of(&source, &target), &[]);
        assert_eq!(witnesses.on_source, [1.0, 1.0]);
        for (name, answers) in &witnesses.answers {
            assert!(answers.iter().zip(source.labels()).all(|(a, b)| a == b), "{name}: {answers:?}");
        }
        assert!(witnesses.neighbours.iter().enumerate().all(|(i, near)| near.iter().all(|j| j % 2 == i % 2)));
    }

    #[test]
    fn a_shift_of_all_rows_misleads_only_those_that_do_not_centre() {
        let (source, target) = domains(60.0);
        let right = |name: &str| {
            let witnesses = Witnesses::of(&source, &target, Sample::of(&source, &target), &[]);
            let answers = &witnesses.answers.iter().find(|witness| witness.0 == name).unwrap().1;
            answers.iter().zip(source.labels()).filter(|(a, b)| a == b).count()
        };
        assert_eq!((right("neighbour_centred"), right("mean_centred")), (40, 40));
        assert!(right("neighbour") < 40);
        let [as_it_is, centred] =
            Witnesses::of(&source, &target, Sample::of(&source, &target), &[]).overlap.reach;
        assert!(as_it_is > centred && centred.abs() < 1.0, "{as_it_is} {centred}");
    }

    #[test]
    fn a_sample_is_evenly_spaced_and_all_rows_if_they_are_few() {
        assert_eq!(evenly(3), [0, 1, 2]);
        let sample = evenly(4001);
        assert_eq!((sample.len(), sample[0], sample[1], sample[1999]), (2000, 0, 2, 3998));
    }
}
