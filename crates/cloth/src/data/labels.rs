//! Labels in the form in which they are compared, and the classes.
//!
//! A label is an integer or a text. `3`, `3.0` and `"3"` are the same label in every file, so that a CSV file and an
//! array of integers agree; so are `True`, `TRUE` and `true`. `"03"` is a text, because its zero is intentional.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A label in the form in which labels are compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Label {
    Int(i64),
    Text(String),
}

impl Label {
    pub(super) fn parse(text: &str) -> Self {
        let text = text.trim();
        // CSV writers write the integers of a column with gaps as `3.0` or `3.`.
        let whole = match text.split_once('.') {
            Some((whole, zeros)) if zeros.bytes().all(|b| b == b'0') => whole,
            _ => text,
        };
        match whole.parse::<i64>() {
            Ok(number) if number.to_string() == whole => Self::Int(number),
            _ if matches!(text, "True" | "TRUE") => Self::Text("true".into()),
            _ if matches!(text, "False" | "FALSE") => Self::Text("false".into()),
            _ => Self::Text(text.to_owned()),
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The names of the classes, in the order of their indices.
///
/// Sorted by value if all are integers, else as texts.
///
/// ```
/// use cloth::data::Classes;
/// let classes = Classes::new(["10", "9", "3.0"]);
/// assert_eq!(classes.names(), ["3", "9", "10"]);
/// assert_eq!(classes.index_of("9.0"), Some(1));
/// assert_eq!(classes.index_of("4"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Classes {
    pub(super) names: Vec<String>,
}

impl Classes {
    /// The distinct classes among `names`, sorted.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        Self::sorted(names.into_iter().map(|name| Label::parse(name.as_ref())).collect()).0
    }

    /// The distinct classes, sorted, and their labels in the same order.
    pub(super) fn sorted(mut labels: Vec<Label>) -> (Self, Vec<Label>) {
        if labels.iter().all(|label| matches!(label, Label::Int(_))) {
            labels.sort_by_key(|label| if let Label::Int(number) = label { *number } else { 0 });
        } else {
            labels.sort_by_cached_key(Label::to_string);
        }
        labels.dedup();
        (Self { names: labels.iter().map(Label::to_string).collect() }, labels)
    }

    /// The names, in the order of the indices.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of one class.
    ///
    /// # Panics
    /// If `index` is not less than the number of classes.
    pub fn name(&self, index: u32) -> &str {
        &self.names[index as usize]
    }

    /// The number of classes, M.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Index of the class of this label; `None` if it is unknown.
    pub fn index_of(&self, label: &str) -> Option<u32> {
        let label = Label::parse(label).to_string();
        self.names.iter().position(|name| *name == label).map(|index| index as u32)
    }
}
