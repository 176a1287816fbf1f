//! Normalisation by statistics without labels, so that values of any scale can be trained on without settings.
//!
//! The choice of [`Normalise::Auto`]:
//!
//! | rows | choice | reason |
//! |---|---|---|
//! | images | `global` | one brightness and one contrast for all pixels preserve the picture |
//! | sparse non-negative counts | `log1p`, then `direction` | a word's tenth occurrence says less than its first; long texts are not another class |
//! | 32 features or more that nearly all range over the same bounds | `global` | pixels, or columns that were scaled to 0 … 1: they share a unit, and a feature that hardly varies says little |
//! | fewer than 32 features, or features whose spreads differ 20-fold | `standard` | the columns of a table have different units |
//! | everything else: embeddings, histograms, pixel rows | `direction` | networks' features carry the class in their direction; length is mostly contrast |
//!
//! For a method that adapts, each domain is centred by its own mean, which removes the simplest kind of shift. For
//! other methods (`source_only`) both domains are normalised by the source's statistics. `data.centre` overrides this.

use serde::{Deserialize, Serialize};

use super::{Centre, DataConfig, Features, Normalise, Shape};

/// With fewer features than this, the length of a row is information, not contrast.
const FEW_FEATURES: usize = 32;
/// Features whose spreads differ by more than this factor are in different units.
const UNLIKE_SPREADS: f32 = 20.0;
/// Features are in one unit if most of them range over more than this share of the range of all values. Pixels and
/// columns scaled to 0 … 1 do by 0.88 and more, embeddings by 0.53 and less.
const SAME_BOUNDS: f32 = 0.75;
/// A value that is further from the median than this many times the width of the middle nine tenths of its feature's
/// values counts for mean and spread only up to there.
const FENCE: f32 = 10.0;
/// Most rows that are sorted to find a feature's outliers.
const SORTED_ROWS: usize = 2000;
/// Standardised values are clamped to ± this many standard deviations, so that no outlier dominates a batch.
const CUT: f32 = 10.0;

/// Normalises the rows of one domain to the scale that G was trained on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Normaliser {
    /// The kind of normalisation; never [`Normalise::Auto`].
    pub kind: Normalise,
    /// Whether log(1 + x) is applied to values first.
    pub log1p: bool,
    /// Subtracted from each feature; one value per feature.
    #[serde(skip)]
    pub mean: Vec<f32>,
    /// Divisor of each feature; one value per feature.
    #[serde(skip)]
    pub spread: Vec<f32>,
}

/// The normalisers of source and target.
#[derive(Debug, Clone, PartialEq)]
pub struct DomainNormalisers {
    /// For source rows.
    pub source: Normaliser,
    /// For target rows; saved with the model.
    pub target: Normaliser,
}

/// Fits both normalisers, without labels. `adapts` decides the centre if `config.centre` is `auto`.
pub fn fit_normalisers(
    config: &DataConfig,
    adapts: bool,
    source: &Features,
    target: &Features,
) -> DomainNormalisers {
    let (kind, log1p) = match config.normalise {
        Normalise::Auto => choose(source),
        Normalise::Counts => (Normalise::Direction, true),
        kind => (kind, false),
    };
    let by_domain = match config.centre {
        Centre::Auto => adapts,
        Centre::Domain => true,
        Centre::Source => false,
    };
    let source = Normaliser::fit(kind, log1p, source);
    let target = if by_domain { Normaliser::fit(kind, log1p, target) } else { source.clone() };
    DomainNormalisers { source, target }
}

/// The choice of `auto` for these rows: the kind, and whether log(1 + x) comes first.
fn choose(source: &Features) -> (Normalise, bool) {
    if matches!(source.shape(), Shape::Image { .. }) {
        return (Normalise::Global, false);
    }
    if are_counts(source.values()) {
        return (Normalise::Direction, true);
    }
    let width = source.shape().len();
    if width >= FEW_FEATURES && have_same_bounds(source) {
        return (Normalise::Global, false);
    }
    let mut spreads = ColumnMoments::of(source, false, &fences(source)).spread;
    spreads.retain(|&s| s > 0.0);
    spreads.sort_by(f32::total_cmp);
    let unlike = match spreads.as_slice() {
        [] => false,
        s => s[s.len() * 95 / 100] > UNLIKE_SPREADS * s[s.len() * 5 / 100],
    };
    if width < FEW_FEATURES || unlike { (Normalise::Standard, false) } else { (Normalise::Direction, false) }
}

/// Whether values are counts: whole numbers of at least 0, mostly 0, some above 3. If the largest is 255, they are
/// pixels.
fn are_counts(values: &[f32]) -> bool {
    let zeros = values.iter().filter(|&&v| v == 0.0).count();
    let whole = values.iter().all(|&v| v >= 0.0 && v.fract() == 0.0);
    let largest = values.iter().copied().fold(0.0, f32::max);
    whole && zeros * 2 > values.len() && largest > 3.0 && largest != 255.0
}

/// Whether most features that vary range over nearly the whole range of all values.
fn have_same_bounds(features: &Features) -> bool {
    let width = features.shape().len();
    let mut bounds = vec![(f32::INFINITY, f32::NEG_INFINITY); width];
    for row in features.values().chunks_exact(width) {
        bounds.iter_mut().zip(row).for_each(|((low, high), &v)| (*low, *high) = (low.min(v), high.max(v)));
    }
    let all =
        bounds.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |all, of| (all.0.min(of.0), all.1.max(of.1)));
    bounds.retain(|(low, high)| high > low);
    let wide = bounds.iter().filter(|(low, high)| high - low >= SAME_BOUNDS * (all.1 - all.0)).count();
    wide * 2 > bounds.len()
}

impl Normaliser {
    fn fit(kind: Normalise, log1p: bool, features: &Features) -> Self {
        let width = features.shape().len();
        // Values in one unit are bounded together: the darkest pixel's outliers are another's usual values.
        let fences = if kind == Normalise::Global { no_fences(width) } else { fences(features) };
        let ColumnMoments { mut mean, mut spread } = ColumnMoments::of(features, log1p, &fences);
        match kind {
            Normalise::Direction => spread = vec![1.0; width],
            Normalise::Standard => {
                // A feature that varies only by rounding is constant: dividing by its spread would amplify the error.
                for (spread, mean) in spread.iter_mut().zip(&mean) {
                    if *spread <= 1e-6 * mean.abs() {
                        *spread = 1.0;
                    }
                }
            }
            Normalise::Global => {
                let level = mean.iter().map(|&m| f64::from(m)).sum::<f64>() / width as f64;
                let square = |x: f64| x * x;
                let within: f64 = spread.iter().map(|&s| square(f64::from(s))).sum();
                let between: f64 = mean.iter().map(|&m| square(f64::from(m) - level)).sum();
                let contrast = ((within + between) / width as f64).sqrt();
                mean = vec![level as f32; width];
                spread = vec![if contrast > 0.0 { contrast as f32 } else { 1.0 }; width];
            }
            Normalise::Pixels => {
                mean = vec![127.5; width];
                spread = vec![127.5; width];
            }
            Normalise::Auto | Normalise::Counts | Normalise::Image | Normalise::None => {
                mean = vec![0.0; width];
                spread = vec![1.0; width];
            }
        }
        Self { kind, log1p, mean, spread }
    }

    /// Normalises rows in place.
    pub fn apply(&self, values: &mut [f32]) {
        if self.kind == Normalise::None {
            return;
        }
        let width = self.mean.len();
        let length = (width as f32).sqrt();
        for row in values.chunks_exact_mut(width) {
            for ((v, mean), spread) in row.iter_mut().zip(&self.mean).zip(&self.spread) {
                let raw = if self.log1p { v.max(0.0).ln_1p() } else { *v };
                // The difference of two finite values may overflow; the clamp keeps its sign.
                *v = (raw - mean).clamp(f32::MIN, f32::MAX) / spread;
            }
            match self.kind {
                Normalise::Direction => {
                    let now = row.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt();
                    let factor = length / now as f32;
                    if now > f64::from(f32::MAX) || now > 0.0 && !factor.is_finite() {
                        row.iter_mut().for_each(|v| *v = (f64::from(*v) / now * f64::from(length)) as f32);
                    } else if now > 0.0 {
                        row.iter_mut().for_each(|v| *v *= factor);
                    }
                }
                Normalise::Image => by_itself(row),
                _ => row.iter_mut().for_each(|v| *v = v.clamp(-CUT, CUT)),
            }
        }
    }
}

/// Centres a row and divides it by its own standard deviation; a constant row becomes zero.
fn by_itself(row: &mut [f32]) {
    let n = row.len() as f64;
    let mean = row.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let variance = row.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / n;
    let spread = if variance > 1e-12 * mean * mean { variance.sqrt() } else { f64::INFINITY };
    row.iter_mut().for_each(|v| *v = ((f64::from(*v) - mean) / spread) as f32);
}

fn no_fences(width: usize) -> Vec<[f32; 2]> {
    vec![[f32::NEG_INFINITY, f32::INFINITY]; width]
}

/// The least and the greatest value of each feature that is no outlier. Pixels of images have none: they are bounded.
fn fences(features: &Features) -> Vec<[f32; 2]> {
    let width = features.shape().len();
    if matches!(features.shape(), Shape::Image { .. }) || features.rows() == 0 {
        return no_fences(width);
    }
    let rows = features.rows().min(SORTED_ROWS);
    let fence = |j: usize| {
        let row = |i: usize| features.row(i * features.rows() / rows)[j];
        let mut values: Vec<f32> = (0..rows).map(row).collect();
        let mut at = |share: usize| *values.select_nth_unstable_by(rows * share / 20, f32::total_cmp).1;
        let (low, middle, high) = (at(1), at(10), at(19));
        // A feature that is the same in nearly all rows, such as a rare word, has no outliers.
        let reach = if low < high { FENCE * (high - low) } else { f32::INFINITY };
        [middle - reach, middle + reach]
    };
    (0..width).map(fence).collect()
}

/// Mean and standard deviation of each feature.
struct ColumnMoments {
    mean: Vec<f32>,
    spread: Vec<f32>,
}

impl ColumnMoments {
    fn of(features: &Features, log1p: bool, fences: &[[f32; 2]]) -> Self {
        let width = features.shape().len();
        let rows = features.rows().max(1) as f64;
        let raw = |v: f32, fence: &[f32; 2]| {
            let v = v.clamp(fence[0], fence[1]);
            f64::from(if log1p { v.max(0.0).ln_1p() } else { v })
        };
        let mut mean = vec![0f64; width];
        for row in features.values().chunks_exact(width) {
            mean.iter_mut().zip(row).zip(fences).for_each(|((m, &v), fence)| *m += raw(v, fence) / rows);
        }
        let mut variance = vec![0f64; width];
        for row in features.values().chunks_exact(width) {
            for (((s, m), &v), fence) in variance.iter_mut().zip(&mean).zip(row).zip(fences) {
                *s += (raw(v, fence) - m) * (raw(v, fence) - m) / rows;
            }
        }
        Self {
            mean: mean.iter().map(|&m| m as f32).collect(),
            spread: variance.iter().map(|&s| s.sqrt() as f32).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn features(values: Vec<f32>, width: usize) -> Features {
        Features::new(values, Shape::Flat(width)).unwrap()
    }

    fn fitted(source: &Features, target: &Features) -> DomainNormalisers {
        fit_normalisers(&DataConfig::default(), true, source, target)
    }

    #[test]
    fn a_table_is_standardised_by_hand_whatever_the_units_of_its_columns() {
        // Means 2, 2e6 and 7; spreads 1, 1e6 and none.
        let table = features(vec![1.0, 1e6, 7.0, 3.0, 3e6, 7.0], 3);
        let mut values = table.values().to_vec();
        let normaliser = fitted(&table, &table).source;
        assert_eq!(normaliser.kind, Normalise::Standard);
        normaliser.apply(&mut values);
        assert_eq!(values, [-1.0, -1.0, 0.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn embeddings_become_directions_of_one_length_whatever_their_scale() {
        // Some features vary more than others, as those of networks do.
        let value = |i: usize| ((i * i) as f32 * 0.37).sin() * (1 + i % 5) as f32 + 1.0;
        let wave = |scale: f32| features((0..400).map(|i| scale * value(i)).collect(), 40);
        let (small, large) = (wave(1e-3), wave(1e4));
        let mut a = small.values().to_vec();
        let mut b = large.values().to_vec();
        let fit = fitted(&small, &large);
        assert_eq!(fit.source.kind, Normalise::Direction);
        fit.source.apply(&mut a);
        fit.target.apply(&mut b);
        for (x, y) in a.iter().zip(&b) {
            assert!((x - y).abs() < 1e-3, "{x} {y}");
        }
        assert!((a[..40].iter().map(|v| v * v).sum::<f32>() - 40.0).abs() < 1e-3);
    }

    #[test]
    fn features_within_the_same_bounds_keep_one_unit_so_that_those_which_hardly_vary_say_little() {
        // Forty pixels; the first varies by a hundredth, by chance.
        let pixel = |i: usize, j: usize| {
            if j == 0 { (i * 7 % 3) as f32 * 0.005 } else { ((i * j) % 11) as f32 / 10.0 }
        };
        let rows = features((0..50).flat_map(|i| (0..40).map(move |j| pixel(i, j))).collect(), 40);
        let mut values = rows.values().to_vec();
        let normaliser = fitted(&rows, &rows).source;
        normaliser.apply(&mut values);
        assert_eq!(normaliser.kind, Normalise::Global);
        assert!(values.chunks(40).all(|row| (row[0] - values[0]).abs() < 0.04));
    }

    #[test]
    fn one_absurd_value_does_not_hide_the_other_rows() {
        let table = |absurd: f32| {
            let value = |i: usize| if i == 123 { absurd } else { (i * 37 % 100) as f32 };
            features((0..400).map(value).collect(), 1)
        };
        let spread = |absurd| fitted(&table(absurd), &table(absurd)).source.spread[0];
        assert!(spread(1e6) < 2.0 * spread(50.0), "{} {}", spread(1e6), spread(50.0));
        assert_eq!(spread(99.0), fitted(&table(99.0), &table(99.0)).target.spread[0]);
    }

    #[test]
    fn an_image_is_seen_in_its_own_light() {
        let config = DataConfig { normalise: Normalise::Image, ..DataConfig::default() };
        let images = features(vec![1.0, 3.0, 1.0, 3.0, 110.0, 130.0, 130.0, 110.0, 7.0, 7.0, 7.0, 7.0], 4);
        let mut values = images.values().to_vec();
        fit_normalisers(&config, true, &images, &images).target.apply(&mut values);
        assert_eq!(values, [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn pixels_go_from_minus_1_to_1() {
        let config = DataConfig { normalise: Normalise::Pixels, ..DataConfig::default() };
        let mut values = vec![0.0, 127.5, 255.0];
        let image = features(values.clone(), 3);
        fit_normalisers(&config, true, &image, &image).target.apply(&mut values);
        assert_eq!(values, [-1.0, 0.0, 1.0]);
    }

    #[test]
    fn sparse_counts_pass_through_logarithms() {
        let counts = (0..50 * 64).map(|i| if i % 5 == 0 { (i % 7) as f32 } else { 0.0 }).collect();
        let fit = fitted(&features(counts, 64), &features(vec![0.0; 64], 64));
        assert!(fit.source.log1p && fit.source.kind == Normalise::Direction);
    }

    #[test]
    fn images_keep_one_scale_for_all_pixels() {
        let image = Shape::Image { channels: 1, height: 2, width: 2 };
        let bright = Features::new(vec![0.0, 255.0, 255.0, 0.0], image).unwrap();
        let dim = Features::new(vec![0.0, 25.5, 25.5, 0.0], image).unwrap();
        let (mut a, mut b) = (bright.values().to_vec(), dim.values().to_vec());
        let fit = fitted(&bright, &dim);
        fit.source.apply(&mut a);
        fit.target.apply(&mut b);
        assert_eq!(a, [-1.0, 1.0, 1.0, -1.0]);
        assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-5));
    }

    #[test]
    fn a_method_that_does_not_adapt_sees_the_source_s_statistics_only() {
        let (s, t) = (features(vec![0.0, 2.0], 1), features(vec![10.0, 12.0], 1));
        let fit = fit_normalisers(&DataConfig::default(), false, &s, &t);
        assert_eq!(fit.source, fit.target);
    }

    proptest! {
        #[test]
        fn finite_in_finite_out(
            values in prop::collection::vec(prop_oneof![-3.3e38f32..3.3e38, -1e-38f32..1e-38], 12 * 8),
            tiny in any::<bool>(),
            width in 1usize..9,
        ) {
            let values: Vec<f32> = values.into_iter().map(|v| if tiny { v * 1e-39 } else { v }).collect();
            let rows = values.len() / width;
            let f = features(values[..rows * width].to_vec(), width);
            for normalise in [Normalise::Auto, Normalise::Direction, Normalise::Standard, Normalise::Global, Normalise::Counts] {
                let config = DataConfig { normalise, ..DataConfig::default() };
                let mut out = f.values().to_vec();
                fit_normalisers(&config, true, &f, &f).source.apply(&mut out);
                prop_assert!(out.iter().all(|v| v.is_finite()), "{:?} {:?}", normalise, out);
            }
        }
    }
}
