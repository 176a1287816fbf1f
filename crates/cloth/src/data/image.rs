//! Converts images of different sizes and colours to one shape.
//!
//! Pixel values keep their scale: 8-bit images are 0 to 255 in every format. `normalise` changes the scale later.

use crate::data::{Features, Shape};
use crate::error::{Problem, Result};

/// The square shape that all images are converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageFit {
    /// Height and width in pixels.
    pub size: usize,
    /// 1 for gray, 3 for RGB.
    pub channels: usize,
}

impl Default for ImageFit {
    fn default() -> Self {
        Self { size: 32, channels: 1 }
    }
}

impl ImageFit {
    /// The shape of a row.
    pub fn shape(&self) -> Shape {
        Shape::Image { channels: self.channels, height: self.size, width: self.size }
    }
}

/// Converts every row to the image shape `to`: first the colours, then the size.
///
/// RGB becomes gray by Rec. 601 luma, gray becomes RGB by repetition, an alpha channel is dropped. Resizing is linear
/// interpolation that averages over the covered area when it shrinks.
///
/// ```
/// use cloth::data::{Features, ImageFit, Shape, fit_image};
/// let mnist = Features::new(vec![128.0; 28 * 28], Shape::Image { channels: 1, height: 28, width: 28 })?;
/// let fitted = fit_image(&mnist, ImageFit::default().shape())?;
/// assert_eq!(fitted.shape().to_string(), "32×32 gray image");
/// assert!(fitted.values().iter().all(|&value| (value - 128.0).abs() < 1e-3));
/// # Ok::<(), cloth::Error>(())
/// ```
pub fn fit_image(features: &Features, to: Shape) -> Result<Features> {
    if features.shape() == to {
        return Ok(features.clone());
    }
    let fitter = Fitter::new(features.shape(), to)?;
    let mut values = Vec::with_capacity(features.rows().saturating_mul(to.len()));
    for row in 0..features.rows() {
        fitter.fit(features.row(row), &mut values);
    }
    Features::new(values, to)
}

/// [`fit_image`] for one pair of shapes, with the weights for these shapes computed once.
pub(super) struct Fitter {
    from: (usize, usize, usize),
    to: (usize, usize, usize),
    rows: Weights,
    columns: Weights,
}

impl Fitter {
    pub(super) fn new(from: Shape, to: Shape) -> Result<Self> {
        let (Shape::Image { channels: c, height: h, width: w }, Shape::Image { channels, height, width }) =
            (from, to)
        else {
            return Err(Problem::at("image").found(from).wanted(format!("something to fit to {to}")).into());
        };
        if to.is_empty() || from.is_empty() {
            return Err(Problem::at("image").found("no pixels").wanted("at least 1×1").into());
        }
        if !(c == channels || (matches!(c, 1 | 3 | 4) && matches!(channels, 1 | 3))) {
            return Err(Problem::at("image")
                .found(from)
                .wanted("1, 3 or 4 channels to convert to 1 or 3")
                .help(match c {
                    1 | 3 | 4 => "use `data.image_channels=1` (gray) or `data.image_channels=3` (colour)",
                    _ => "save them as rows of numbers: x.reshape(len(x), -1)",
                })
                .into());
        }
        Ok(Self {
            from: (c, h, w),
            to: (channels, height, width),
            rows: Weights::new(h, height),
            columns: Weights::new(w, width),
        })
    }

    /// Appends the fitted `row` to `out`.
    pub(super) fn fit(&self, row: &[f32], out: &mut Vec<f32>) {
        let (from_channels, height, width) = self.from;
        let (channels, to_height, to_width) = self.to;
        let recoloured = recolour(row, from_channels, channels, height * width);
        let mut narrow = vec![0.0; height * to_width];
        for plane in recoloured.as_deref().unwrap_or(row).chunks_exact(height * width) {
            for (line, narrow) in plane.chunks_exact(width).zip(narrow.chunks_exact_mut(to_width)) {
                for (x, value) in narrow.iter_mut().enumerate() {
                    *value = self.columns.of(x).map(|(from, weight)| line[from] * weight).sum();
                }
            }
            let start = out.len();
            out.resize(start + to_height * to_width, 0.0);
            for (y, line) in out[start..].chunks_exact_mut(to_width).enumerate() {
                for (from, weight) in self.rows.of(y) {
                    let narrow = &narrow[from * to_width..(from + 1) * to_width];
                    line.iter_mut().zip(narrow).for_each(|(sum, value)| *sum += value * weight);
                }
            }
        }
    }
}

/// The planes of `row` as `to` channels; `None` if it has them already.
fn recolour(row: &[f32], from: usize, to: usize, pixels: usize) -> Option<Vec<f32>> {
    if from == to {
        return None;
    }
    let planes: Vec<&[f32]> = row.chunks_exact(pixels).collect();
    match (planes.as_slice(), to) {
        ([gray], _) => Some(gray.repeat(to)),
        ([r, g, b, ..], 1) => {
            let rgb = r.iter().zip(*g).zip(*b);
            Some(rgb.map(|((r, g), b)| 0.299 * r + 0.587 * g + 0.114 * b).collect())
        }
        _ => Some(row[..to * pixels].to_vec()),
    }
}

/// A triangle filter along one axis: the inputs of each output, and their weights.
///
/// `image::imageops::resize` has the same filter, but it clamps floats to 0..1; pixels here are 0 to 255.
struct Weights {
    first: Vec<usize>,
    weights: Vec<Vec<f32>>,
}

impl Weights {
    fn new(from: usize, to: usize) -> Self {
        let ratio = from as f64 / to as f64;
        // The triangle is wider when shrinking, so that every input is used.
        let radius = ratio.max(1.0);
        let (mut first, mut weights) = (Vec::with_capacity(to), Vec::with_capacity(to));
        for x in 0..to {
            let centre = (x as f64 + 0.5) * ratio;
            let left = (centre - radius).floor().clamp(0.0, (from - 1) as f64) as usize;
            let right = ((centre + radius).ceil() as usize).clamp(left + 1, from);
            let triangle = |x: usize| (1.0 - (x as f64 + 0.5 - centre).abs() / radius).max(0.0);
            let sum: f64 = (left..right).map(triangle).sum();
            first.push(left);
            weights.push((left..right).map(|x| (triangle(x) / sum) as f32).collect());
        }
        Self { first, weights }
    }

    fn of(&self, x: usize) -> impl Iterator<Item = (usize, f32)> {
        self.weights[x].iter().enumerate().map(move |(i, weight)| (self.first[x] + i, *weight))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn image(channels: usize, height: usize, width: usize) -> Shape {
        Shape::Image { channels, height, width }
    }

    #[test]
    fn colours_convert_by_rec_601() {
        let rgb = Features::new(vec![255.0, 0.0, 0.0, 255.0, 0.0, 0.0], image(3, 1, 2)).unwrap();
        let gray = fit_image(&rgb, image(1, 1, 2)).unwrap();
        assert_eq!(gray.values(), [0.299 * 255.0, 0.587 * 255.0]);
        assert_eq!(fit_image(&gray, image(3, 1, 2)).unwrap().row(0)[2..4], gray.values()[..]);
        let rgba = Features::new(vec![1.0, 2.0, 3.0, 9.0], image(4, 1, 1)).unwrap();
        assert_eq!(fit_image(&rgba, image(3, 1, 1)).unwrap().values(), [1.0, 2.0, 3.0]);
    }

    /// The same filter as the `image` crate's, for floats in 0..1.
    #[test]
    #[cfg(feature = "images")]
    fn resizing_agrees_with_the_image_crate() {
        use ::image::{ImageBuffer, Luma, imageops};
        for (from, to) in [((28, 28), (32, 32)), ((16, 16), (32, 32)), ((32, 32), (10, 7)), ((5, 9), (9, 5))]
        {
            let values: Vec<f32> = (0..from.0 * from.1).map(|i| (i * 37 % 101) as f32 / 101.0).collect();
            let theirs = ImageBuffer::<Luma<f32>, _>::from_raw(from.1, from.0, values.clone()).unwrap();
            let theirs = imageops::resize(&theirs, to.1, to.0, imageops::FilterType::Triangle);
            let ours = Features::new(values, image(1, from.0 as usize, from.1 as usize)).unwrap();
            let ours = fit_image(&ours, image(1, to.0 as usize, to.1 as usize)).unwrap();
            for (ours, theirs) in ours.values().iter().zip(theirs.as_raw()) {
                assert!((ours - theirs).abs() < 1e-5, "{ours} {theirs} {from:?} {to:?}");
            }
        }
    }

    #[test]
    fn what_cannot_be_converted_is_said() {
        let error = fit_image(&Features::empty(image(13, 4, 4)), image(1, 4, 4)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "image: found 4×4 image of 13 channels, wanted 1, 3 or 4 channels to convert to 1 or 3"
        );
        assert!(fit_image(&Features::empty(Shape::Flat(3)), image(1, 4, 4)).is_err());
        assert!(fit_image(&Features::empty(image(1, 0, 4)), image(1, 4, 4)).is_err());
    }
}
