//! The distance between source and target, measured without labels.

use burn::module::Module;
use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor, TensorData};
use rand::seq::SliceRandom;
use serde::Serialize;

use crate::data::DataConfig;
use crate::data::Features;
use crate::data::normalise::{DomainNormalisers, fit_normalisers};
use crate::nets::Dense;
use crate::optim::{Learner, Rate};
use crate::rng::{Purpose, stream};

/// Most rows used of each domain.
const ROWS: usize = 1500;
/// Training steps of the domain classifier.
const STEPS: usize = 150;
/// Fewest rows of each domain for a measurement.
const FEWEST: usize = 10;

/// The distance between two domains.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shift {
    /// 2 (1 − 2 · `domain_error`): 0 if the domains cannot be told apart, 2 if the domain of every row can be
    /// recognised.
    pub proxy_a_distance: f64,
    /// Error rate of a linear domain classifier on rows that it was not trained on, 0 to 0.5.
    pub domain_error: f64,
}

impl Shift {
    /// What the distance means for adaptation, in words.
    pub fn meaning(&self) -> &'static str {
        match self.proxy_a_distance {
            ..0.5 => "the domains are similar: plain training may do as well",
            0.5..1.5 => {
                "a clear shift: adapting may help, or hurt if class proportions differ; training says which"
            }
            _ => "a large shift: check the predictions on rows whose class you know",
        }
    }
}

/// The proxy A-distance (Ben-David et al., 2007): how well a linear classifier tells the two domains apart.
///
/// Both domains are normalised by the source's statistics alone. None if a domain has fewer than 10 rows.
pub fn proxy_a_distance(source: &Features, target: &Features, seed: u64) -> Option<Shift> {
    let config = DataConfig::default();
    let DomainNormalisers { source: normaliser, .. } = fit_normalisers(&config, false, source, target);
    let mut rng = stream(seed, Purpose::SHIFT, 0);
    let width = source.shape().len();
    let mut rows: Vec<(bool, u32)> = Vec::new();
    // The same number of rows of each domain, so that guessing has an error of one half.
    let n = source.rows().min(target.rows()).min(ROWS);
    for (is_target, features) in [(false, source), (true, target)] {
        let mut drawn: Vec<u32> = (0..features.rows() as u32).collect();
        drawn.shuffle(&mut rng);
        rows.extend(drawn.into_iter().take(n).map(|row| (is_target, row)));
    }
    rows.shuffle(&mut rng);
    let (train, test) = rows.split_at(rows.len() / 2);
    if n < FEWEST {
        return None;
    }
    let device = crate::device::cpu().autodiff();
    let tensors = |rows: &[(bool, u32)]| {
        let mut values: Vec<f32> = rows
            .iter()
            .flat_map(|&(is_target, row)| if is_target { target } else { source }.row(row as usize))
            .copied()
            .collect();
        normaliser.apply(&mut values);
        let labels: Vec<i32> = rows.iter().map(|r| i32::from(r.0)).collect();
        let x = Tensor::<2>::from_data(TensorData::new(values, [rows.len(), width]), &device);
        (x, Tensor::<2, Int>::from_data(TensorData::new(labels, [rows.len(), 1]), &device))
    };
    let (x, y) = tensors(train);
    let mut classifier: Learner<Dense> = Learner::new(Dense::new(width, 2, &mut rng, &device));
    let rate = Rate::adam(0.01);
    for _ in 0..STEPS {
        let linear = classifier.module();
        let fit = log_softmax(linear.forward(x.clone()), 1).gather(1, y.clone()).mean().neg();
        let decay = linear.weight.val().square().mean().mul_scalar(0.1);
        classifier.step(fit + decay, &rate);
    }
    let (x, _) = tensors(test);
    let scores: Vec<f32> =
        classifier.module().valid().forward(x.inner()).into_data().try_into_vec().expect("scores are f32");
    let wrong = scores.chunks_exact(2).zip(test).filter(|(s, row)| (s[1] > s[0]) != row.0).count();
    let domain_error = (wrong as f64 / test.len() as f64).min(0.5);
    Some(Shift { proxy_a_distance: 2.0 * (1.0 - 2.0 * domain_error), domain_error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Shape;
    use rand::RngExt;

    fn cloud(seed: u64, shift: f32) -> Features {
        let mut rng = stream(seed, Purpose::WEIGHTS, 0);
        let values = (0..400 * 5).map(|_| rng.random_range(-1.0..1.0) + shift).collect();
        Features::new(values, Shape::Flat(5)).unwrap()
    }

    #[test]
    fn one_domain_is_near_itself_and_far_from_a_shifted_copy() {
        assert!(proxy_a_distance(&cloud(1, 0.0), &cloud(2, 0.0), 0).unwrap().proxy_a_distance < 0.4);
        assert!(proxy_a_distance(&cloud(1, 0.0), &cloud(2, 3.0), 0).unwrap().proxy_a_distance > 1.9);
    }

    #[test]
    fn a_handful_of_rows_tells_nothing() {
        let few = Features::new(vec![50.0; 6 * 5], Shape::Flat(5)).unwrap();
        assert_eq!(proxy_a_distance(&cloud(1, 0.0), &few, 0), None);
    }

    #[test]
    fn is_the_same_every_time() {
        let measure = || proxy_a_distance(&cloud(1, 0.0), &cloud(2, 0.3), 4);
        assert_eq!(measure(), measure());
    }
}
