//! Finds the files of a task.
//!
//! A domain `amazon` may be one file, `amazon.npz`; two files with rows to train on and rows to score,
//! `amazon_train.npz` and `amazon_test.npz`; or a directory of images, `amazon/` or `amazon/images/`. Features of a
//! network that was tuned on the source come as one file per pair: `amazon_amazon.csv` and `amazon_webcam.csv`. Any
//! readable format will do, but source and target must follow the same pattern, so that features of two kinds are never
//! mixed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::suite::{Domain, Suite, Task};
use crate::data::FORMATS;
use crate::error::{Problem, Result};

/// Patterns of files with rows to train on, in the order in which they are tried.
const TRAIN: &[&str] = &["{domain}_train", "{domain}/images", "{domain}", "{source}_{domain}"];
/// Pattern of files with test rows, beside one file per domain.
const TEST: &str = "{domain}_test";
/// Pattern of files with test rows, beside one file per pair of domains.
const PAIR_TEST: &str = "{source}_{domain}_test";

/// The files of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Located {
    /// Path of the labelled rows.
    pub source: PathBuf,
    /// Path of the rows to adapt to; training does not read their labels.
    pub target: PathBuf,
    /// Path of separate test rows; none if the target rows are scored.
    pub test: Option<PathBuf>,
}

impl Located {
    /// Path of the rows that are scored.
    pub fn scored(&self) -> &Path {
        self.test.as_ref().unwrap_or(&self.target)
    }
}

/// Finds the files of a task in the directory `data`. The error says what was looked for and where to get it.
pub(super) fn locate(suite: &Suite, task: &Task, data: &Path) -> Result<Located> {
    if !data.is_dir() {
        return Err(Problem::in_file(data)
            .found("no such directory")
            .wanted(format!("a directory with the domains of {}", suite.title))
            .help(get(suite))
            .into());
    }
    let domain = |name: &str| suite.domain(name).expect("suites are checked");
    let (source, target) = (domain(&task.source), domain(&task.target));
    for pattern in TRAIN {
        for ending in endings() {
            let find = |domain: &Domain| find(data, pattern, source, domain, ending);
            if let (Some(from), Some(to)) = (find(source), find(target)) {
                let name = if pattern.contains("{source}") { PAIR_TEST } else { TEST };
                let test = self::find(data, name, source, target, ending);
                return Ok(Located { source: from, target: to, test });
            }
        }
    }
    Err(missing(suite, task, data, source, target))
}

/// The extensions of all formats, and finally none, for a directory.
fn endings() -> impl Iterator<Item = Option<&'static str>> {
    FORMATS.iter().flat_map(|format| format.extensions).copied().map(Some).chain([None])
}

/// The file of a domain by this pattern; none if it does not exist.
fn find(
    data: &Path,
    pattern: &str,
    source: &Domain,
    domain: &Domain,
    ending: Option<&str>,
) -> Option<PathBuf> {
    let names = source.files.iter().flat_map(|from| domain.files.iter().map(move |to| (from, to)));
    let mut paths = names.map(|(from, to)| {
        let stem = pattern.replace("{source}", from).replace("{domain}", to);
        data.join(match ending {
            Some(ending) => format!("{stem}.{ending}"),
            None => stem,
        })
    });
    let there = |path: &PathBuf| if ending.is_some() { path.is_file() } else { path.is_dir() };
    paths.find(there)
}

fn missing(suite: &Suite, task: &Task, data: &Path, source: &Domain, target: &Domain) -> crate::Error {
    let any = |domain: &Domain| {
        let mut all = TRAIN.iter().flat_map(|pattern| endings().map(move |ending| (*pattern, ending)));
        all.find_map(|(pattern, ending)| find(data, pattern, source, domain, ending))
    };
    let name = |path: PathBuf| path.strip_prefix(data).unwrap_or(&path).display().to_string();
    match (any(source), any(target)) {
        (Some(from), Some(to)) => Problem::at(format!("{}, task {}", data.display(), task.name()))
            .found(format!("{} and {}", name(from), name(to)))
            .wanted("source and target in files of the same kind and format")
            .help(format!(
                "rename or convert one of them, such as to {0}_train.npz and {1}_train.npz, or {0}.npz and {1}.npz",
                source.files[0], target.files[0]
            ))
            .into(),
        (from, _) => {
            let domain = if from.is_none() { source } else { target };
            let file = &domain.files[0];
            let pair = format!("{}_{file}.csv", source.files[0]);
            Problem::in_file(data)
                .found(format!("no file of the domain {}", domain.name))
                .wanted(format!("{file}.npz, {file}_train.npz, {pair}, or a directory {file}/ of images"))
                .help(format!("{}; or select tasks without it with `bench.tasks`", get(suite)))
                .into()
        }
    }
}

/// Where to get the data.
fn get(suite: &Suite) -> String {
    match suite.get.as_slice() {
        [] => format!("the suite `{}` does not say where to get its data", suite.name),
        places => format!("{}: {}", suite.title, places.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(files: &[&str], suite: &str, task: &str) -> Result<(String, String, Option<String>)> {
        let home = tempfile::tempdir().unwrap();
        for file in files {
            let path = home.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let suite = Suite::find(suite).unwrap();
        let task = suite.tasks.iter().find(|t| t.is(task)).unwrap();
        let located = locate(&suite, task, home.path())?;
        let name = |path: &Path| path.strip_prefix(home.path()).unwrap().display().to_string();
        Ok((name(&located.source), name(&located.target), located.test.as_deref().map(name)))
    }

    #[test]
    fn one_file_a_domain_pairs_train_and_test_and_folders_are_found() {
        let one = located(&["amazon.npz", "webcam.npz"], "office31", "A-W").unwrap();
        assert_eq!(one, ("amazon.npz".into(), "webcam.npz".into(), None));
        let pair = located(&["Art_Art.csv", "Art_RealWorld.csv"], "officehome", "Ar-Re").unwrap();
        assert_eq!(pair, ("Art_Art.csv".into(), "Art_RealWorld.csv".into(), None));
        let pair = located(&["c_c.csv", "c_i.csv"], "imageclef", "C-I").unwrap();
        assert_eq!(pair, ("c_c.csv".into(), "c_i.csv".into(), None));
        let split = located(&["svhn_train.npz", "mnist_train.npz", "mnist_test.npz"], "digits", "SVHN-MNIST")
            .unwrap();
        assert_eq!(split, ("svhn_train.npz".into(), "mnist_train.npz".into(), Some("mnist_test.npz".into())));
        let folders = located(&["amazon/bike/1.png", "dslr/bike/1.png"], "office31", "A-D").unwrap();
        assert_eq!(folders, ("amazon".into(), "dslr".into(), None));
    }

    #[test]
    fn a_missing_domain_says_what_was_looked_for_and_where_people_get_it() {
        let error = located(&["amazon.npz"], "office31", "A-W").unwrap_err();
        let text = error.to_string();
        assert!(
            text.ends_with(
                ": found no file of the domain W, wanted webcam.npz, webcam_train.npz, amazon_webcam.csv, \
                 or a directory webcam/ of images"
            ),
            "{text}"
        );
        let help = error.help().unwrap();
        assert!(help.contains("Office-31 page") && help.contains("jindongwang/transferlearning"), "{help}");
        assert!(help.contains("`bench.tasks`"), "{help}");
    }

    #[test]
    fn features_of_two_kinds_are_not_mixed() {
        let error = located(&["amazon.npz", "amazon_webcam.csv"], "office31", "A-W").unwrap_err().to_string();
        assert!(
            error.contains("found amazon.npz and amazon_webcam.csv, wanted source and target"),
            "{error}"
        );
    }

    #[test]
    fn a_directory_that_is_not_there_is_said() {
        let suite = Suite::find("digits").unwrap();
        let error = locate(&suite, &suite.tasks[0], Path::new("no/such")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no/such: found no such directory, wanted a directory with the domains of Digits"
        );
        assert!(error.help().unwrap().contains("MNIST database"));
    }
}
