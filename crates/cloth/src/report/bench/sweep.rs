//! Rows that differ in one number: `q = 1`, `q = 2`, `q = 3`.

/// Fewest values of a sweep.
const FEWEST: usize = 3;

/// Rows that differ in one number.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Name of the number that varies.
    pub name: String,
    /// Its values in ascending order, as text.
    pub at: Vec<String>,
    /// Indices of the rows, in the same order.
    pub rows: Vec<usize>,
}

/// All sweeps among rows with these names.
pub(super) fn find(names: &[String]) -> Vec<Sweep> {
    let mut found: Vec<(&str, Vec<(f64, usize)>)> = Vec::new();
    for (row, name) in names.iter().enumerate() {
        let Some((what, value)) = name.split_once(" = ") else { continue };
        let Ok(value) = value.trim().parse() else { continue };
        match found.iter_mut().find(|(known, _)| *known == what) {
            Some((_, values)) => values.push((value, row)),
            None => found.push((what, vec![(value, row)])),
        }
    }
    found.retain(|(_, values)| values.len() >= FEWEST);
    let sweep = |(what, mut values): (&str, Vec<(f64, usize)>)| {
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        Sweep {
            name: what.to_owned(),
            at: values.iter().map(|(value, _)| value.to_string()).collect(),
            rows: values.iter().map(|&(_, row)| row).collect(),
        }
    };
    found.into_iter().map(sweep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_in_a_number_are_found() {
        let names = ["a = 0.1", "b = 1", "a = 10", "cloth", "a = 1", "b = 2", "c = x", "c = y", "c = z"];
        let found = find(&names.map(String::from));
        let wanted = Sweep {
            name: "a".into(),
            at: ["0.1", "1", "10"].map(String::from).to_vec(),
            rows: vec![0, 4, 2],
        };
        assert_eq!(found, [wanted], "b has two values, and c no numbers");
    }
}
