//! The input of every solver.

use crate::error::{Problem, Result};

/// Largest difference of the totals, as a share of the larger: proportions written by hand are rounded.
const SLACK: f64 = 2e-3;

/// Masses of rows, masses of columns, and the cost of moving one unit of mass from each row to each column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransportProblem<'a> {
    cost: &'a [f64],
    rows: RowMasses<'a>,
    columns: &'a [f64],
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum RowMasses<'a> {
    /// Number of rows, each of mass `1 / rows`.
    Uniform(usize),
    Masses(&'a [f64]),
}

impl<'a> TransportProblem<'a> {
    /// A problem with masses `a` of the rows and `b` of the columns; `cost` is row-major, `a.len() × b.len()`.
    ///
    /// Masses must be finite, at least 0 and not all 0. The totals of both sides must be equal, up to 0.2 % for rounded
    /// proportions. An infinite cost forbids moving mass between its pair.
    ///
    /// ```
    /// use cloth::ot::TransportProblem;
    /// assert!(TransportProblem::new(&[1.0, 2.0], &[3.0], &[1.0, 2.0]).is_ok());
    /// let error = TransportProblem::new(&[1.0, 2.0], &[4.0], &[1.0, 2.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "transport problem: found masses of 4 on rows and 3 on columns, wanted equal totals");
    /// ```
    pub fn new(cost: &'a [f64], a: &'a [f64], b: &'a [f64]) -> Result<Self> {
        let total = |side: &str, masses: &[f64]| -> Result<f64> {
            if let Some((i, mass)) = masses.iter().enumerate().find(|(_, m)| !m.is_finite() || **m < 0.0) {
                let found = format!("mass {mass} of {side} {i}");
                return Err(refused().found(found).wanted("a finite number, at least 0").into());
            }
            Ok(masses.iter().sum())
        };
        let problem = Self { cost, rows: RowMasses::Masses(a), columns: b };
        problem.check_lengths(a.len())?;
        problem.check_totals(total("row", a)?, total("column", b)?)
    }

    /// A problem with rows of mass `1 / rows` each and columns of masses `b`, which add up to 1.
    ///
    /// The number of rows is `cost.len() / b.len()`.
    pub fn uniform_rows(cost: &'a [f64], b: &'a [f64]) -> Result<Self> {
        let rows = cost.len() / b.len().max(1);
        // The row masses are always valid; the column masses are checked against a single row of mass 1.
        let one_row = &cost[..b.len().min(cost.len())];
        Self { cost, rows: RowMasses::Uniform(rows), columns: b }.check_lengths(rows)?;
        TransportProblem::new(one_row, &[1.0], b)?;
        Ok(Self { cost, rows: RowMasses::Uniform(rows), columns: b })
    }

    fn check_lengths(&self, rows: usize) -> Result<()> {
        let (costs, columns) = (self.cost.len(), self.columns.len());
        if rows == 0 || columns == 0 || rows.checked_mul(columns) != Some(costs) {
            let found = format!("{costs} costs for {rows} rows and {columns} columns");
            return Err(refused().found(found).wanted("a cost for each pair, and at least one").into());
        }
        Ok(())
    }

    fn check_totals(self, a: f64, b: f64) -> Result<Self> {
        // Also false for totals that overflowed.
        let equal = (a - b).abs() <= SLACK * a.max(b) && a.is_finite() && b.is_finite();
        if !equal {
            let found = format!("masses of {a} on rows and {b} on columns");
            return Err(refused().found(found).wanted("equal totals").into());
        }
        if a == 0.0 {
            return Err(refused().found("no mass at all").wanted("a total above 0").into());
        }
        Ok(self)
    }

    /// Row-major `rows × columns` costs.
    pub fn cost(&self) -> &'a [f64] {
        self.cost
    }

    /// Number of rows, at least 1.
    pub fn rows(&self) -> usize {
        match self.rows {
            RowMasses::Uniform(rows) => rows,
            RowMasses::Masses(a) => a.len(),
        }
    }

    /// Number of columns, at least 1.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Mass of each row; a new vector.
    pub fn row_masses(&self) -> Vec<f64> {
        match self.rows {
            RowMasses::Uniform(rows) => vec![1.0 / rows as f64; rows],
            RowMasses::Masses(a) => a.to_vec(),
        }
    }

    /// Mass of each column.
    pub fn column_masses(&self) -> &'a [f64] {
        self.columns
    }

    /// Natural logarithm of each row's mass.
    pub(super) fn log_row_masses(&self) -> Vec<f64> {
        match self.rows {
            // −ln n and ln(1 / n) differ in the last digit.
            RowMasses::Uniform(rows) => vec![-(rows as f64).ln(); rows],
            RowMasses::Masses(a) => a.iter().map(|a| a.ln()).collect(),
        }
    }
}

fn refused() -> Problem {
    Problem::at("transport problem")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_moved_is_refused() {
        let some = [1.0; 6];
        for (cost, a, b, words) in [
            (&some[..5], &[0.5, 0.5][..], &[0.2, 0.4, 0.4][..], "5 costs for 2 rows and 3 columns"),
            (&[], &[], &[1.0], "0 costs for 0 rows"),
            (&[], &[1.0], &[], "0 columns"),
            (&some, &[0.5, 0.5], &[-0.2, 0.4, 0.8], "mass -0.2 of column 0"),
            (&some, &[0.5, f64::NAN], &[0.2, 0.4, 0.4], "mass NaN of row 1"),
            (&some, &[0.5, f64::INFINITY], &[0.2, 0.4, 0.4], "mass inf of row 1"),
            (&some, &[0.5, 0.6], &[0.2, 0.4, 0.4], "masses of 1.1 on rows and 1 on columns"),
            (&some[..4], &[f64::MAX; 2], &[f64::MAX; 2], "masses of inf on rows"),
            (&some, &[0.0; 2], &[0.0; 3], "no mass at all"),
        ] {
            let error = TransportProblem::new(cost, a, b).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        for (cost, b, words) in [
            (&some[..5], &[0.2, 0.4, 0.4][..], "5 costs for 1 rows and 3 columns"),
            (&[], &[1.0], "0 costs for 0 rows"),
            (&some, &[], "0 columns"),
            (&some, &[0.2, 0.4, 0.8], "equal totals"),
            (&some, &[0.2, -0.4, 1.2], "mass -0.4 of column 1"),
        ] {
            let error = TransportProblem::uniform_rows(cost, b).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn rounded_proportions_are_taken() {
        assert!(TransportProblem::uniform_rows(&[0.0; 6], &[0.333; 3]).is_ok());
        assert!(TransportProblem::uniform_rows(&[0.0; 6], &[0.33; 3]).is_err());
    }

    #[test]
    fn uniform_rows_are_rows_of_one_mass() {
        let uniform = TransportProblem::uniform_rows(&[1.0; 12], &[0.5, 0.25, 0.25]).unwrap();
        assert_eq!((uniform.rows(), uniform.columns()), (4, 3));
        let given = TransportProblem::new(&[1.0; 12], &[0.25; 4], &[0.5, 0.25, 0.25]).unwrap();
        assert_eq!(uniform.row_masses(), given.row_masses());
        let logs = uniform.log_row_masses().into_iter().zip(given.log_row_masses());
        assert!(logs.into_iter().all(|(a, b)| (a - b).abs() < 1e-15));
    }
}
