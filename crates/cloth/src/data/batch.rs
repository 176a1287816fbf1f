//! Minibatches of both domains, drawn for each iteration.

use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand::seq::{SliceRandom, index};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::augment::Warp;
use super::split::{Split, by_class};
use super::{Features, Shape, Source, Target};
use crate::buffers;
use crate::error::{Problem, Result};
use crate::rng::{Purpose, stream};
use crate::threads::share;

/// Rows in one unit of work of a thread.
const ROWS: usize = 32;

/// `train.batches`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Batches {
    /// `balanced`, or `uniform` if the classes are very uneven: batches of equal classes would make networks predict the
    /// rare ones far too often.
    Auto,
    /// Rows at random without replacement, whatever their class.
    Uniform,
    /// Equally many rows of each class, up to one, drawn with replacement.
    Balanced,
}

/// Classes are very uneven if this share of the source would have to change its class to make them even.
const VERY_UNEVEN: f64 = 0.25;

impl Batches {
    /// The choice for classes with these numbers of source rows; never [`Auto`](Self::Auto).
    pub fn resolve(self, class_counts: &[usize]) -> Self {
        if self != Self::Auto {
            return self;
        }
        let [all, classes] = [class_counts.iter().sum::<usize>(), class_counts.len()].map(|n| n as f64);
        let too_many = class_counts.iter().map(|&n| (n as f64 / all - 1.0 / classes).max(0.0));
        if too_many.sum::<f64>() > VERY_UNEVEN { Self::Uniform } else { Self::Balanced }
    }
}

/// The training data: normalised source rows with labels, normalised target rows without.
pub struct TrainingSet {
    source: Source,
    target: Target,
    split: Split,
    train_by_class: Vec<Vec<u32>>,
    batch_size: usize,
    batches: Batches,
    augment: f32,
    seed: u64,
}

/// One minibatch: rows of both domains stacked, so that G sees them in one pass.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Source rows, then target rows: `[b_s + b_t, input]`.
    pub x: Tensor<2>,
    /// Number of source rows.
    pub b_s: usize,
    /// Class indices of the source rows, `b_s` of them.
    pub y_s: Vec<u32>,
    /// Indices of the target rows, `b_t` of them.
    pub target_rows: Vec<u32>,
}

/// Some rows of a batch, for one thread: where they go, which they are, and how each is varied, if it is.
struct Part<'a> {
    to: &'a mut [f32],
    rows: &'a [u32],
    from: &'a Features,
    warps: &'a [Warp],
}

impl<'a> Part<'a> {
    /// Cuts a domain's half of a batch into parts.
    fn cut(
        to: &'a mut [f32],
        rows: &'a [u32],
        from: &'a Features,
        warps: &'a [Warp],
    ) -> impl Iterator<Item = Self> {
        let parts = to.chunks_mut(ROWS * from.shape().len()).zip(rows.chunks(ROWS)).enumerate();
        parts.map(move |(i, (to, rows))| {
            let warps = warps.get(i * ROWS..).unwrap_or(&[]);
            Self { to, rows, from, warps }
        })
    }

    fn fill(self) {
        let shape = self.from.shape();
        for (i, (to, &row)) in self.to.chunks_exact_mut(shape.len()).zip(self.rows).enumerate() {
            let row = self.from.row(row as usize);
            match self.warps.get(i) {
                None => to.copy_from_slice(row),
                Some(warp) => warp.apply(row, to, shape),
            }
        }
    }
}

impl TrainingSet {
    /// Rows of each domain in a batch: `asked`, or if that is 0, 128 or the number of rows of the smaller domain. An
    /// error if `asked` is more than the smaller domain has.
    pub fn batch_size_for(asked: usize, split: &Split, target_rows: usize) -> Result<usize> {
        let most = split.train.len().min(target_rows);
        let batch_size = if asked == 0 { most.min(128) } else { asked };
        if batch_size <= most {
            return Ok(batch_size);
        }
        let of = if split.train.len() <= target_rows { "source rows to train on" } else { "target rows" };
        Err(Problem::setting("train.batch_size")
            .found(batch_size)
            .wanted(format!("at most {most}: there are only {most} {of}"))
            .help(format!("use `train.batch_size={most}` or less, or leave it out"))
            .into())
    }

    /// The training data, with batches of the size from [`batch_size_for`](Self::batch_size_for).
    pub fn new(
        source: Source,
        target: Target,
        split: Split,
        batch_size: usize,
        batches: Batches,
        seed: u64,
    ) -> Result<Self> {
        let batch_size = Self::batch_size_for(batch_size, &split, target.features().rows())?;
        let batches = batches.resolve(&source.class_counts());
        let train_by_class = by_class(source.labels(), split.train.iter().copied(), source.classes().len());
        Ok(Self { source, target, split, train_by_class, batch_size, batches, augment: 0.0, seed })
    }

    /// Augments images of batches by random shifts, rotations and scalings of this strength. Other rows do not change.
    pub fn augmented(self, strength: f64) -> Self {
        match self.target().shape() {
            Shape::Image { .. } => Self { augment: strength as f32, ..self },
            Shape::Flat(_) => self,
        }
    }

    /// The normalised source.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The normalised target rows. They have no labels.
    pub fn target(&self) -> &Features {
        self.target.features()
    }

    /// Indices of the source rows for training and for validation.
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// Rows of each domain in a batch.
    pub fn batch_size(&self) -> usize {
        self.batch_size
    }

    /// The batch for one purpose at one iteration. It depends only on the seed.
    pub fn batch(&self, purpose: Purpose, iteration: usize, device: &Device) -> Batch {
        let (source_rows, target_rows, mut rng) = self.draw(purpose, iteration);
        let width = self.target().shape().len();
        let mut values = buffers::take(2 * self.batch_size * width);
        let (to_source, to_target) = values.split_at_mut(self.batch_size * width);
        let parts = [
            (to_source, &source_rows[..], self.source.features()),
            (to_target, &target_rows[..], self.target()),
        ];
        let warps: Vec<Warp> = match self.augment {
            0.0 => Vec::new(),
            strength => (0..2 * self.batch_size).map(|_| Warp::draw(strength, &mut rng)).collect(),
        };
        let (of_source, of_target) = warps.split_at(warps.len() / 2);
        let parts = parts.into_iter().zip([of_source, of_target]);
        share(parts.flat_map(|((to, rows, from), warps)| Part::cut(to, rows, from, warps)), Part::fill);
        Batch {
            x: Tensor::from_data(TensorData::new(values, [2 * self.batch_size, width]), device),
            b_s: self.batch_size,
            y_s: source_rows.iter().map(|&i| self.source.labels()[i as usize]).collect(),
            target_rows,
        }
    }

    /// Whether the images of a batch are varied.
    pub fn augments(&self) -> bool {
        self.augment > 0.0 && matches!(self.target().shape(), Shape::Image { .. })
    }

    /// The given target rows, varied in another way than in their batch: `rng` says how.
    pub fn other_view(&self, rows: &[u32], mut rng: ChaCha8Rng, device: &Device) -> Tensor<2> {
        let width = self.target().shape().len();
        let mut values = buffers::take(rows.len() * width);
        let warps: Vec<Warp> = match self.augment {
            0.0 => Vec::new(),
            strength => rows.iter().map(|_| Warp::draw(strength, &mut rng)).collect(),
        };
        share(Part::cut(&mut values, rows, self.target(), &warps), Part::fill);
        Tensor::from_data(TensorData::new(values, [rows.len(), width]), device)
    }

    /// Indices of the target rows of [`batch`](Self::batch).
    pub fn target_rows(&self, purpose: Purpose, iteration: usize) -> Vec<u32> {
        self.draw(purpose, iteration).1
    }

    /// Indices of a batch's source rows and target rows, and the random number generator after drawing them.
    fn draw(&self, purpose: Purpose, iteration: usize) -> (Vec<u32>, Vec<u32>, ChaCha8Rng) {
        let mut rng = stream(self.seed, purpose, iteration as u64);
        let source_rows = self.source_rows(&mut rng);
        let n_target = self.target().rows();
        let target_rows = index::sample(&mut rng, n_target, self.batch_size).into_iter().map(|i| i as u32);
        (source_rows, target_rows.collect(), rng)
    }

    fn source_rows(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        match self.batches {
            Batches::Uniform => index::sample(rng, self.split.train.len(), self.batch_size)
                .into_iter()
                .map(|i| self.split.train[i])
                .collect(),
            Batches::Balanced | Batches::Auto => {
                let mut rows = Vec::with_capacity(self.batch_size);
                let mut order: Vec<usize> =
                    (0..self.train_by_class.len()).filter(|&m| !self.train_by_class[m].is_empty()).collect();
                while rows.len() < self.batch_size {
                    // Each round has a new order: if the last round is incomplete, every class is equally likely to
                    // be left out.
                    order.shuffle(rng);
                    for &m in order.iter().take(self.batch_size - rows.len()) {
                        let of_class = &self.train_by_class[m];
                        rows.push(of_class[rng.random_range(0..of_class.len())]);
                    }
                }
                rows
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Classes, Shape, split};
    use super::*;

    /// The value of a source row is its index, that of a target row is its index plus 1000.
    fn set(batches: Batches, batch_size: usize) -> Result<TrainingSet> {
        let features = |from: f32, rows: usize| {
            let values = (0..rows).map(|i| from + i as f32).collect();
            Features::new(values, Shape::Flat(1)).unwrap()
        };
        let labels: Vec<u32> = (0..90).map(|i| if i < 80 { 0 } else { 1 + (i % 2) }).collect();
        let split = split::stratified(&labels, 3, 0.1, 0);
        let source = Source::new(features(0.0, 90), labels, Classes::new(["a", "b", "c"])).unwrap();
        TrainingSet::new(source, Target::new(features(1000.0, 50)).unwrap(), split, batch_size, batches, 5)
    }

    fn batch(batches: Batches, iteration: usize) -> Batch {
        set(batches, 30).unwrap().batch(Purpose::BATCHES_OF_G, iteration, &crate::device::cpu())
    }

    #[test]
    fn source_rows_come_first_and_never_from_the_validation_rows() {
        for batches in [Batches::Uniform, Batches::Balanced] {
            let set = set(batches, 30).unwrap();
            for iteration in 0..50 {
                let b = set.batch(Purpose::BATCHES_OF_G, iteration, &crate::device::cpu());
                let x: Vec<f32> = b.x.into_data().try_into_vec().unwrap();
                assert!(x[..30].iter().all(|&v| v < 90.0 && !set.split().validation.contains(&(v as u32))));
                assert!(x[30..].iter().zip(&b.target_rows).all(|(&v, &row)| v == 1000.0 + row as f32));
            }
        }
    }

    #[test]
    fn balanced_batches_have_all_classes_alike() {
        let b = batch(Batches::Balanced, 1);
        for class in 0..3 {
            assert_eq!(b.y_s.iter().filter(|&&y| y == class).count(), 10);
        }
    }

    #[test]
    fn batches_are_balanced_unless_classes_are_very_uneven() {
        let auto = |counts: &[usize]| Batches::Auto.resolve(counts);
        assert_eq!(auto(&[30, 30, 30]), Batches::Balanced);
        assert_eq!(auto(&[74, 26]), Batches::Balanced);
        assert_eq!(auto(&[76, 24]), Batches::Uniform);
        assert_eq!(auto(&[60, 20, 20]), Batches::Uniform);
        assert_eq!(Batches::Balanced.resolve(&[99, 1]), Batches::Balanced, "as it was asked for");
    }

    #[test]
    fn the_same_iteration_gives_the_same_batch_and_the_next_another() {
        assert_eq!(batch(Batches::Uniform, 4).y_s, batch(Batches::Uniform, 4).y_s);
        assert_ne!(batch(Batches::Uniform, 4).target_rows, batch(Batches::Uniform, 5).target_rows);
    }

    #[test]
    fn images_are_warped_each_in_its_own_way_and_other_rows_never() {
        let shape = Shape::Image { channels: 1, height: 4, width: 4 };
        let images = |rows: usize| {
            let values = (0..rows * 16).map(|i| (i % 16) as f32).collect();
            Features::new(values, shape).unwrap()
        };
        let labels: Vec<u32> = (0..40).map(|i| i % 2).collect();
        let split = split::stratified(&labels, 2, 0.0, 0);
        let source = Source::new(images(40), labels, Classes::new(["a", "b"])).unwrap();
        let target = Target::new(images(40)).unwrap();
        let set = TrainingSet::new(source, target, split, 40, Batches::Uniform, 5).unwrap();
        let rows = |set: &TrainingSet| -> Vec<f32> {
            let batch = set.batch(Purpose::BATCHES_OF_G, 1, &crate::device::cpu());
            batch.x.into_data().try_into_vec().unwrap()
        };
        assert!(rows(&set).chunks(16).all(|row| row == images(1).values()));
        let set = set.augmented(1.0);
        let warped = rows(&set);
        assert!(warped.chunks(16).collect::<Vec<_>>().windows(2).all(|two| two[0] != two[1]));
        assert_eq!(warped, rows(&set), "the same for the same seed");

        let view = |purpose| -> Vec<f32> {
            let rng = stream(5, purpose, 1);
            let view = set.other_view(&[3, 0, 7], rng, &crate::device::cpu());
            view.into_data().try_into_vec().unwrap()
        };
        let (one, other) = (view(Purpose::BATCHES_OF_G), view(Purpose::BATCHES_OF_D));
        assert_eq!(one.len(), 3 * 16);
        assert!(one.chunks(16).zip(other.chunks(16)).all(|(a, b)| a != b), "each view is another");
        assert_eq!(one, view(Purpose::BATCHES_OF_G));

        let flat = self::set(Batches::Uniform, 30).unwrap();
        let before = rows(&flat);
        assert_eq!(rows(&flat.augmented(1.0)), before);
    }

    #[test]
    fn a_batch_larger_than_the_data_names_the_number_to_use() {
        let error = set(Batches::Uniform, 64).err().unwrap();
        assert_eq!(
            error.to_string(),
            "setting `train.batch_size`: found 64, wanted at most 50: there are only 50 target rows"
        );
    }

    #[test]
    fn no_batch_size_takes_what_there_is() {
        assert_eq!(set(Batches::Uniform, 0).unwrap().batch_size(), 50);
    }
}
