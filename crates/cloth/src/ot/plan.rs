//! The result of every solver.

use super::TransportProblem;

/// A transport plan, its cost and its accuracy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TransportPlan {
    /// Row-major `rows × columns` masses.
    pub masses: Vec<f64>,
    /// Σ masses · cost, without any entropy or penalty.
    pub cost: f64,
    /// Number of iterations; [`exact`](super::exact) makes one for each row.
    pub iterations: usize,
    /// Largest absolute difference between a column's mass in the plan and in the problem.
    pub marginal_error: f64,
    /// Whether the solver's stopping condition was met; see each solver.
    pub converged: bool,
}

impl TransportPlan {
    /// A plan with these masses; `columns` are their column sums.
    pub(super) fn new(
        problem: &TransportProblem<'_>,
        masses: Vec<f64>,
        columns: &[f64],
        iterations: usize,
        converged: bool,
    ) -> Self {
        // A pair without mass costs nothing, even if its cost is infinite.
        let moved = masses.iter().zip(problem.cost()).filter(|(a, _)| **a != 0.0);
        let cost = moved.map(|(a, c)| a * c).sum();
        let marginal_error = largest_difference(columns, problem.column_masses());
        Self { masses, cost, iterations, marginal_error, converged }
    }
}

/// max |a − b|; NaN if any difference is NaN.
pub(super) fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |most, d| if d > most || d.is_nan() { d } else { most })
}
