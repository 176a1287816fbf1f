//! Parses a report as a browser does.

use html5gum::{DefaultEmitter, Token, Tokenizer};
use serde_json::Value;

/// Elements without an end tag.
const VOID: &[&str] = &["meta", "input", "img", "br", "link"];

/// A tag and its attributes.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

impl Tag {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The parsed contents of a page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) tags: Vec<Tag>,
    /// The visible text.
    pub(crate) text: String,
    /// The JSON data of each run.
    pub(crate) runs: Vec<Value>,
    pub(crate) scripts: Vec<String>,
}

impl Page {
    /// Parses a page. Asserts that it has no errors and that elements are properly nested.
    #[track_caller]
    pub(crate) fn parse(html: &str) -> Self {
        let mut page = Self::default();
        let mut open: Vec<String> = Vec::new();
        let mut emitter = DefaultEmitter::default();
        emitter.naively_switch_states(true);
        for token in Tokenizer::new_with_emitter(html, emitter) {
            match token.unwrap() {
                Token::StartTag(tag) => {
                    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                    let name = text(&tag.name);
                    let attributes =
                        tag.attributes.iter().map(|(key, value)| (text(key), text(value))).collect();
                    if !VOID.contains(&name.as_str()) {
                        open.push(name.clone());
                    }
                    page.tags.push(Tag { name, attributes });
                }
                Token::EndTag(tag) => {
                    let name = String::from_utf8(tag.name.to_vec()).unwrap();
                    assert_eq!(open.pop().as_deref(), Some(name.as_str()), "after {:?}", page.tags.last());
                }
                Token::String(text) => page.read(std::str::from_utf8(&text).unwrap(), open.last()),
                Token::Doctype(_) => {}
                other => panic!("{other:?} after {:?}", page.tags.last()),
            }
        }
        assert!(open.is_empty(), "{open:?} never end");
        page
    }

    fn read(&mut self, text: &str, within: Option<&String>) {
        match within.map(String::as_str) {
            Some("style") => {}
            Some("script") => {
                let data = self.tags.last().is_some_and(|tag| tag.get("type") == Some("application/json"));
                match data {
                    true => self.runs.push(serde_json::from_str(text).unwrap()),
                    false => self.scripts.push(text.to_owned()),
                }
            }
            _ => self.text.push_str(text),
        }
    }
}
