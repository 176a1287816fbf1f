//! Puts sections of results into a document that also has text written by hand.
//!
//! The text between a section's two markers is replaced; everything else is left as it is, so that remarks survive. A
//! section without markers is added at the end.

use crate::error::{Problem, Result};

/// Returns `document` with the given sections, each a pair of name and text.
///
/// ```
/// use cloth::bench::render;
/// let first = render("# Results\n", &[("digits", "## Digits\n")])?;
/// let remarked = first + "\nSVHN is the hard one.\n";
/// let second = render(&remarked, &[("digits", "## Digits, measured again\n")])?;
/// assert!(second.contains("measured again") && second.ends_with("SVHN is the hard one.\n"));
/// # Ok::<(), cloth::Error>(())
/// ```
pub fn render(document: &str, sections: &[(&str, &str)]) -> Result<String> {
    let mut text = document.to_owned();
    for (i, (name, body)) in sections.iter().enumerate() {
        if sections[..i].iter().any(|(other, _)| other == name) {
            return Err(Problem::at("sections")
                .found(format!("two with the name `{name}`"))
                .wanted("a unique name for each")
                .help("a section has the name of its directory: rename one of them")
                .into());
        }
        let (begin, end) = (format!("<!-- cloth bench: {name} -->"), format!("<!-- end of {name} -->"));
        let section = format!("{begin}\n{}\n{end}", body.trim_end());
        match (text.find(&begin), text.find(&end)) {
            (None, None) => {
                let gap = match text.as_str() {
                    "" => "",
                    text if text.ends_with("\n\n") => "",
                    text if text.ends_with('\n') => "\n",
                    _ => "\n\n",
                };
                text += &format!("{gap}{section}\n");
            }
            (Some(from), Some(to)) if from < to => text.replace_range(from..to + end.len(), &section),
            (from, _) => {
                let (found, wanted) = match from {
                    Some(_) => (&begin, &end),
                    None => (&end, &begin),
                };
                return Err(Problem::at("document")
                    .found(format!("the marker `{found}` alone"))
                    .wanted(format!("`{wanted}` as well, in the right order"))
                    .help(
                        "put the other marker back, or remove this one: the section is then added at the end",
                    )
                    .into());
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_replaced_and_remarks_stay() {
        let sections = [("a", "## A\none\n"), ("b", "## B\n")];
        let first = render("# Results\n\nBy hand.\n", &sections).unwrap();
        assert_eq!(
            first,
            "# Results\n\nBy hand.\n\n<!-- cloth bench: a -->\n## A\none\n<!-- end of a -->\n\n\
             <!-- cloth bench: b -->\n## B\n<!-- end of b -->\n"
        );
        let remarked = first.replace("<!-- end of a -->\n", "<!-- end of a -->\n\nA remark on A.\n");
        assert_eq!(render(&remarked, &sections).unwrap(), remarked, "the same again changes nothing");
        let second = render(&remarked, &[("a", "## A\ntwo\n")]).unwrap();
        assert_eq!(second, remarked.replace("one", "two"));
        assert_eq!(render("", &[("a", "x")]).unwrap(), "<!-- cloth bench: a -->\nx\n<!-- end of a -->\n");
    }

    #[test]
    fn a_marker_alone_is_an_error() {
        for text in [
            "<!-- cloth bench: a -->\n",
            "<!-- end of a -->\n",
            "<!-- end of a -->\n<!-- cloth bench: a -->\n",
        ] {
            let error = render(text, &[("a", "x")]).unwrap_err().to_string();
            assert!(error.starts_with("document: found the marker `<!--"), "{error}");
        }
    }

    #[test]
    fn two_sections_of_one_name_are_refused() {
        let error = render("", &[("a", "## A\n"), ("a", "## Another\n")]).unwrap_err().to_string();
        assert_eq!(error, "sections: found two with the name `a`, wanted a unique name for each");
    }
}
