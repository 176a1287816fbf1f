//! Presets: named layers of settings, kept as commented TOML.

/// A named set of settings.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// The argument of [`Layers::preset`](super::Layers::preset).
    pub name: &'static str,
    /// One line of help text.
    pub summary: &'static str,
    /// The settings for all methods, with comments; may be empty.
    pub toml: &'static str,
}

/// All presets, the default first.
pub const PRESETS: &[Preset] = &[
    Preset { name: "default", summary: "works on new data without tuning", toml: "" },
    Preset { name: "paper", summary: "the paper to the letter", toml: include_str!("presets/paper.toml") },
    Preset {
        name: "paper-code",
        summary: "the paper, with what its tables and its first author's earlier code reveal",
        toml: include_str!("presets/paper-code.toml"),
    },
];
