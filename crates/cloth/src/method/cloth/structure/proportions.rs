//! Estimates the target's class proportions from a plan, without labels.

/// Evidence of uneven proportions below which they are taken as even: it is noise of the plan. On balanced and nearly
/// balanced targets of Office-31 and Office-Home the evidence is at most 0.08; on partial and long-tailed ones made of
/// Office-31 it is at least 0.14.
const EVEN_BELOW: f64 = 0.09;
/// Evidence above which the proportions of the plan are used as they are.
const UNEVEN_ABOVE: f64 = 0.14;
/// Least share of a class, as a part of an even share: no class is ruled out.
const LEAST: f64 = 0.01;

/// The mean masses of a plan's rows, mixed with even proportions as far as the evidence against these is weak.
///
/// ```text
/// evidence = mean certainty of the rows · total variation between the mean masses and even proportions
/// ```
pub(super) fn estimate(plan: &[f32], n_classes: usize) -> Vec<f64> {
    let rows = (plan.len() / n_classes) as f64;
    let even = 1.0 / n_classes as f64;
    let mut found = vec![0f64; n_classes];
    for row in plan.chunks_exact(n_classes) {
        found.iter_mut().zip(row).for_each(|(found, &p)| *found += f64::from(p) / rows);
    }
    let certain = plan.chunks_exact(n_classes).map(certainty).sum::<f64>() / rows;
    let distance = found.iter().map(|p| (p - even).abs()).sum::<f64>() / 2.0;
    let trust =
        ((certain * distance - EVEN_BELOW) / (UNEVEN_ABOVE - EVEN_BELOW)).clamp(0.0, 1.0) * (1.0 - LEAST);
    found.into_iter().map(|p| trust * p + (1.0 - trust) * even).collect()
}

/// 1 − H(p) / log M: 1 for a row that is certain, 0 for a uniform one.
fn certainty(p: &[f32]) -> f64 {
    let entropy: f64 = p.iter().filter(|p| **p > 0.0).map(|&p| -f64::from(p) * f64::from(p).ln()).sum();
    if p.len() > 1 { (1.0 - entropy / (p.len() as f64).ln()).clamp(0.0, 1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plan that is certain of each row: `counts` rows of each class.
    fn certain(counts: [usize; 4]) -> Vec<f32> {
        let rows = counts.iter().enumerate().flat_map(|(m, &n)| std::iter::repeat_n(m, n));
        rows.flat_map(|m| (0..4).map(move |k| f32::from(u8::from(k == m)))).collect()
    }

    #[test]
    fn clearly_uneven_rows_give_their_own_proportions_and_rule_no_class_out() {
        let found = estimate(&certain([70, 20, 10, 0]), 4);
        let wanted = [0.7, 0.2, 0.1, 0.0];
        assert!(found.iter().zip(wanted).all(|(f, w)| (f - w).abs() < 0.01), "{found:?}");
        assert!(found[3] > 0.002 && (found.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn slightly_uneven_rows_count_as_even() {
        assert_eq!(estimate(&certain([28, 26, 24, 22]), 4), [0.25; 4]);
    }

    #[test]
    fn an_uncertain_plan_is_no_evidence() {
        // Proportions of 0.4 and 0.2, but every row is undecided.
        let plan: Vec<f32> = std::iter::repeat_n([0.4, 0.2, 0.2, 0.2], 50).flatten().collect();
        assert_eq!(estimate(&plan, 4), [0.25; 4]);
    }
}
