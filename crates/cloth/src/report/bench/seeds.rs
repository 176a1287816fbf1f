//! Accuracies over seeds, as box plots need them.

use crate::bench::Results;

/// The accuracies of all rows on one task, or on average.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The task, or that it is the mean.
    pub name: String,
    /// Of each row, in the order of the results.
    pub rows: Vec<Seeds>,
}

/// The accuracies of a row, in percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Seeds {
    /// Each seed with its accuracy.
    pub values: Vec<(u64, f64)>,
    /// Least, first quartile, median, third quartile, largest.
    pub five: Option<[f64; 5]>,
}

/// The mean over all tasks first, unless there is only one.
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

/// Quartiles lie between the two values next to them, as far as their place is between the places of those.
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
