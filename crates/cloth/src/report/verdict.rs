//! A judgement in words: a headline, and the signs that it rests on.

/// How bad something looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Neither good nor bad.
    Note,
    /// As it should be.
    Fine,
    /// Worth a look.
    Look,
    /// A failure.
    Bad,
}

/// One thing that shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Sign {
    /// How bad it looks.
    pub level: Level,
    /// In words.
    pub text: String,
}

/// What the signs come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The worst of the signs.
    pub level: Level,
    /// In a few words.
    pub headline: String,
    /// The signs, worst first.
    pub signs: Vec<Sign>,
}

impl Verdict {
    /// Of these signs, with the headline that `headline` gives for the worst level and the number of things to look at.
    pub(super) fn of(mut signs: Vec<Sign>, headline: impl FnOnce(Level, usize) -> String) -> Self {
        signs.sort_by_key(|sign| std::cmp::Reverse(sign.level));
        let level = signs.first().map_or(Level::Fine, |sign| sign.level).max(Level::Fine);
        let looks = signs.iter().filter(|sign| sign.level == Level::Look).count();
        Self { level, headline: headline(level, looks), signs }
    }
}
