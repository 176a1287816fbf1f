//! Labels as read from files, and their conversion to class indices.

use std::collections::HashMap;
use std::fmt;

use super::labels::{Classes, Label};
use crate::error::{Error, Problem, Result};

/// The labels of some rows, as read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RawLabels {
    /// Integers, or floats that are whole numbers.
    Int(Vec<i64>),
    /// Anything else.
    Text(Vec<String>),
}

impl RawLabels {
    /// The number of labels.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Int(labels) => labels.len(),
            Self::Text(labels) => labels.len(),
        }
    }

    /// Returns an error for the first row without a label. The first label is that of row `first_row` of `place`,
    /// counted from 0.
    pub(super) fn check(&self, place: impl fmt::Display, first_row: usize) -> Result<()> {
        let Self::Text(labels) = self else { return Ok(()) };
        match labels.iter().position(|label| is_missing(label)) {
            None => Ok(()),
            Some(row) => Err(missing(format!("{place}, row {}", first_row + row + 1), &labels[row])),
        }
    }

    /// The labels in the form in which they are compared.
    fn iter(&self) -> Box<dyn Iterator<Item = Label> + '_> {
        match self {
            Self::Int(labels) => Box::new(labels.iter().copied().map(Label::Int)),
            Self::Text(labels) => Box::new(labels.iter().map(|text| Label::parse(text))),
        }
    }
}

/// Texts that mean a missing label, in any case. `None` is not one of them: it may be a class, such as of faults.
const MISSING: &[&str] = &["", "nan", "na", "n/a", "<na>", "null"];

/// Whether a text means a missing label.
pub(super) fn is_missing(label: &str) -> bool {
    MISSING.iter().any(|missing| label.trim().eq_ignore_ascii_case(missing))
}

/// The error for a `label` of which [`is_missing`] is true.
pub(super) fn missing(place: impl fmt::Display, label: &str) -> Error {
    let (found, help) = match label.trim() {
        "" => ("no label".to_owned(), "drop the rows without labels, or move them to the target"),
        written => (
            format!("`{written}`, which is no label"),
            "drop the rows without labels, or move them to the target; a class of that name needs another one",
        ),
    };
    Problem::at(place).found(found).wanted("one in each row").help(help).into()
}

impl Classes {
    /// The classes as integers; `None` if one is not an integer.
    pub(crate) fn integers(&self) -> Option<Vec<i64>> {
        let integer = |name: &String| match Label::parse(name) {
            Label::Int(number) => Some(number),
            Label::Text(_) => None,
        };
        self.names.iter().map(integer).collect()
    }

    /// The first class that is not a whole number, if all classes are numbers.
    pub(super) fn measurement(&self) -> Option<&str> {
        let is_number = |name: &String| name.parse::<f64>().is_ok_and(f64::is_finite);
        let is_whole = |name: &&String| matches!(Label::parse(name), Label::Int(_));
        self.names
            .iter()
            .find(|name| !is_whole(name))
            .filter(|_| self.names.iter().all(is_number))
            .map(String::as_str)
    }

    /// A list for messages; a long list is truncated.
    pub(super) fn list(&self) -> String {
        super::format::list(self.names.iter().map(String::as_str))
    }
}

/// Collects labels chunk by chunk when the classes are not known yet.
#[derive(Debug, Default)]
pub(super) struct Collector {
    first_seen: HashMap<Label, u32>,
    indices: Vec<u32>,
}

impl Collector {
    pub(super) fn reserve(&mut self, rows: usize) {
        // A failure would show when labels are added; the number comes from a header and is not trusted.
        let _ = self.indices.try_reserve_exact(rows);
    }

    pub(super) fn add(&mut self, labels: &RawLabels) {
        for label in labels.iter() {
            let next = self.first_seen.len() as u32;
            self.indices.push(*self.first_seen.entry(label).or_insert(next));
        }
    }

    /// The class index of each row, and the classes.
    pub(super) fn finish(self) -> (Vec<u32>, Classes) {
        let Self { first_seen, mut indices } = self;
        let (classes, labels) = Classes::sorted(first_seen.keys().cloned().collect());
        let mut rank = vec![0; labels.len()];
        for (index, label) in labels.iter().enumerate() {
            rank[first_seen[label] as usize] = index as u32;
        }
        for index in &mut indices {
            *index = rank[*index as usize];
        }
        (indices, classes)
    }
}

/// Maps labels to the indices of known classes.
#[derive(Debug)]
pub(super) struct Lookup {
    classes: Classes,
    indices: HashMap<Label, u32>,
}

impl Lookup {
    pub(super) fn new(classes: Classes) -> Self {
        let names = classes.names.iter().map(|name| Label::parse(name));
        Self { indices: names.zip(0..).collect(), classes }
    }

    /// The class indices of `labels`, which start at row `first_row` of `place`, counted from 0.
    pub(super) fn indices(
        &self,
        labels: &RawLabels,
        place: impl fmt::Display,
        first_row: usize,
    ) -> Result<Vec<u32>> {
        let mut indices = Vec::with_capacity(labels.len());
        for (row, label) in labels.iter().enumerate() {
            let Some(index) = self.indices.get(&label) else {
                return Err(Problem::at(format!("{place}, row {}", first_row + row + 1))
                    .found(format!("the label \"{label}\""))
                    .wanted(format!("one of the source's classes: {}", self.classes.list()))
                    .help("leave out rows of classes that the source does not have, or give them the source's names")
                    .into());
            };
            indices.push(*index);
        }
        Ok(indices)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn collect(chunks: &[RawLabels]) -> (Vec<u32>, Vec<String>) {
        let mut collector = Collector::default();
        chunks.iter().for_each(|chunk| collector.add(chunk));
        let (indices, classes) = collector.finish();
        (indices, classes.names)
    }

    fn text(labels: &[&str]) -> RawLabels {
        RawLabels::Text(labels.iter().map(|&label| label.into()).collect())
    }

    #[test]
    fn integers_with_gaps_keep_their_order() {
        let (indices, names) = collect(&[RawLabels::Int(vec![10, -1, 3, 10])]);
        assert_eq!((indices, names), (vec![2, 0, 1, 2], vec!["-1".into(), "3".into(), "10".into()]));
    }

    #[test]
    fn three_is_three_however_it_is_written() {
        let (indices, names) = collect(&[RawLabels::Int(vec![3]), text(&["3", "3.0", " 3.", "03"])]);
        assert_eq!(names, ["03", "3"]);
        assert_eq!(indices, [1, 1, 1, 1, 0]);
    }

    #[test]
    fn texts_sort_as_texts_once_one_is_not_a_number() {
        let (indices, names) = collect(&[text(&["b", "True", "10", "9", "true"])]);
        assert_eq!(names, ["10", "9", "b", "true"]);
        assert_eq!(indices, [2, 3, 0, 1, 3]);
    }

    #[test]
    fn an_unknown_label_names_row_label_and_classes() {
        let lookup = Lookup::new(Classes::new(["cat", "dog"]));
        assert_eq!(lookup.indices(&text(&["dog", "cat"]), "t.csv", 0).unwrap(), [1, 0]);
        let error = lookup.indices(&text(&["dog", "cow"]), "t.csv", 40).unwrap_err();
        assert_eq!(
            error.to_string(),
            "t.csv, row 42: found the label \"cow\", wanted one of the source's classes: cat, dog"
        );
    }
}
