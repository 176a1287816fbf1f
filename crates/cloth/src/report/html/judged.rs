//! Verdicts as HTML.

use crate::report::{Level, Verdict};

/// A verdict with the marks and names of its levels.
pub(super) struct Judged {
    verdict: Verdict,
}

impl Judged {
    pub(super) fn new(verdict: Verdict) -> Self {
        Self { verdict }
    }

    pub(super) fn headline(&self) -> &str {
        &self.verdict.headline
    }

    pub(super) fn level(&self) -> &'static str {
        name(self.verdict.level)
    }

    pub(super) fn signs(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str, String)> {
        self.verdict.signs.iter().map(|sign| {
            let (mark, spoken) = mark(sign.level);
            // No line break between a number and its percent sign.
            (name(sign.level), mark, spoken, sign.text.replace(" %", "\u{a0}%"))
        })
    }
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Note => "note-sign",
        Level::Fine => "fine",
        Level::Look => "look",
        Level::Bad => "bad",
    }
}

/// A mark for readers who do not see colours, and a word for screen readers.
fn mark(level: Level) -> (&'static str, &'static str) {
    match level {
        Level::Note => ("·", "note"),
        Level::Fine => ("✓", "fine"),
        Level::Look => ("!", "to look at"),
        Level::Bad => ("✕", "bad"),
    }
}
