//! Presets: named layers of settings, kept as commented TOML.

/// A named set of settings.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// What `--preset` takes.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Its settings, with comments.
    pub toml: &'static str,
}

/// All presets.
pub const PRESETS: &[Preset] = &[
    Preset { name: "default", summary: "works on data nobody has seen, without tuning", toml: "" },
    Preset { name: "paper", summary: "the paper to the letter", toml: include_str!("presets/paper.toml") },
];
