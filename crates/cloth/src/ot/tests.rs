//! Solvers against each other, against all permutations, and against what any plan must be.

use proptest::prelude::*;

use super::*;

/// The least mean cost over all permutations.
fn best_of_all(cost: &[f64], n: usize, row: usize, used: &mut Vec<bool>) -> f64 {
    if row == n {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for j in 0..n {
        if !used[j] {
            used[j] = true;
            least = least.min(cost[row * n + j] / n as f64 + best_of_all(cost, n, row + 1, used));
            used[j] = false;
        }
    }
    least
}

/// Positive masses that add up to 1.
fn proportions(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| w / total).collect()
}

fn column_sums(plan: &TransportPlan, columns: usize) -> Vec<f64> {
    (0..columns).map(|m| plan.masses.iter().skip(m).step_by(columns).sum()).collect()
}

/// What [`sinkhorn_relaxed`] makes least, of any plan.
fn relaxed_objective(masses: &[f64], cost: &[f64], b: &[f64], epsilon: f64, lambda: f64) -> f64 {
    let x_log_x = |x: f64, y: f64| if x > 0.0 { x * (x / y).ln() - x + y } else { y };
    let moved: f64 = masses.iter().zip(cost).map(|(a, c)| a * c + epsilon * x_log_x(*a, 1.0)).sum();
    let columns = (0..b.len()).map(|m| masses.iter().skip(m).step_by(b.len()).sum::<f64>());
    moved + lambda * columns.zip(b).map(|(reached, &b)| x_log_x(reached, b)).sum::<f64>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn exact_and_sinkhorn_find_what_trying_all_permutations_finds(
        n in 1usize..=5,
        costs in prop::collection::vec(0.0..1.0f64, 25),
    ) {
        let (cost, b) = (&costs[..n * n], vec![1.0 / n as f64; n]);
        let problem = TransportProblem::uniform_rows(cost, &b).unwrap();
        let best = best_of_all(cost, n, 0, &mut vec![false; n]);
        let plan = exact(&problem).unwrap();
        prop_assert!((plan.cost - best).abs() < 1e-9 && plan.marginal_error < 1e-9);
        // An entropic plan costs at most ε log n more than the best.
        let epsilon = 0.02;
        let options = SinkhornOptions::default().with_epsilon(epsilon).with_max_iterations(20_000);
        let blurred = sinkhorn(&problem, options.with_tolerance(1e-7)).unwrap();
        prop_assert!(!blurred.converged || blurred.cost >= best - 1e-5);
        prop_assert!(!blurred.converged || blurred.cost <= best + epsilon * (n as f64).ln() + 1e-5);
    }

    #[test]
    fn a_balanced_plan_has_both_marginals(
        costs in prop::collection::vec(-2.0..2.0f64, 12),
        rows in prop::collection::vec(0.1..1.0f64, 4),
        columns in prop::collection::vec(0.1..1.0f64, 3),
    ) {
        let (a, b) = (proportions(&rows), proportions(&columns));
        let problem = TransportProblem::new(&costs, &a, &b).unwrap();
        let options = SinkhornOptions { epsilon: 0.5, max_iterations: 5000, tolerance: 1e-10 };
        let plan = sinkhorn(&problem, options).unwrap();
        prop_assert!(plan.converged && plan.masses.iter().all(|&m| m > 0.0));
        for (row, a) in plan.masses.chunks(3).zip(&a) {
            prop_assert!((row.iter().sum::<f64>() - a).abs() < 1e-12);
        }
        for (sum, b) in column_sums(&plan, 3).iter().zip(&b) {
            prop_assert!((sum - b).abs() < 1e-9);
        }
        // What is the same for a whole row or column of costs changes the cost alone.
        let moved: Vec<f64> = costs.iter().enumerate().map(|(k, c)| c + (k / 3) as f64 - (k % 3) as f64).collect();
        let again = sinkhorn(&TransportProblem::new(&moved, &a, &b).unwrap(), options).unwrap();
        prop_assert!(plan.masses.iter().zip(&again.masses).all(|(x, y)| (x - y).abs() < 1e-7));
    }

    #[test]
    fn a_scale_of_all_masses_scales_the_plan(
        costs in prop::collection::vec(0.0..1.0f64, 6),
        columns in prop::collection::vec(0.1..1.0f64, 3),
    ) {
        let b = proportions(&columns);
        let (a, seven_b) = ([3.5, 3.5], b.iter().map(|b| 7.0 * b).collect::<Vec<_>>());
        let one = sinkhorn(&TransportProblem::uniform_rows(&costs, &b).unwrap(), SinkhornOptions::default());
        let options = SinkhornOptions::default().with_tolerance(7e-6);
        let seven = sinkhorn(&TransportProblem::new(&costs, &a, &seven_b).unwrap(), options);
        let (one, seven) = (one.unwrap(), seven.unwrap());
        prop_assert!(one.masses.iter().zip(&seven.masses).all(|(x, y)| (7.0 * x - y).abs() < 1e-4));
    }

    #[test]
    fn no_plan_with_these_rows_is_better_than_the_relaxed_one(
        costs in prop::collection::vec(-1.0..1.0f64, 12),
        columns in prop::collection::vec(0.1..1.0f64, 3),
        noise in prop::collection::vec(-1.0..1.0f64, 12),
        pull in 0.1..0.9f64,
    ) {
        let b = proportions(&columns);
        let problem = TransportProblem::uniform_rows(&costs, &b).unwrap();
        let options = RelaxedOptions { epsilon: 0.5, pull, max_iterations: 5000, tolerance: 1e-13 };
        let plan = sinkhorn_relaxed(&problem, options).unwrap();
        prop_assert!(plan.converged);
        let lambda = 0.5 * pull / (1.0 - pull);
        let objective = |masses: &[f64]| relaxed_objective(masses, &costs, &b, 0.5, lambda);
        for step in [1e-3, 0.1, 0.5] {
            // Each row keeps its mass and spreads it otherwise.
            let mut other: Vec<f64> = plan.masses.iter().zip(&noise).map(|(m, n)| m * (step * n).exp()).collect();
            other.chunks_mut(3).for_each(|row| {
                let total: f64 = row.iter().sum();
                row.iter_mut().for_each(|m| *m *= 0.25 / total);
            });
            prop_assert!(objective(&other) >= objective(&plan.masses) - 1e-10);
        }
    }
}
