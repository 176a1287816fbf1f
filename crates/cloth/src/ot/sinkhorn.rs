//! Entropic optimal transport.

use super::plan::largest_difference;
use super::scaling::Scaling;
use super::{TransportPlan, TransportProblem};
use crate::error::Result;

/// Options of [`sinkhorn`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SinkhornOptions {
    /// ε, the weight of the entropy, in units of the cost. A smaller ε is nearer to the exact plan and slower.
    pub epsilon: f64,
    /// Maximum number of iterations, at least 1.
    pub max_iterations: usize,
    /// The solver stops when the marginal error is at most this.
    pub tolerance: f64,
}

impl Default for SinkhornOptions {
    fn default() -> Self {
        Self { epsilon: 0.1, max_iterations: 1000, tolerance: 1e-6 }
    }
}

impl SinkhornOptions {
    /// Replaces ε.
    pub fn with_epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    /// Replaces the maximum number of iterations.
    pub fn with_max_iterations(self, max_iterations: usize) -> Self {
        Self { max_iterations, ..self }
    }

    /// Replaces the tolerance.
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }
}

/// Solves `min_A ⟨A, cost⟩ − ε H(A)` with the problem's row and column masses (Cuturi, 2013).
///
/// The iterations use logarithms of the scalings, so costs of any finite size are allowed. (The exponential form
/// returns a plan of zeros once `cost / epsilon` exceeds about 700.)
///
/// Rows have their masses up to rounding. The plan has `converged` when no column differs from its mass by more than
/// the tolerance. If a cost is NaN, or if all costs of some row or column with mass are infinite, all masses are NaN
/// and `converged` is false.
///
/// ```
/// use cloth::ot::{SinkhornOptions, TransportProblem, sinkhorn};
/// // Rows of equal mass, and a first column with three quarters of it: the second row is split in halves.
/// let problem = TransportProblem::uniform_rows(&[0.0, 9.0, 0.0, 0.0], &[0.75, 0.25])?;
/// let plan = sinkhorn(&problem, SinkhornOptions::default().with_tolerance(1e-9))?;
/// assert!(plan.converged && (plan.masses[0] - 0.5).abs() < 1e-6 && (plan.masses[2] - 0.25).abs() < 1e-6);
/// # Ok::<(), cloth::Error>(())
/// ```
///
/// # Errors
/// If an option is out of its range: ε above 0, at least one iteration, a tolerance of at least 0.
pub fn sinkhorn(problem: &TransportProblem<'_>, options: SinkhornOptions) -> Result<TransportPlan> {
    let SinkhornOptions { epsilon, max_iterations, tolerance } = options;
    let start = vec![0.0; problem.rows()];
    let scaling = Scaling { epsilon, pull: 1.0, max_iterations, tolerance, start };
    scaling.solve(problem, |_, now| largest_difference(now, problem.column_masses()) <= tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(cost: &[f64], b: &[f64], epsilon: f64, max_iterations: usize, tolerance: f64) -> TransportPlan {
        let problem = TransportProblem::uniform_rows(cost, b).unwrap();
        sinkhorn(&problem, SinkhornOptions { epsilon, max_iterations, tolerance }).unwrap()
    }

    #[test]
    fn equal_costs_spread_every_row_over_the_columns() {
        let plan = solved(&[1.0; 6], &[0.5, 0.25, 0.25], 0.1, 100, 1e-12);
        assert!(plan.converged && plan.iterations <= 2);
        for row in plan.masses.chunks(3) {
            assert!((row[0] - 0.25).abs() < 1e-12 && (row[1] - 0.125).abs() < 1e-12);
        }
    }

    #[test]
    fn two_by_two_by_hand() {
        // With masses ½ the plan is (x, ½ − x; ½ − x, x), and x² / (½ − x)² = exp(2 / ε) for these costs.
        let (epsilon, root) = (2.0f64, (1.0f64 / 2.0).exp());
        let plan = solved(&[0.0, 1.0, 1.0, 0.0], &[0.5, 0.5], epsilon, 100, 1e-14);
        let x = 0.5 * root / (1.0 + root);
        assert!((plan.masses[0] - x).abs() < 1e-12 && (plan.masses[1] - (0.5 - x)).abs() < 1e-12);
        assert!((plan.cost - (1.0 - 2.0 * x)).abs() < 1e-12);
    }

    #[test]
    fn costs_that_would_underflow_the_exponential_form_keep_their_mass() {
        let plan = solved(&[900.0, 1200.0, 1500.0, 700.0], &[0.5, 0.5], 0.1, 1000, 1e-9);
        assert!((plan.masses.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((plan.masses[0] - 0.5).abs() < 1e-9);
    }

    #[test]
    fn says_when_it_did_not_converge() {
        let plan = solved(&[0.0, 1.0, 0.3, 0.9], &[0.9, 0.1], 0.001, 1, 1e-12);
        assert!(!plan.converged && plan.iterations == 1 && plan.marginal_error > 1e-12);
    }

    #[test]
    fn infinite_costs_are_not_paid_where_there_is_another_way() {
        let plan = solved(&[1.0, f64::INFINITY, f64::INFINITY, 2.0], &[0.5, 0.5], 0.1, 100, 1e-9);
        assert!(plan.converged && (plan.cost - 1.5).abs() < 1e-9, "{plan:?}");
    }

    #[test]
    fn what_has_no_plan_has_not_converged() {
        for cost in [[0.0, f64::NAN, 1.0, 0.0], [0.0, f64::INFINITY, 0.0, f64::INFINITY], [f64::NAN; 4]] {
            let plan = solved(&cost, &[0.5, 0.5], 0.1, 100, 1e-6);
            assert!(!plan.converged && plan.masses.iter().all(|m| m.is_nan()), "{plan:?}");
        }
    }

    #[test]
    fn columns_without_mass_get_none() {
        let plan = solved(&[5.0, 0.0, 5.0, 0.0], &[1.0, 0.0], 0.1, 100, 1e-9);
        assert!(plan.converged && plan.masses[1] == 0.0 && (plan.masses[0] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn options_out_of_their_range_are_refused() {
        let problem = TransportProblem::uniform_rows(&[0.0], &[1.0]).unwrap();
        let options = SinkhornOptions::default();
        for (options, words) in [
            (options.with_epsilon(0.0), "`epsilon`: found 0"),
            (options.with_epsilon(f64::NAN), "`epsilon`: found NaN"),
            (options.with_max_iterations(0), "`max_iterations`: found 0"),
            (options.with_tolerance(-1.0), "`tolerance`: found -1"),
        ] {
            let error = sinkhorn(&problem, options).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
