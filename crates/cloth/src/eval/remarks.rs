//! Remarks about data before training on them. A remark never stops training.

use crate::data::{Source, Target};
use crate::words::{count, plural, some};

/// Classes with fewer source rows than this get a remark.
const FEW: usize = 5;
/// Ratio of the largest class to the smallest above which there is a remark.
const IMBALANCE: usize = 20;
/// Targets with fewer rows than this get a remark.
const TINY: usize = 50;
/// Most names listed in a remark.
const SHOWN: usize = 5;

/// Remarks about the source: classes with few rows, and classes of very different size.
pub fn on_source(source: &Source) -> Vec<String> {
    let mut remarks = Vec::new();
    let counts = source.class_counts();
    let named = |wanted: &dyn Fn(usize) -> bool| -> Vec<&str> {
        let names = source.classes().names().iter().zip(&counts);
        names.filter(|(_, n)| wanted(**n)).map(|(name, _)| name.as_str()).collect()
    };
    let single = named(&|n| n == 1);
    if !single.is_empty() {
        remarks.push(format!(
            "{} with a single source row: {}; it is used for training, so none is left for validation",
            plural(single.len(), "class"),
            some(&single, SHOWN)
        ));
    }
    let few = named(&|n| (2..FEW).contains(&n));
    if !few.is_empty() {
        remarks.push(format!(
            "{} with fewer than {FEW} source rows: {}",
            plural(few.len(), "class"),
            some(&few, SHOWN)
        ));
    }
    if let (Some(&most), Some(&least)) = (counts.iter().max(), counts.iter().min())
        && most > IMBALANCE * least.max(1)
    {
        let largest = some(&named(&|n| n == most), 1);
        let smallest = some(&named(&|n| n == least), 1);
        remarks.push(format!(
            "class sizes differ widely: {largest} has {}, {smallest} has {}",
            plural(most, "row"),
            count(least)
        ));
    }
    remarks
}

/// Remarks about the target: too few rows for `n_classes` classes.
pub fn on_target(target: &Target, n_classes: usize) -> Vec<String> {
    let mut remarks = Vec::new();
    if target.len() < TINY.max(2 * n_classes) {
        remarks.push(format!(
            "the target has only {} for {}: there is little to adapt to",
            plural(target.len(), "row"),
            plural(n_classes, "class")
        ));
    }
    remarks
}

/// Remarks about what was ignored in the files of source and target, such as columns that are not numbers.
pub fn on_ignored(source: &Source, target: &Target) -> Vec<String> {
    [("source", source.schema()), ("target", target.schema())]
        .into_iter()
        .filter_map(|(side, schema)| Some((side, schema?.ignored.as_slice())))
        .filter(|(_, ignored)| !ignored.is_empty())
        .map(|(side, ignored)| format!("ignored in the {side}: {}", some(ignored, SHOWN)))
        .collect()
}
