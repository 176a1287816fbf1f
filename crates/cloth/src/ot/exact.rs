//! Exact optimal transport between equal numbers of rows and columns, all of equal mass.

use super::{TransportPlan, TransportProblem, assignment};
use crate::error::{Problem, Result};

/// Masses are equal if their relative difference is at most this.
const SLACK: f64 = 1e-9;

/// The plan of least cost for equal numbers of rows and columns, all of equal mass. Each row goes to one column, by
/// [`assignment`].
///
/// `converged` is always true. Costs that are NaN are avoided where possible.
///
/// ```
/// use cloth::ot::{TransportProblem, exact};
/// let problem = TransportProblem::uniform_rows(&[1.0, 9.0, 2.0, 3.0], &[0.5, 0.5])?;
/// let plan = exact(&problem)?;
/// assert_eq!((plan.masses, plan.cost), (vec![0.5, 0.0, 0.0, 0.5], 2.0));
/// # Ok::<(), cloth::Error>(())
/// ```
///
/// # Errors
/// If the numbers of rows and columns differ, or if masses differ within a side.
pub fn exact(problem: &TransportProblem<'_>) -> Result<TransportPlan> {
    let (n, columns) = (problem.rows(), problem.columns());
    let refused = |found: String, wanted: &str| {
        let problem = Problem::at("exact transport").found(found).wanted(wanted);
        problem.help("solve it by `ot::sinkhorn` with a small `epsilon`")
    };
    if n != columns {
        return Err(refused(format!("{n} rows and {columns} columns"), "as many rows as columns").into());
    }
    let row_masses = problem.row_masses();
    let mass = row_masses[0];
    for (side, masses) in [("row", row_masses.as_slice()), ("column", problem.column_masses())] {
        let first = masses[0];
        if let Some((i, other)) = masses.iter().enumerate().find(|(_, m)| (**m - first).abs() > SLACK * first)
        {
            let found = format!("mass {first} of {side} 0 and {other} of {side} {i}");
            return Err(refused(found, "equal masses").into());
        }
    }
    let mut masses = vec![0.0; n * n];
    for (row, column) in assignment(problem.cost(), n).into_iter().enumerate() {
        masses[row * n + column] = mass;
    }
    Ok(TransportPlan::new(problem, masses, &row_masses, n, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_by_three_by_hand() {
        // Row by row the cheapest are 1, 2, 2 in columns 0, 0, 1; one to one it is 1 + 4 + 2, in columns 0, 2, 1.
        let cost = [1.0, 8.0, 9.0, 2.0, 9.0, 4.0, 5.0, 2.0, 7.0];
        let plan = exact(&TransportProblem::new(&cost, &[2.0; 3], &[2.0; 3]).unwrap()).unwrap();
        assert_eq!(plan.masses, [2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 2.0, 0.0]);
        assert_eq!((plan.cost, plan.marginal_error, plan.converged), (14.0, 0.0, true));
    }

    #[test]
    fn other_problems_are_refused() {
        let some = [1.0; 6];
        for (a, b, words) in [
            (&[0.5, 0.5][..], &[0.2, 0.4, 0.4][..], "2 rows and 3 columns"),
            (&[0.5, 0.5], &[0.2, 0.8], "mass 0.2 of column 0 and 0.8 of column 1"),
            (&[0.4, 0.6], &[0.5, 0.5], "mass 0.4 of row 0 and 0.6 of row 1"),
        ] {
            let problem = TransportProblem::new(&some[..a.len() * b.len()], a, b).unwrap();
            let error = exact(&problem).unwrap_err();
            assert!(error.to_string().contains(words) && error.help().is_some(), "{error}");
        }
    }
}
