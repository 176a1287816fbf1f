//! Batch normalisation that knows the domain of each row.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::{Buffer, Domain, Mode};
use crate::kernel::{self, NORM_EPSILON, Statistics};

/// Decay of the running statistics, once they have seen this many batches.
const MEMORY: f32 = 100.0;

/// Share of a batch in the running correction for class proportions. A batch has few rows of a class, so it is small.
const CORRECTION_SHARE: f32 = 0.02;

/// `generator.batch_norm`, `heads.batch_norm`: which statistics normalise the rows of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// No normalisation.
    #[default]
    None,
    /// Source rows by the source's statistics, target rows by the target's.
    Domain,
    /// All rows by the statistics of the whole batch.
    Shared,
    /// As `domain`, with larger values where the domains' statistics are alike (TransNorm).
    Transferable,
}

/// (x − mean) / √(variance + ε) · scale + offset.
///
/// In training, statistics are those of the batch and gradients flow through them. Running statistics of each domain are
/// kept for evaluation: their mean over the first hundred batches, an exponential average afterwards. They belong to
/// the weights in training, not to their Polyak average, and see dropout.
///
/// Normalisation by domain gives both domains the same mean and spread, which is wrong where their class proportions
/// differ. With weights of the source rows ([`Mode::with_source_weights`]) the target gets the mean and the spread that
/// the weighted source has.
#[derive(Module, Debug)]
pub struct BatchNorm {
    /// γ, `[width]`
    pub scale: Param<Tensor<1>>,
    /// β, `[width]`
    pub offset: Param<Tensor<1>>,
    /// Running means of source and target, `[2, width]`.
    mean: Buffer<2>,
    /// Running variances, `[2, width]`.
    variance: Buffer<2>,
    /// Factor and shift that give the target the source's statistics under the target's class proportions, `[2, width]`.
    correction: Buffer<2>,
    /// Number of batches that the statistics have seen, at most [`MEMORY`], `[2]`.
    batches: Buffer<1>,
    #[module(skip)]
    kind: Norm,
}

impl BatchNorm {
    /// A layer with scale 1 and offset 0; `None` if nothing is normalised.
    pub fn new(kind: Norm, width: usize, device: &Device) -> Option<Self> {
        let vector = |value: f32| Param::from_data(TensorData::new(vec![value; width], [width]), device);
        (kind != Norm::None).then(|| Self {
            scale: vector(1.0),
            offset: vector(0.0),
            mean: Buffer::new(Tensor::zeros([2, width], device)),
            variance: Buffer::new(Tensor::ones([2, width], device)),
            correction: Buffer::new(Tensor::cat(
                vec![Tensor::ones([1, width], device), Tensor::zeros([1, width], device)],
                0,
            )),
            batches: Buffer::new(Tensor::zeros([2], device)),
            kind,
        })
    }

    /// Which statistics it uses.
    pub fn kind(&self) -> Norm {
        self.kind
    }

    /// Normalises each column.
    ///
    /// # Shapes
    /// - `x`: `[b, width]`
    /// - returns `[b, width]`
    pub fn forward(&self, x: Tensor<2>, mode: &Mode) -> Tensor<2> {
        match mode.rows() {
            Ok(b_s) => self.train(x, b_s, mode.source_weights()),
            Err(domain) => self.evaluate(x, domain),
        }
    }

    fn train(&self, x: Tensor<2>, b_s: usize, weights: Option<&[f32]>) -> Tensor<2> {
        let [rows, _] = x.dims();
        // Rows of each part, and the place of its running statistics.
        let parts: Vec<(usize, usize)> = match self.kind {
            Norm::Shared => vec![(rows, 0)],
            _ => [(b_s, 0), (rows - b_s, 1)].into_iter().filter(|(rows, _)| *rows > 0).collect(),
        };
        let lengths: Vec<usize> = parts.iter().map(|(rows, _)| *rows).collect();
        let (y, found) = kernel::batch_norm(x, self.scale.val(), self.offset.val(), &lengths);
        let domains = parts.iter().map(|(_, domain)| *domain).zip(&found);
        domains.for_each(|(domain, statistics)| self.remember(domain, statistics));
        match (self.kind, found.as_slice()) {
            (Norm::Transferable, [source, target]) => {
                let factor = transferability([source, target]);
                y.clone() * row(factor, &y.device())
            }
            (Norm::Transferable, _) => self.weigh(y),
            (Norm::Domain, [_, _]) => match weights {
                None => y,
                Some(weights) => self.correct(y, b_s, weights),
            },
            _ => y,
        }
    }

    fn evaluate(&self, x: Tensor<2>, domain: Domain) -> Tensor<2> {
        let [source, target] = self.running();
        let seen = values(self.batches.get());
        // A network that has seen no target row evaluates the target by the source's statistics, and vice versa.
        let Statistics { mean, variance } = match domain {
            Domain::Target if seen[1] > 0.0 || seen[0] == 0.0 => target,
            Domain::Source if seen[0] == 0.0 => target,
            _ => source,
        };
        let device = x.device();
        let factor = variance.iter().map(|v| 1.0 / (v + NORM_EPSILON).sqrt()).collect();
        let u = (x - row(mean, &device)) * row(factor, &device);
        let y = u * self.scale.val().unsqueeze() + self.offset.val().unsqueeze();
        match (self.kind, domain) {
            (Norm::Transferable, _) => self.weigh(y),
            (Norm::Domain, Domain::Target) => self.corrected(y),
            _ => y,
        }
    }

    /// Gives the target rows of `y` the mean and the spread that the source rows have when they are weighted.
    fn correct(&self, y: Tensor<2>, b_s: usize, weights: &[f32]) -> Tensor<2> {
        let [rows, width] = y.dims();
        let source = y.clone().narrow(0, 0, b_s);
        let found = correction(&values(source.clone().inner()), weights, width);
        let mut running = values(self.correction.get());
        for (running, new) in running.iter_mut().zip(found) {
            *running += CORRECTION_SHARE * (new - *running);
        }
        self.correction.set(Tensor::from_data(TensorData::new(running, [2, width]), &y.device()));
        Tensor::cat(vec![source, self.corrected(y.narrow(0, b_s, rows - b_s))], 0)
    }

    /// Target rows with the running correction.
    fn corrected(&self, y: Tensor<2>) -> Tensor<2> {
        let running = self.correction.get();
        y * running.clone().narrow(0, 0, 1) + running.narrow(0, 1, 1)
    }

    /// Multiplies by the transferability of the running statistics; by 2 as long as one domain has none.
    fn weigh(&self, y: Tensor<2>) -> Tensor<2> {
        if values(self.batches.get()).contains(&0.0) {
            return y.mul_scalar(2.0);
        }
        let [source, target] = self.running();
        y.clone() * row(transferability([&source, &target]), &y.device())
    }

    /// Running statistics of source and target.
    fn running(&self) -> [Statistics; 2] {
        let (mean, variance) = (values(self.mean.get()), values(self.variance.get()));
        let width = mean.len() / 2;
        [0, width].map(|first| Statistics {
            mean: mean[first..first + width].to_vec(),
            variance: variance[first..first + width].to_vec(),
        })
    }

    fn remember(&self, domain: usize, batch: &Statistics) {
        let mut seen = values(self.batches.get());
        seen[domain] = (seen[domain] + 1.0).min(MEMORY);
        let share = 1.0 / seen[domain];
        for (buffer, new) in [(&self.mean, &batch.mean), (&self.variance, &batch.variance)] {
            let mut running = values(buffer.get());
            let width = new.len();
            for (running, new) in running[domain * width..][..width].iter_mut().zip(new) {
                *running += share * (new - *running);
            }
            buffer.set(Tensor::from_data(TensorData::new(running, [2, width]), &buffer.get().device()));
        }
        self.batches.set(Tensor::from_data(TensorData::new(seen, [2]), &self.batches.get().device()));
    }
}

/// For each column, the factor and the shift that turn the plain statistics of these rows into the weighted ones.
fn correction(rows: &[f32], weights: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![[0f64; 4]; width];
    let (mut total, n) = (0f64, weights.len() as f64);
    for (row, &w) in rows.chunks_exact(width).zip(weights) {
        total += f64::from(w);
        for (sum, &v) in sums.iter_mut().zip(row) {
            let (v, w) = (f64::from(v), f64::from(w));
            sum[0] += v;
            sum[1] += v * v;
            sum[2] += w * v;
            sum[3] += w * v * v;
        }
    }
    let (mut factors, mut shifts) = (Vec::new(), Vec::new());
    for [plain, square, weighted, weighted_square] in sums {
        let (mean, mean_w) = (plain / n, weighted / total);
        let spread = (square / n - mean * mean).max(1e-12).sqrt();
        let spread_w = (weighted_square / total - mean_w * mean_w).max(0.0).sqrt();
        let factor = spread_w / spread;
        factors.push(factor as f32);
        shifts.push((mean_w - factor * mean) as f32);
    }
    [factors, shifts].concat()
}

/// 1 + a_j, where a_j is largest for columns whose statistics are alike in both domains, and 1 on average:
///
/// ```text
/// a_j = width · d_j / Σ_k d_k,   d_j = 1 / (1 + |μ_s / σ_s − μ_t / σ_t|)
/// ```
///
/// (Wang et al., *Transferable Normalization*, NeurIPS 2019). A constant in the backward pass, as in the authors' code.
fn transferability([source, target]: [&Statistics; 2]) -> Vec<f32> {
    let ratio = |s: &Statistics, j: usize| s.mean[j] / (s.variance[j] + NORM_EPSILON).sqrt();
    let alike: Vec<f32> =
        (0..source.mean.len()).map(|j| 1.0 / (1.0 + (ratio(source, j) - ratio(target, j)).abs())).collect();
    let mean = alike.iter().sum::<f32>() / alike.len() as f32;
    alike.into_iter().map(|d| 1.0 + d / mean).collect()
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("statistics are f32")
}

/// A constant row.
fn row(values: Vec<f32>, device: &Device) -> Tensor<2> {
    let width = values.len();
    Tensor::from_data(TensorData::new(values, [1, width]), device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::export;
    use crate::rng::Purpose;
    use crate::testing::{device, noise, tensor};

    fn layer(kind: Norm, width: usize) -> BatchNorm {
        BatchNorm::new(kind, width, &device()).unwrap()
    }

    fn training(b_s: usize) -> Mode {
        Mode::training(0, Purpose::DROPOUT_OF_G, 1, b_s)
    }

    /// Source rows around 0, target rows around 50 and ten times as wide.
    fn batch(seed: u64) -> Tensor<2> {
        Tensor::cat(vec![noise(64, 3, seed), noise(64, 3, seed + 1) * 10.0 + 50.0], 0)
    }

    fn numbers(x: Tensor<2>) -> Vec<f32> {
        x.into_data().try_into_vec().unwrap()
    }

    fn largest_mean(x: Tensor<2>) -> f32 {
        x.mean_dim(0).abs().max().into_scalar()
    }

    #[test]
    fn by_domain_each_domain_has_mean_0_and_shared_only_both_together() {
        let halves = |x: Tensor<2>| [x.clone().narrow(0, 0, 64), x.narrow(0, 64, 64)];
        let by_domain = layer(Norm::Domain, 3).forward(batch(1), &training(64));
        assert!(halves(by_domain).into_iter().all(|half| largest_mean(half) < 1e-3));
        let shared = layer(Norm::Shared, 3).forward(batch(1), &training(64));
        assert!(largest_mean(shared.clone()) < 1e-3);
        assert!(halves(shared).into_iter().all(|half| largest_mean(half) > 0.5));
    }

    #[test]
    fn evaluation_uses_the_domain_s_running_statistics_whatever_the_size_of_the_batch() {
        for kind in [Norm::Domain, Norm::Transferable, Norm::Shared] {
            let layer = layer(kind, 3);
            (0..300).for_each(|i| drop(layer.forward(batch(2 * i), &training(64))));
            let target = batch(1000).narrow(0, 64, 64);
            let evaluate = |x: Tensor<2>| numbers(layer.forward(x, &Mode::evaluation(Domain::Target)));
            let all = evaluate(target.clone());
            let single: Vec<f32> = (0..64).flat_map(|i| evaluate(target.clone().narrow(0, i, 1))).collect();
            assert_eq!(all, single);
            if kind == Norm::Domain {
                let trained = numbers(layer.forward(batch(1000), &training(64)).narrow(0, 64, 64));
                assert!(all.iter().zip(trained).all(|(a, b)| (a - b).abs() < 0.3));
            }
        }
    }

    #[test]
    fn running_statistics_start_as_the_mean_of_the_first_batches() {
        let layer = layer(Norm::Domain, 1);
        let both = [[1.0, 3.0, 5.0, 5.0], [3.0, 5.0, 1.0, 9.0]].map(|column| tensor([column]).transpose());
        both.into_iter().for_each(|x| drop(layer.forward(x, &training(2))));
        // Means 2, 4 on the source and 5, 5 on the target; variances 1, 1 and 0, 16.
        let [source, target] = layer.running();
        assert_eq!(source, Statistics { mean: vec![3.0], variance: vec![1.0] });
        assert_eq!(target, Statistics { mean: vec![5.0], variance: vec![8.0] });
    }

    #[test]
    fn a_target_that_was_never_seen_is_evaluated_by_the_source_s_statistics() {
        let layer = layer(Norm::Domain, 3);
        layer.forward(batch(1).narrow(0, 0, 64), &training(64));
        let [source, target] = [Domain::Source, Domain::Target]
            .map(|domain| numbers(layer.forward(batch(3), &Mode::evaluation(domain))));
        assert_eq!(source, target);
    }

    #[test]
    fn statistics_are_exported_with_the_weights() {
        let layer = layer(Norm::Domain, 2);
        layer.forward(noise(4, 2, 1), &training(2));
        let names: Vec<String> = export(&layer).into_keys().collect();
        assert_eq!(names, ["batches", "correction", "mean", "offset", "scale", "variance"]);
    }

    #[test]
    fn a_correction_by_hand() {
        // Values 1 and 3: mean 2, spread 1. Weighted 3 to 1: mean 1.5, spread √0.75; then 0.866 x + (1.5 − 2 · 0.866).
        let found = correction(&[1.0, 3.0], &[0.75, 0.25], 1);
        let factor = 0.75f32.sqrt();
        assert!(
            (found[0] - factor).abs() < 1e-6 && (found[1] - (1.5 - 2.0 * factor)).abs() < 1e-6,
            "{found:?}"
        );
        assert_eq!(correction(&[1.0, 3.0], &[0.5, 0.5], 1), [1.0, 0.0]);
    }

    #[test]
    fn a_target_with_other_class_proportions_keeps_them_if_source_rows_have_weights() {
        // Two classes at −1 and 1 in both domains: half of the source rows are of the second class, a tenth of the
        // target's. Without weights a row of the first class ends up elsewhere than in the source.
        let row = |second: bool| if second { 1.0 } else { -1.0 };
        let source: Vec<f32> = (0..40).map(|i| row(i % 2 == 0)).collect();
        let target: Vec<f32> = (0..40).map(|i| row(i % 10 == 0)).collect();
        let x = || {
            Tensor::<2>::from_data(
                TensorData::new([source.clone(), target.clone()].concat(), [80, 1]),
                &device(),
            )
        };
        let weights = (0..40).map(|i| if i % 2 == 0 { 0.1 } else { 0.9 }).collect();
        let of_first_class = |mode: Mode| {
            let layer = layer(Norm::Domain, 1);
            (0..200).for_each(|_| drop(layer.forward(x(), &mode)));
            let y = numbers(layer.forward(x(), &mode));
            let evaluated = numbers(layer.forward(x(), &Mode::evaluation(Domain::Target)));
            assert!((evaluated[41] - y[41]).abs() < 0.01, "{} {}", evaluated[41], y[41]);
            (y[1], y[41])
        };
        let (in_source, in_target) = of_first_class(training(40).with_source_weights(Some(weights)));
        assert!((in_source - in_target).abs() < 0.02, "{in_source} {in_target}");
        let (in_source, in_target) = of_first_class(training(40));
        assert!((in_source - in_target).abs() > 0.5, "{in_source} {in_target}");
    }

    #[test]
    fn transferability_by_hand() {
        // Ratios of mean and spread: 0 and 0 in the first column, 0 and 3 in the second: d = 1 and ¼.
        let statistics = |mean: [f32; 2]| Statistics { mean: mean.to_vec(), variance: vec![1.0 - 1e-5; 2] };
        let factors = transferability([&statistics([0.0, 0.0]), &statistics([0.0, 3.0])]);
        assert!((factors[0] - 2.6).abs() < 1e-4 && (factors[1] - 1.4).abs() < 1e-4, "{factors:?}");
    }
}
