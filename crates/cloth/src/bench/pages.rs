//! Pages of results in a directory, one page per suite.
//!
//! Every page is rendered before the first is written, so that a damaged page leaves all of them as they were.

use std::path::{Path, PathBuf};

use super::render::render;
use super::results::Results;
use super::suite::check_name;
use super::tables;
use crate::atomic::write_atomic;
use crate::error::{Error, Result};

/// The tables of some results, and their place in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Name in the section's markers: that of the directory of the results.
    pub name: String,
    /// Name of the suite, and of its page.
    pub suite: String,
    /// Title of the suite: the heading of a new page.
    pub title: String,
    /// The tables and notes, in Markdown.
    pub text: String,
}

impl Section {
    /// The section of a `results.json`, or of a directory with one.
    pub fn read(path: &Path) -> Result<Self> {
        let results = Results::read(path)?;
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let directory = if path.is_file() { absolute.parent().unwrap_or(&absolute) } else { &absolute };
        // The suite becomes a file name, and a results.json may come from anywhere.
        check_name("suite", &results.stamp.suite, &path.display().to_string())?;
        Ok(Self {
            name: directory.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            suite: results.stamp.suite.clone(),
            title: results.stamp.title.clone(),
            text: tables::section(&results),
        })
    }
}

/// Puts all sections into one document, which is created if it does not exist.
pub fn render_document(document: &Path, sections: &[Section]) -> Result<()> {
    let text = rendered(document, "Results", sections.iter())?;
    write_atomic(document, text.as_bytes())
}

/// Puts each section into the page of its suite, `<suite>.md` in `directory`. Returns the paths of the pages.
pub fn render_pages(directory: &Path, sections: &[Section]) -> Result<Vec<PathBuf>> {
    let mut pages: Vec<(PathBuf, String)> = Vec::new();
    for first in sections {
        let path = directory.join(format!("{}.md", first.suite));
        if pages.iter().all(|(page, _)| *page != path) {
            let of_suite = sections.iter().filter(|section| section.suite == first.suite);
            let text = rendered(&path, &first.title, of_suite)?;
            pages.push((path, text));
        }
    }
    std::fs::create_dir_all(directory).map_err(|error| Error::io("create", directory, error))?;
    for (path, text) in &pages {
        write_atomic(path, text.as_bytes())?;
    }
    Ok(pages.into_iter().map(|(path, _)| path).collect())
}

/// The new text of a document; one that does not exist yet begins with a heading.
fn rendered<'a>(
    document: &Path,
    heading: &str,
    sections: impl Iterator<Item = &'a Section>,
) -> Result<String> {
    let text = match std::fs::read_to_string(document) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => format!("# {heading}\n"),
        Err(error) => return Err(Error::io("read", document, error)),
    };
    let sections: Vec<(&str, &str)> =
        sections.map(|section| (section.name.as_str(), section.text.as_str())).collect();
    render(&text, &sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &str, suite: &str) -> Section {
        Section { name: name.into(), suite: suite.into(), title: suite.to_uppercase(), text: "## T\n".into() }
    }

    #[test]
    fn every_suite_has_a_page_and_remarks_stay() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("results");
        let sections = [section("one", "a"), section("two", "b"), section("three", "a")];
        let pages = render_pages(&at, &sections).unwrap();
        assert_eq!(pages, [at.join("a.md"), at.join("b.md")]);
        let first = std::fs::read_to_string(&pages[0]).unwrap();
        assert_eq!(
            first,
            "# A\n\n<!-- cloth bench: one -->\n## T\n<!-- end of one -->\n\n\
             <!-- cloth bench: three -->\n## T\n<!-- end of three -->\n"
        );
        let remarked = first + "\nA remark.\n";
        std::fs::write(&pages[0], &remarked).unwrap();
        assert_eq!(render_pages(&at, &sections[..1]).unwrap(), [at.join("a.md")]);
        assert_eq!(std::fs::read_to_string(&pages[0]).unwrap(), remarked);
    }

    #[test]
    fn a_damaged_page_leaves_the_others_as_they_were() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("b.md"), "<!-- end of two -->\n").unwrap();
        let error = render_pages(dir.path(), &[section("one", "a"), section("two", "b")]).unwrap_err();
        assert!(error.to_string().contains("the marker `<!-- end of two -->` alone"), "{error}");
        assert!(!dir.path().join("a.md").exists());
    }

    #[test]
    fn a_suite_with_the_name_of_another_place_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let results = include_str!("tests/results.json").replace(r#""suite": "toy""#, r#""suite": "../toy""#);
        assert!(results.contains("../toy"));
        std::fs::write(dir.path().join("results.json"), results).unwrap();
        assert!(Section::read(dir.path()).is_err());
    }
}
