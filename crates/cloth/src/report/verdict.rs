//! A verdict: a headline, and the signs that it is based on.

/// Severity of a sign, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Neither good nor bad.
    Note,
    /// As expected.
    Fine,
    /// Worth checking.
    Look,
    /// A failure.
    Bad,
}

/// One observation about a run or a bench.
#[derive(Debug, Clone, PartialEq)]
pub struct Sign {
    /// Severity of the observation.
    pub level: Level,
    /// The observation, as a sentence.
    pub text: String,
}

/// The overall judgement of a run or a bench.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The worst level of the signs, at least [`Level::Fine`].
    pub level: Level,
    /// The judgement in a few words, without a full stop.
    pub headline: String,
    /// The signs, worst first.
    pub signs: Vec<Sign>,
}

impl Verdict {
    /// The verdict of these signs. `headline` gets the worst level and the number of signs at [`Level::Look`].
    pub(super) fn of(mut signs: Vec<Sign>, headline: impl FnOnce(Level, usize) -> String) -> Self {
        signs.sort_by_key(|sign| std::cmp::Reverse(sign.level));
        let level = signs.first().map_or(Level::Fine, |sign| sign.level).max(Level::Fine);
        let looks = signs.iter().filter(|sign| sign.level == Level::Look).count();
        Self { level, headline: headline(level, looks), signs }
    }
}
