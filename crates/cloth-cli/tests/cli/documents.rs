//! The pages of results: every section matches the saved results, and every link leads to a file and heading.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Dir;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages and the directories of results in `docs/results`.
fn kept() -> (Vec<PathBuf>, Vec<PathBuf>) {
    let entries = fs::read_dir(repository().join("docs/results")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().partition(|path| path.is_file())
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

#[test]
fn the_pages_of_results_show_what_is_kept_beside_them_and_nothing_else() {
    let (pages, results) = kept();
    assert!(!pages.is_empty() && !results.is_empty());
    let dir = Dir::new();
    let mut sections = BTreeSet::new();
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        let begins = text.lines().filter_map(|line| line.strip_prefix("<!-- cloth bench: "));
        sections.extend(begins.map(|rest| rest.trim_end_matches(" -->").to_owned()));
        dir.write(&format!("pages/{}", name(page)), text);
    }
    let of_results: BTreeSet<String> = results.iter().map(|path| name(path).to_owned()).collect();
    assert_eq!(sections, of_results, "a section without results, or results without a section");

    let words = ["bench", "--render"].into_iter().chain(results.iter().map(|path| path.to_str().unwrap()));
    dir.run(words.chain(["-o", "pages"])).done();
    for page in &pages {
        let now = dir.text(&format!("pages/{}", name(page)));
        let again = "cloth bench --render docs/results/*/ -o docs/results/";
        assert!(now == fs::read_to_string(page).unwrap(), "{} is not what `{again}` makes", name(page));
    }
    assert_eq!(
        fs::read_dir(dir.path("pages")).unwrap().count(),
        pages.len(),
        "a page that is not in docs/results"
    );
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(document: &str) -> Vec<String> {
    let headings = document.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

#[test]
fn links_between_documents_lead_to_files_and_headings_that_are_there() {
    let mut documents = vec![repository().join("README.md"), repository().join("docs/results.md")];
    documents.extend(kept().0);
    let mut seen = 0;
    for document in &documents {
        let text = fs::read_to_string(document).unwrap();
        for rest in text.split("](").skip(1) {
            let link = rest.split(')').next().unwrap();
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').map_or((link, None), |(file, at)| (file, Some(at)));
            let path = match file {
                "" => document.clone(),
                _ => document.parent().unwrap().join(file),
            };
            assert!(path.exists(), "{}: no file for {link}", document.display());
            if let Some(heading) = heading {
                let there = anchors(&fs::read_to_string(&path).unwrap());
                assert!(
                    there.iter().any(|at| at == heading),
                    "{}: no heading for {link} in {there:#?}",
                    document.display()
                );
            }
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} links");
}
