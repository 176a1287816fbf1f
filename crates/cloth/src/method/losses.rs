//! The values of a method's losses at one iteration.

use std::borrow::Cow;

/// The value of each loss at one iteration, under the symbols of the method's paper, in the order of the update; and,
/// at some iterations, each loss's share of the gradient.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Losses {
    values: Vec<(Cow<'static, str>, f32)>,
    shares: Vec<(Cow<'static, str>, f32)>,
}

impl Losses {
    /// No losses yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the value of a loss.
    pub fn push(&mut self, symbol: impl Into<Cow<'static, str>>, value: f32) {
        self.values.push((symbol.into(), value));
    }

    /// Appends a loss's share of the gradient at z, from 0 to 1 (see
    /// [`gradient_shares`](super::shared::gradient_shares)).
    pub fn push_share(&mut self, symbol: impl Into<Cow<'static, str>>, share: f32) {
        self.shares.push((symbol.into(), share));
    }

    /// Symbols and shares of the gradient at z; empty at most iterations.
    pub fn shares(&self) -> impl Iterator<Item = (&str, f32)> {
        self.shares.iter().map(|(symbol, share)| (symbol.as_ref(), *share))
    }

    /// The value of the loss of that symbol; `None` if this iteration does not have it.
    pub fn get(&self, symbol: &str) -> Option<f32> {
        self.iter().find(|(name, _)| *name == symbol).map(|(_, value)| value)
    }

    /// Symbols and values, in the order of the update.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        self.values.iter().map(|(symbol, value)| (symbol.as_ref(), *value))
    }

    /// Symbols, in the order of the update.
    pub fn symbols(&self) -> Vec<&str> {
        self.iter().map(|(symbol, _)| symbol).collect()
    }
}

impl<const N: usize> From<[(&'static str, f32); N]> for Losses {
    fn from(losses: [(&'static str, f32); N]) -> Self {
        let values = losses.into_iter().map(|(symbol, value)| (symbol.into(), value)).collect();
        Self { values, shares: Vec::new() }
    }
}
