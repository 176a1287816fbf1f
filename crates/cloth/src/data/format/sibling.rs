//! Finds the label file of formats that hold one array per file.

use std::path::{Path, PathBuf};

use super::{LabelPolicy, list};
use crate::error::{Problem, Result};

/// The label file of `path`: the file `named`, else the first of `candidates` that exists.
pub(super) fn find(
    path: &Path,
    named: Option<&str>,
    candidates: Vec<String>,
    labels: LabelPolicy,
) -> Result<Option<PathBuf>> {
    let beside = |name: &str| path.with_file_name(name);
    // The named file has the labels of the source, so it is not looked for beside the target.
    let named = named.filter(|_| labels == LabelPolicy::Required);
    let found = match named {
        // Beside the features, or relative to the current directory.
        Some(name) => [beside(name), PathBuf::from(name)].into_iter().find(|file| file.is_file()),
        None => candidates.iter().map(|name| beside(name)).find(|file| file.is_file()),
    };
    match (found, labels) {
        (None, LabelPolicy::Required) => Err(Problem::in_file(path)
            .found("no labels")
            .wanted(match named {
                Some(name) => format!("the file {name} beside it"),
                None => {
                    format!("one of these files beside it: {}", list(candidates.iter().map(String::as_str)))
                }
            })
            .help("save the labels under such a name, or name the file that has them with `data.label`")
            .into()),
        (found, _) => Ok(found),
    }
}
