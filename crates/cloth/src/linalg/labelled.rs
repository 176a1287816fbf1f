//! Rows with classes, and the sums of each class.

use crate::error::{Problem, Result};

/// Rows of `width` values, each with its class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelledRows<'a> {
    pub(crate) values: &'a [f32],
    pub(crate) width: usize,
    pub(crate) labels: &'a [u32],
    pub(crate) n_classes: usize,
}

/// The sums of the rows of each class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassSums {
    /// Row m is the sum of class m; zeros if it has no rows.
    pub sums: Vec<f64>,
    /// Number of rows of each class.
    pub counts: Vec<f64>,
    /// Number of values in a sum.
    pub width: usize,
}

impl<'a> LabelledRows<'a> {
    /// Row-major values, one label in `0..n_classes` for each row.
    ///
    /// ```
    /// use cloth::linalg::LabelledRows;
    /// let rows = LabelledRows::new(&[1.0, 2.0, 3.0, 4.0], 2, &[1, 1], 2)?;
    /// assert_eq!(rows.class_sums().sums, [0.0, 0.0, 4.0, 6.0]);
    /// assert!(LabelledRows::new(&[1.0, 2.0, 3.0], 2, &[1, 1], 2).is_err());
    /// # Ok::<(), cloth::Error>(())
    /// ```
    pub fn new(values: &'a [f32], width: usize, labels: &'a [u32], n_classes: usize) -> Result<Self> {
        let at = || Problem::at("labelled rows");
        if width == 0 || Some(values.len()) != labels.len().checked_mul(width) {
            let found = format!("{} values for {} labels", values.len(), labels.len());
            return Err(at().found(found).wanted(format!("{width}, at least 1, for each label")).into());
        }
        if let Some((row, &label)) = labels.iter().enumerate().find(|(_, y)| **y as usize >= n_classes) {
            let wanted = format!("less than {n_classes}, the number of classes");
            return Err(at().found(format!("label {label} in row {row}")).wanted(wanted).into());
        }
        Ok(Self { values, width, labels, n_classes })
    }

    /// The sums of the rows of each class, in f64 and in the order of the rows.
    pub fn class_sums(&self) -> ClassSums {
        let width = self.width;
        let mut sums = vec![0f64; self.n_classes * width];
        let mut counts = vec![0f64; self.n_classes];
        for (row, &y) in self.values.chunks_exact(width).zip(self.labels) {
            counts[y as usize] += 1.0;
            let sum = &mut sums[y as usize * width..][..width];
            sum.iter_mut().zip(row).for_each(|(s, &v)| *s += f64::from(v));
        }
        ClassSums { sums, counts, width }
    }

    /// The rows minus the mean of their class.
    pub fn residuals(&self) -> Vec<f32> {
        let ClassSums { sums, counts, width } = self.class_sums();
        let mut residuals = self.values.to_vec();
        for (row, &y) in residuals.chunks_exact_mut(width).zip(self.labels) {
            let sum = &sums[y as usize * width..][..width];
            row.iter_mut().zip(sum).for_each(|(v, s)| *v -= (s / counts[y as usize]) as f32);
        }
        residuals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_classes_by_hand() {
        let rows = LabelledRows::new(&[1.0, 2.0, 5.0, 6.0, 3.0, 10.0], 2, &[0, 2, 0], 3).unwrap();
        let ClassSums { sums, counts, .. } = rows.class_sums();
        assert_eq!((sums, counts), (vec![4.0, 12.0, 0.0, 0.0, 5.0, 6.0], vec![2.0, 0.0, 1.0]));
        assert_eq!(rows.residuals(), [-1.0, -4.0, 0.0, 0.0, 1.0, 4.0]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (values, width, labels, n_classes, words) in [
            (&[0.0; 3][..], 2, &[0, 0][..], 1, "3 values for 2 labels"),
            (&[], 0, &[], 1, "0 values for 0 labels"),
            (&[0.0; 2], 1, &[0, 4], 4, "label 4 in row 1"),
            (&[0.0; 2], usize::MAX, &[0, 0], 1, "2 values"),
        ] {
            let error = LabelledRows::new(values, width, labels, n_classes).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    proptest! {
        #[test]
        fn residuals_of_a_class_add_up_to_nothing(values in prop::collection::vec(-9f32..9.0, 30)) {
            let labels: Vec<u32> = (0..10).map(|i| i * i % 3).collect();
            let residuals = LabelledRows::new(&values, 3, &labels, 3).unwrap().residuals();
            let ClassSums { sums, .. } = LabelledRows::new(&residuals, 3, &labels, 3).unwrap().class_sums();
            prop_assert!(sums.iter().all(|s| s.abs() < 1e-4), "{sums:?}");
        }
    }
}
