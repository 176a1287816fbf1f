//! Accuracies over seeds, for box plots.

use crate::bench::Results;

/// The accuracies of all rows on one task, or averaged over all tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Name of the task, or `mean over the tasks`.
    pub name: String,
    /// One entry per row, in the order of the results.
    pub rows: Vec<Seeds>,
}

/// The accuracies of a row, in percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Seeds {
    /// Pairs of seed and accuracy.
    pub values: Vec<(u64, f64)>,
    /// Minimum, first quartile, median, third quartile and maximum; none if there are no values.
    pub five: Option<[f64; 5]>,
}

/// One group per task, after that of the mean over all tasks if there are several.
pub(super) fn groups(results: &Results) -> Vec<Group> {
    let group = |name: &str, task: Option<&str>| {
        let rows = results.rows.iter().map(|row| {
            let values = results.accuracies(row, task);
            let values: Vec<(u64, f64)> =
                values.into_iter().map(|(seed, value)| (seed, 100.0 * value)).collect();
            Seeds { five: five(values.iter().map(|value| value.1).collect()), values }
        });
        Group { name: name.to_owned(), rows: rows.collect() }
    };
    let mean = (results.tasks.len() > 1).then(|| group("mean over the tasks", None));
    mean.into_iter().chain(results.tasks.iter().map(|task| group(task, Some(task)))).collect()
}

/// Minimum, quartiles and maximum, with linear interpolation between neighbouring values.
fn five(mut values: Vec<f64>) -> Option<[f64; 5]> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some([0.0, 0.25, 0.5, 0.75, 1.0].map(|share| {
        let place = share * last as f64;
        let (below, part) = (place.floor() as usize, place.fract());
        values[below] + part * (values[(below + 1).min(last)] - values[below])
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles() {
        assert_eq!(five(vec![5.0, 1.0, 2.0, 4.0, 3.0]), Some([1.0, 2.0, 3.0, 4.0, 5.0]));
        assert_eq!(five(vec![0.0, 1.0]), Some([0.0, 0.25, 0.5, 0.75, 1.0]));
        assert_eq!(five(vec![7.0]), Some([7.0; 5]));
        assert_eq!(five(vec![]), None);
    }
}
