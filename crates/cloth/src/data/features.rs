//! A row-major matrix of numbers and the shape of one row.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Problem, Result};

/// The shape of one row: a vector or an image.
///
/// ```
/// use cloth::data::Shape;
/// assert_eq!(Shape::Flat(1280).to_string(), "1280 features");
/// assert_eq!(Shape::Image { channels: 3, height: 32, width: 32 }.to_string(), "32×32 RGB image");
/// assert_eq!(Shape::Image { channels: 3, height: 32, width: 32 }.len(), 3072);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A number of features without spatial order.
    Flat(usize),
    /// An image, channel by channel, each channel row by row ("CHW").
    Image {
        /// 1 is gray, 3 is RGB, 4 is RGBA.
        channels: usize,
        /// Pixels from top to bottom.
        height: usize,
        /// Pixels from left to right.
        width: usize,
    },
}

impl Shape {
    /// The number of values in a row.
    pub fn len(&self) -> usize {
        match *self {
            Self::Flat(features) => features,
            Self::Image { channels, height, width } => channels * height * width,
        }
    }

    /// Whether a row has no values at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Flat(1) => write!(f, "1 feature"),
            Self::Flat(features) => write!(f, "{features} features"),
            Self::Image { channels: 1, height, width } => write!(f, "{height}×{width} gray image"),
            Self::Image { channels: 3, height, width } => write!(f, "{height}×{width} RGB image"),
            Self::Image { channels: 4, height, width } => write!(f, "{height}×{width} RGBA image"),
            Self::Image { channels, height, width } => {
                write!(f, "{height}×{width} image of {channels} channels")
            }
        }
    }
}

/// Rows of `f32`, one after the other.
///
/// ```
/// use cloth::data::{Features, Shape};
/// let features = Features::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], Shape::Flat(3))?;
/// assert_eq!(features.rows(), 2);
/// assert_eq!(features.row(1), [4.0, 5.0, 6.0]);
/// # Ok::<(), cloth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    values: Vec<f32>,
    rows: usize,
    shape: Shape,
}

impl Features {
    /// Takes `values` as rows of `shape`; their number must be a multiple of `shape.len()`.
    pub fn new(values: Vec<f32>, shape: Shape) -> Result<Self> {
        if shape.is_empty() {
            return match values.len() {
                0 => Ok(Self::empty(shape)),
                n => Err(Problem::at("features").found(format!("{n} values in rows of 0")).into()),
            };
        }
        if !values.len().is_multiple_of(shape.len()) {
            return Err(Problem::at("features")
                .found(format!("{} values", values.len()))
                .wanted(format!("a multiple of {} ({shape})", shape.len()))
                .into());
        }
        Ok(Self { rows: values.len() / shape.len(), values, shape })
    }

    /// No rows of the given shape.
    pub fn empty(shape: Shape) -> Self {
        Self { values: Vec::new(), rows: 0, shape }
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All values, row by row, mutable.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// All values, row by row, without a copy.
    pub fn into_values(self) -> Vec<f32> {
        self.values
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The shape of one row.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Copies of the given rows, one after the other.
    pub fn gather(&self, rows: &[u32]) -> Vec<f32> {
        rows.iter().flat_map(|&i| self.row(i as usize)).copied().collect()
    }

    /// One row.
    ///
    /// # Panics
    /// If `i` is out of range.
    pub fn row(&self, i: usize) -> &[f32] {
        let width = self.shape.len();
        &self.values[i * width..(i + 1) * width]
    }

    /// Adds the rows of `other`, which must have the same shape.
    pub fn append(&mut self, other: &Self) -> Result<()> {
        if self.shape != other.shape {
            return Err(Problem::at("features").found(other.shape).wanted(self.shape).into());
        }
        self.values.extend_from_slice(&other.values);
        self.rows += other.rows;
        Ok(())
    }

    /// Reserves memory for exactly `rows` more rows; an error if there is not enough.
    ///
    /// The number often comes from a file's header, so it is not trusted.
    pub fn reserve(&mut self, rows: usize) -> Result<()> {
        let more = rows.checked_mul(self.shape.len());
        match more.map(|more| self.values.try_reserve_exact(more)) {
            Some(Ok(())) => Ok(()),
            _ => Err(Problem::at("memory")
                .found(format!("no room for {rows} rows of {}", self.shape))
                .help("use fewer rows, or a machine with more memory")
                .into()),
        }
    }

    /// Releases the unused capacity.
    pub fn shrink(&mut self) {
        self.values.shrink_to_fit();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_slices_of_the_values() {
        let mut features = Features::new(vec![1.0, 2.0, 3.0, 4.0], Shape::Flat(2)).unwrap();
        features.append(&Features::new(vec![5.0, 6.0], Shape::Flat(2)).unwrap()).unwrap();
        assert_eq!(features.rows(), 3);
        assert_eq!(features.row(2), [5.0, 6.0]);
    }

    #[test]
    fn lengths_and_shapes_must_agree() {
        let error = Features::new(vec![0.0; 5], Shape::Flat(2)).unwrap_err();
        assert_eq!(error.to_string(), "features: found 5 values, wanted a multiple of 2 (2 features)");
        let error = Features::empty(Shape::Flat(2)).append(&Features::empty(Shape::Flat(3))).unwrap_err();
        assert_eq!(error.to_string(), "features: found 3 features, wanted 2 features");
    }

    #[test]
    fn absurd_row_counts_are_errors_not_aborts() {
        assert!(Features::empty(Shape::Flat(1280)).reserve(usize::MAX / 2).is_err());
        assert!(Features::empty(Shape::Flat(1)).reserve(usize::MAX / 4).is_err());
    }

    #[test]
    fn shapes_are_readable_in_json() {
        let shape = Shape::Image { channels: 1, height: 2, width: 3 };
        let json = serde_json::to_string(&shape).unwrap();
        assert_eq!(json, r#"{"image":{"channels":1,"height":2,"width":3}}"#);
        assert_eq!(serde_json::from_str::<Shape>(&json).unwrap(), shape);
    }
}
