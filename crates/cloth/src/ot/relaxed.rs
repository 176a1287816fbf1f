//! Entropic optimal transport with column masses as a penalty instead of a constraint.

use super::plan::largest_difference;
use super::scaling::Scaling;
use super::{TransportPlan, TransportProblem};
use crate::error::Result;

/// Options of [`sinkhorn_relaxed`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RelaxedOptions {
    /// ε, the weight of the entropy, in units of the cost.
    pub epsilon: f64,
    /// λ / (λ + ε), where λ is the weight of the penalty on the columns: 0 leaves the columns free, 1 is
    /// [`sinkhorn`](super::sinkhorn).
    pub pull: f64,
    /// Maximum number of iterations, at least 1.
    pub max_iterations: usize,
    /// The solver stops when an iteration changes every column's mass by less than this; with 0 it makes all
    /// iterations.
    pub tolerance: f64,
}

impl Default for RelaxedOptions {
    fn default() -> Self {
        Self { epsilon: 0.1, pull: 0.5, max_iterations: 1000, tolerance: 1e-6 }
    }
}

impl RelaxedOptions {
    /// Replaces ε.
    pub fn with_epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    /// Replaces the pull, from 0 to 1.
    pub fn with_pull(self, pull: f64) -> Self {
        Self { pull, ..self }
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

/// Solves the problem of [`sinkhorn`](super::sinkhorn) with a penalty on the column masses instead of a constraint.
/// Rows keep their masses. Each iteration pulls a column only the part `pull` of the way to its mass, in logarithms.
///
/// ```text
/// min_A ⟨A, cost⟩ − ε H(A) + λ KL(columns of A ‖ b),   pull = λ / (λ + ε)
/// ```
///
/// (Chizat et al., 2018). A pull of 1 is `sinkhorn`; with 0 each row is distributed independently of the others.
///
/// The plan has `converged` when the last iteration changed each column's mass by less than the tolerance. Its
/// `marginal_error` measures how much the column masses were relaxed.
///
/// # Errors
/// As `sinkhorn`, and if `pull` is not from 0 to 1.
pub fn sinkhorn_relaxed(problem: &TransportProblem<'_>, options: RelaxedOptions) -> Result<TransportPlan> {
    let RelaxedOptions { epsilon, pull, max_iterations, tolerance } = options;
    let start = problem.log_row_masses();
    let scaling = Scaling { epsilon, pull, max_iterations, tolerance, start };
    scaling.solve(problem, |before, now| {
        before.is_some_and(|before| largest_difference(before, now) < tolerance)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{SinkhornOptions, sinkhorn};
    use super::*;

    /// Three of four rows prefer column 0.
    const COST: [f64; 8] = [0.0, 2.0, 0.0, 1.0, 0.0, 3.0, 1.0, 0.0];

    fn problem() -> TransportProblem<'static> {
        TransportProblem::uniform_rows(&COST, &[0.5, 0.5]).unwrap()
    }

    fn column_0(plan: &TransportPlan) -> f64 {
        plan.masses.chunks(2).map(|row| row[0]).sum()
    }

    #[test]
    fn relaxed_columns_lie_between_free_and_balanced() {
        let options = RelaxedOptions { epsilon: 1.0, tolerance: 1e-12, ..RelaxedOptions::default() };
        let relaxed = |pull| sinkhorn_relaxed(&problem(), options.with_pull(pull)).unwrap();
        let exact = SinkhornOptions::default().with_epsilon(1.0).with_tolerance(1e-12);
        let balanced = column_0(&sinkhorn(&problem(), exact).unwrap());
        let free: f64 = COST.chunks(2).map(|c| 0.25 / (1.0 + (c[0] - c[1]).exp())).sum();
        assert!((column_0(&relaxed(1.0)) - balanced).abs() < 1e-6);
        assert!((column_0(&relaxed(0.0)) - free).abs() < 1e-6);
        let between = relaxed(0.8);
        assert!(balanced < column_0(&between) && column_0(&between) < free);
        assert!(between.converged && (between.marginal_error - (column_0(&between) - 0.5)).abs() < 1e-9);
    }

    #[test]
    fn a_tolerance_of_nothing_makes_all_iterations() {
        let options = RelaxedOptions::default().with_pull(0.0).with_max_iterations(20).with_tolerance(0.0);
        let plan = sinkhorn_relaxed(&problem(), options).unwrap();
        assert_eq!((plan.iterations, plan.converged), (20, false));
        let plan = sinkhorn_relaxed(&problem(), options.with_tolerance(1e-9)).unwrap();
        assert_eq!((plan.iterations, plan.converged), (2, true));
    }

    #[test]
    fn a_column_without_mass_is_left_alone_where_nothing_pulls() {
        let problem = TransportProblem::uniform_rows(&COST, &[1.0, 0.0]).unwrap();
        let of = |pull| sinkhorn_relaxed(&problem, RelaxedOptions::default().with_pull(pull)).unwrap();
        assert!(of(0.0).converged && of(0.0).masses[7] > 0.2);
        assert_eq!(of(0.5).masses[7], 0.0);
    }

    #[test]
    fn a_pull_out_of_its_range_is_refused() {
        for pull in [-0.1, 1.1, f64::NAN] {
            let error = sinkhorn_relaxed(&problem(), RelaxedOptions::default().with_pull(pull)).unwrap_err();
            assert!(error.to_string().contains("`pull`"), "{error}");
        }
    }
}
