//! What every solver gives.

use super::TransportProblem;

/// A transport plan and how good it is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TransportPlan {
    /// Row-major `rows × columns` masses.
    pub masses: Vec<f64>,
    /// Σ masses · cost, without any entropy or penalty.
    pub cost: f64,
    /// How many iterations were made; [`exact`](super::exact) makes one for each row.
    pub iterations: usize,
    /// Largest absolute difference between a column's mass and the one that the problem has.
    pub marginal_error: f64,
    /// Whether the solver's own condition was met; its documentation has it.
    pub converged: bool,
}

impl TransportPlan {
    /// Of these masses, whose columns add up to `columns`.
    pub(super) fn new(
        problem: &TransportProblem<'_>,
        masses: Vec<f64>,
        columns: &[f64],
        iterations: usize,
        converged: bool,
    ) -> Self {
        // What is not moved costs nothing, even if it would cost infinitely much.
        let moved = masses.iter().zip(problem.cost()).filter(|(a, _)| **a != 0.0);
        let cost = moved.map(|(a, c)| a * c).sum();
        let marginal_error = largest_difference(columns, problem.column_masses());
        Self { masses, cost, iterations, marginal_error, converged }
    }
}

/// max |a − b|, and NaN where there is one.
pub(super) fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |most, d| if d > most || d.is_nan() { d } else { most })
}
