//! Sinkhorn's iterations in the log domain, for both entropic solvers.

use super::{TransportPlan, TransportProblem};
use crate::error::{Problem, Result};
use crate::linalg::log_sum_exp;

/// Options and start of the iterations.
pub(super) struct Scaling {
    pub(super) epsilon: f64,
    /// Part of the way to its mass that each iteration pulls a column, in logarithms; from 0 to 1.
    pub(super) pull: f64,
    pub(super) max_iterations: usize,
    pub(super) tolerance: f64,
    /// Initial logarithms of the row scalings, one per row.
    pub(super) start: Vec<f64>,
}

impl Scaling {
    /// Returns an error for the first option out of range.
    pub(super) fn check(&self) -> Result<()> {
        let refused = |name: &str, found: String, wanted: &str| -> Result<()> {
            Err(Problem::at(format!("Sinkhorn, `{name}`")).found(found).wanted(wanted).into())
        };
        if !(self.epsilon > 0.0 && self.epsilon.is_finite()) {
            return refused("epsilon", self.epsilon.to_string(), "a finite number above 0");
        }
        if !(0.0..=1.0).contains(&self.pull) {
            return refused("pull", self.pull.to_string(), "a number from 0 to 1");
        }
        if self.max_iterations == 0 {
            return refused("max_iterations", "0".to_string(), "at least 1");
        }
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return refused("tolerance", self.tolerance.to_string(), "a number, at least 0");
        }
        Ok(())
    }

    /// Scales columns and rows in turn until `settled` is true. It gets the column masses before and after an
    /// iteration; those before the first iteration are `None`.
    pub(super) fn solve(
        self,
        problem: &TransportProblem<'_>,
        settled: impl Fn(Option<&[f64]>, &[f64]) -> bool,
    ) -> Result<TransportPlan> {
        self.check()?;
        let (rows, columns) = (problem.rows(), problem.columns());
        let log_kernel: Vec<f64> = problem.cost().iter().map(|c| -c / self.epsilon).collect();
        let log_rows = problem.log_row_masses();
        let log_columns: Vec<f64> = problem.column_masses().iter().map(|b| b.ln()).collect();
        let (mut f, mut g) = (self.start, vec![0.0; columns]);
        let (mut iterations, mut before) = (0, None::<Vec<f64>>);

        let (reached, converged) = loop {
            // The mass of a column after the row update is its scaling times the sum that its own update needs anyway.
            let sums: Vec<f64> = (0..columns)
                .map(|m| log_sum_exp((0..rows).map(|i| log_kernel[i * columns + m] + f[i])))
                .collect();
            if iterations > 0 {
                let now: Vec<f64> = sums.iter().zip(&g).map(|(s, g)| (s + g).exp()).collect();
                let converged = settled(before.as_deref(), &now);
                let lost = now.iter().any(|mass| mass.is_nan());
                if converged || lost || iterations == self.max_iterations {
                    break (now, converged);
                }
                before = Some(now);
            }
            iterations += 1;
            for ((g, sum), log_mass) in g.iter_mut().zip(&sums).zip(&log_columns) {
                // Without a pull a column keeps its scaling, even if its mass is 0.
                *g = if self.pull > 0.0 { self.pull * (log_mass - sum) } else { 0.0 };
            }
            for ((f, log_mass), kernel) in f.iter_mut().zip(&log_rows).zip(log_kernel.chunks_exact(columns)) {
                *f = log_mass - log_sum_exp(kernel.iter().zip(&g).map(|(k, g)| k + g));
            }
        };

        let masses: Vec<f64> = (0..rows)
            .flat_map(|i| (0..columns).map(move |m| (i, m)))
            .map(|(i, m)| (log_kernel[i * columns + m] + f[i] + g[m]).exp())
            .collect();
        Ok(TransportPlan::new(problem, masses, &reached, iterations, converged))
    }
}
