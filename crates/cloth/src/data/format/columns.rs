//! Selects the columns of a table: features, label, and ignored ones.

use std::path::Path;

use super::{LabelPolicy, ReadOptions, list, nearest};
use crate::error::{Problem, Result};

/// Names of label columns, ignoring case, unless `data.label` names the column.
const LABELS: &[&str] = &["label", "y", "class", "target"];

/// A column before it is read.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) numeric: bool,
}

/// Positions of columns in a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) features: Vec<usize>,
    pub(super) label: Option<usize>,
    /// Names of the columns that are neither.
    pub(super) ignored: Vec<String>,
}

/// Selects features and label among the columns of `path`.
pub(super) fn select(
    path: &Path,
    columns: &[Column],
    options: &ReadOptions,
    labels: LabelPolicy,
) -> Result<Selection> {
    let wanted = options.columns.as_deref().map(|names| find_all(path, columns, names)).transpose()?;
    let candidates = candidates(columns, wanted.as_deref());
    if let (None, LabelPolicy::Required, [one, other, ..]) = (&options.label, labels, candidates.as_slice()) {
        return Err(Problem::in_file(path)
            .found(format!("the columns \"{}\" and \"{}\"", columns[*one].name, columns[*other].name))
            .wanted("only one possible label column")
            .help("name the label column with `data.label`")
            .into());
    }
    let label = match &options.label {
        Some(name) => columns.iter().position(|column| column.name == *name),
        None => candidates.first().copied(),
    };
    if label.is_none() && labels == LabelPolicy::Required {
        return Err(no_label(path, columns, options.label.as_deref()).into());
    }
    // pandas writes its row numbers into a first column without a name.
    let is_index = |index: usize| index == 0 && columns[0].name.is_empty() && columns.len() > 1;
    let is_feature = |&index: &usize| columns[index].numeric && Some(index) != label && !is_index(index);
    let features = wanted.unwrap_or_else(|| (0..columns.len()).filter(is_feature).collect());
    if let Some(label) = label.filter(|label| features.contains(label)) {
        return Err(Problem::in_file(path)
            .found(format!("the column \"{}\" among the features", columns[label].name))
            .wanted("this column only as the label")
            .into());
    }
    for (place, &index) in features.iter().chain(&label).enumerate() {
        let name = &columns[index].name;
        if columns.iter().filter(|column| column.name == *name).count() > 1 {
            return Err(Problem::in_file(path)
                .found(format!("two columns named \"{name}\""))
                .wanted("a unique name for each column that is used")
                .help(if place < features.len() {
                    "rename one of them"
                } else {
                    "rename one, or choose with `data.label`"
                })
                .into());
        }
    }
    let mut used = vec![false; columns.len()];
    features.iter().chain(&label).for_each(|&index| used[index] = true);
    let ignored =
        columns.iter().zip(&used).filter(|(_, used)| !**used).map(|(column, _)| {
            if column.name.is_empty() { "(no name)".to_owned() } else { column.name.clone() }
        });
    let ignored = ignored.collect();
    Ok(Selection { features, label, ignored })
}

/// Columns with a name of [`LABELS`] that are not features, in the order of [`LABELS`].
fn candidates(columns: &[Column], features: Option<&[usize]>) -> Vec<usize> {
    let named = |name: &&str| {
        let is_label = |column: &Column| column.name.trim().eq_ignore_ascii_case(name);
        columns.iter().position(is_label).filter(|index| !features.unwrap_or_default().contains(index))
    };
    LABELS.iter().filter_map(named).collect()
}

/// The positions of the columns `names`; an error if one is missing or not numeric.
fn find_all(path: &Path, columns: &[Column], names: &[String]) -> Result<Vec<usize>> {
    let positions = |name: &String| columns.iter().position(|column| column.name == *name);
    let found: Vec<Option<usize>> = names.iter().map(positions).collect();
    let missing: Vec<&str> = names
        .iter()
        .zip(&found)
        .filter(|(_, found)| found.is_none())
        .map(|(name, _)| name.as_str())
        .collect();
    if let Some(first) = missing.first() {
        let others = columns.iter().map(|column| column.name.as_str());
        let near = nearest(first, others.filter(|name| names.iter().all(|wanted| wanted != name)));
        return Err(Problem::in_file(path)
            .found(format!("no column {}", list(missing.iter().copied())))
            .wanted(format!("all {} feature columns of the source", names.len()))
            .help(match near {
                Some(near) => format!("there is a column \"{near}\": the names must be equal"),
                None => format!("it has {}", list(columns.iter().map(|column| column.name.as_str()))),
            })
            .into());
    }
    let found: Vec<usize> = found.into_iter().flatten().collect();
    if let Some(&text) = found.iter().find(|&&index| !columns[index].numeric) {
        return Err(Problem::at(format!("{}, column \"{}\"", path.display(), columns[text].name))
            .found("texts")
            .wanted("numbers")
            .into());
    }
    Ok(found)
}

fn no_label(path: &Path, columns: &[Column], wanted: Option<&str>) -> Problem {
    let names = || columns.iter().map(|column| column.name.as_str());
    let near = wanted.and_then(|wanted| nearest(wanted, names()));
    Problem::in_file(path)
        .found(format!("no label among the columns {}", list(names())))
        .wanted(match wanted {
            Some(name) => format!("a column \"{name}\""),
            None => format!("one of {}", LABELS.join(", ")),
        })
        .help(match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "name the column that has the labels with `data.label`".to_owned(),
        })
}
