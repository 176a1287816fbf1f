//! Entropic optimal transport by Sinkhorn's iterations in the log domain.

/// A transport plan and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Row-major `rows × columns` masses.
    pub masses: Vec<f64>,
    /// Σ plan · cost, without the entropy.
    pub cost: f64,
    /// How many iterations were made.
    pub iterations: usize,
    /// Largest absolute difference between a column's mass and the one wanted.
    pub marginal_error: f64,
    /// Whether `marginal_error` came below the tolerance.
    pub converged: bool,
}

/// Solves `min_A ⟨A, cost⟩ − ε H(A)` with row sums `1 / rows` and column sums `column_masses` (Cuturi, 2013), as
/// in the paper's comparison of T with Sinkhorn.
///
/// Works on logarithms of the scalings: the exponential form returns a plan of zeros once `cost / epsilon` passes
/// about 700. Costs may be as large as floats are.
///
/// ```
/// use cloth::ot::sinkhorn;
/// // Two rows, two classes, each row next to its own class: the plan is diagonal.
/// let plan = sinkhorn(&[0.0, 9.0, 9.0, 0.0], &[0.5, 0.5], 0.1, 1000, 1e-9);
/// assert!(plan.converged && (plan.masses[0] - 0.5).abs() < 1e-6 && plan.cost < 1e-6);
/// ```
///
/// # Panics
/// If `cost` is not a whole number of rows of `column_masses.len()`.
pub fn sinkhorn(
    cost: &[f64],
    column_masses: &[f64],
    epsilon: f64,
    max_iterations: usize,
    tolerance: f64,
) -> Plan {
    let columns = column_masses.len();
    assert!(columns > 0 && cost.len().is_multiple_of(columns), "cost must be rows × {columns}");
    let rows = cost.len() / columns;
    let log_kernel: Vec<f64> = cost.iter().map(|c| -c / epsilon).collect();
    let log_row_mass = -(rows as f64).ln();
    let log_columns: Vec<f64> = column_masses.iter().map(|p| p.ln()).collect();
    let mut f = vec![0.0; rows];
    let mut g = vec![0.0; columns];
    let (mut iterations, mut marginal_error) = (0, f64::INFINITY);

    loop {
        // What a column sends on after the rows were set right is its mass: the sum that its update needs anyway.
        let sums: Vec<f64> = (0..columns)
            .map(|m| log_sum_exp((0..rows).map(|i| log_kernel[i * columns + m] + f[i])))
            .collect();
        if iterations > 0 {
            let errors = sums.iter().zip(&g).zip(column_masses).map(|((s, g), p)| ((s + g).exp() - p).abs());
            marginal_error = errors.fold(0.0, f64::max);
        }
        if iterations == max_iterations || marginal_error <= tolerance {
            break;
        }
        iterations += 1;
        for ((g, sum), log_mass) in g.iter_mut().zip(&sums).zip(&log_columns) {
            *g = log_mass - sum;
        }
        for (f, kernel) in f.iter_mut().zip(log_kernel.chunks_exact(columns)) {
            *f = log_row_mass - log_sum_exp(kernel.iter().zip(&g).map(|(k, g)| k + g));
        }
    }

    let masses: Vec<f64> = (0..rows)
        .flat_map(|i| (0..columns).map(move |m| (i, m)))
        .map(|(i, m)| (log_kernel[i * columns + m] + f[i] + g[m]).exp())
        .collect();
    let cost = masses.iter().zip(cost).map(|(a, c)| a * c).sum();
    Plan { masses, cost, iterations, marginal_error, converged: marginal_error <= tolerance }
}

/// The plan of [`sinkhorn`] with columns that need not reach their masses: rows still add up to `1 / rows`, while each
/// column is pulled only the part `pull` of the way to its mass at each iteration.
///
/// This is the entropic problem with a Kullback–Leibler penalty λ on the columns (Chizat et al., 2018), where
/// `pull = λ / (λ + ε)`. With 1 it is `sinkhorn`; with 0 each row goes where it likes.
///
/// # Panics
/// As `sinkhorn`.
pub fn sinkhorn_relaxed(
    cost: &[f64],
    column_masses: &[f64],
    epsilon: f64,
    pull: f64,
    iterations: usize,
) -> Vec<f64> {
    let columns = column_masses.len();
    assert!(columns > 0 && cost.len().is_multiple_of(columns), "cost must be rows × {columns}");
    let rows = cost.len() / columns;
    let mut f = vec![-(rows as f64).ln(); rows];
    let mut g = vec![0.0; columns];
    let kernel = |i: usize, m: usize| -cost[i * columns + m] / epsilon;
    for _ in 0..iterations {
        for (m, g) in g.iter_mut().enumerate() {
            *g = pull * (column_masses[m].ln() - log_sum_exp((0..rows).map(|i| kernel(i, m) + f[i])));
        }
        for (i, f) in f.iter_mut().enumerate() {
            *f = -(rows as f64).ln() - log_sum_exp((0..columns).map(|m| kernel(i, m) + g[m]));
        }
    }
    let plan = (0..rows).flat_map(|i| (0..columns).map(move |m| (i, m)));
    plan.map(|(i, m)| (kernel(i, m) + f[i] + g[m]).exp()).collect()
}

fn log_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let max = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if max == f64::NEG_INFINITY {
        return max;
    }
    max + values.map(|v| (v - max).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_costs_spread_every_row_over_the_columns() {
        let plan = sinkhorn(&[1.0; 6], &[0.5, 0.25, 0.25], 0.1, 100, 1e-12);
        assert!(plan.converged && plan.iterations <= 2);
        for row in plan.masses.chunks(3) {
            assert!((row[0] - 0.25).abs() < 1e-12 && (row[1] - 0.125).abs() < 1e-12);
        }
    }

    #[test]
    fn small_epsilon_gives_the_best_permutation_found_by_trying_all() {
        let cost = [4.0, 1.0, 3.0, 2.0, 0.0, 5.0, 3.0, 2.0, 2.0];
        let permutations = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let best = permutations
            .iter()
            .map(|p| (0..3).map(|i| cost[i * 3 + p[i]]).sum::<f64>() / 3.0)
            .fold(f64::INFINITY, f64::min);
        let plan = sinkhorn(&cost, &[1.0 / 3.0; 3], 0.05, 100_000, 1e-9);
        assert!(plan.converged && (plan.cost - best).abs() < 1e-3, "{} {best}", plan.cost);
    }

    #[test]
    fn costs_that_would_underflow_the_exponential_form_keep_their_mass() {
        let plan = sinkhorn(&[900.0, 1200.0, 1500.0, 700.0], &[0.5, 0.5], 0.1, 1000, 1e-9);
        assert!((plan.masses.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((plan.masses[0] - 0.5).abs() < 1e-9);
    }

    #[test]
    fn relaxed_columns_lie_between_free_and_balanced() {
        // Three of four rows prefer column 0.
        let cost = [0.0, 2.0, 0.0, 1.0, 0.0, 3.0, 1.0, 0.0];
        let column_0 = |pull| {
            sinkhorn_relaxed(&cost, &[0.5, 0.5], 1.0, pull, 500).chunks(2).map(|row| row[0]).sum::<f64>()
        };
        let balanced: f64 =
            sinkhorn(&cost, &[0.5, 0.5], 1.0, 500, 1e-12).masses.chunks(2).map(|row| row[0]).sum();
        let free: f64 = cost.chunks(2).map(|c| 0.25 / (1.0 + (c[0] - c[1]).exp())).sum();
        assert!((column_0(1.0) - balanced).abs() < 1e-6);
        assert!((column_0(0.0) - free).abs() < 1e-6);
        assert!(balanced < column_0(0.8) && column_0(0.8) < free);
    }

    #[test]
    fn says_when_it_did_not_converge() {
        let plan = sinkhorn(&[0.0, 1.0, 0.3, 0.9], &[0.9, 0.1], 0.001, 1, 1e-12);
        assert!(!plan.converged && plan.iterations == 1 && plan.marginal_error > 1e-12);
    }
}
