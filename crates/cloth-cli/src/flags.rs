//! Translates settings in the library's messages into command-line flags.
//!
//! The library writes a setting in backticks with its full key: `` `data.label` ``, `` `train.batch_size=30` ``.
//! Options of a bench have keys such as `` `bench.tasks` ``. Other text in backticks is left as it is.

/// Settings with a flag of their own: key, flag and name of its value.
const FLAGS: &[(&str, &str, &str)] = &[
    ("seed", "--seed", "N"),
    ("preset", "--preset", "P"),
    ("method.name", "--method", "M"),
    ("data.label", "--label", "NAME"),
    ("bench.data", "--data", "DIR"),
    ("bench.features", "--features", "TEXT"),
    ("bench.jobs", "--jobs", "N"),
    ("bench.keep", "--keep", ""),
    ("bench.methods", "--methods", "A,B"),
    ("bench.oracle", "--oracle", ""),
    ("bench.output", "--output", "OUT"),
    ("bench.preset", "--preset", "P"),
    ("bench.reuse", "--reuse", "RESULTS"),
    ("bench.seeds", "--seeds", "K"),
    ("bench.settings", "--set", "KEY=VALUE"),
    ("bench.study", "--study", "NAME"),
    ("bench.tasks", "--tasks", "S-T"),
];

/// Follows `--label`, because `cloth bench` has no such flag.
const IN_A_BENCH: &str = " (for a bench: `--set data.label=NAME`)";

/// Prefixes of configuration keys.
const SECTIONS: &[&str] = &["data.", "generator.", "method.", "train."];

/// Rewrites help and notes so that each setting appears as a flag.
pub(crate) fn translate(text: &str) -> String {
    rewrite(text, flag)
}

/// Rewrites a message of the library: settings after `wanted` become flags, settings before it only if they are a
/// bench's.
pub(crate) fn translate_message(text: &str) -> String {
    let of_bench = |setting: &str| flag(setting).filter(|_| setting.starts_with("bench."));
    match text.split_once(", wanted ") {
        Some((found, wanted)) => format!("{}, wanted {}", rewrite(found, of_bench), translate(wanted)),
        None => rewrite(text, of_bench),
    }
}

/// Replaces each text in backticks for which `flag` returns a flag.
fn rewrite(text: &str, flag: impl Fn(&str) -> Option<String>) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, (quoted, after))) =
        rest.split_once('`').and_then(|(before, after)| Some((before, after.split_once('`')?)))
    {
        written += before;
        // The mistyped key may be in a file, where a flag would be wrong.
        let typed = if before.ends_with("did you mean ") { None } else { flag(quoted) };
        written += &format!("`{}`", typed.as_deref().unwrap_or(quoted));
        if typed.is_some() && quoted == "data.label" {
            written += IN_A_BENCH;
        }
        rest = after;
    }
    written + rest
}

/// The flag for `key` or `key=value`, if it is a setting.
fn flag(setting: &str) -> Option<String> {
    let (key, value) = match setting.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (setting, None),
    };
    if let Some((_, flag, takes)) = FLAGS.iter().find(|(name, ..)| *name == key) {
        let typed = format!("{flag} {}", value.unwrap_or(takes)).trim_end().to_owned();
        return Some(typed);
    }
    let is_key = |key: &str| key.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    let known = SECTIONS.iter().any(|section| key.strip_prefix(section).is_some_and(|name| !name.is_empty()));
    (known && is_key(key)).then(|| format!("--set {key}={}", value.unwrap_or("…")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_become_what_is_typed() {
        for (setting, typed) in [
            ("use `train.batch_size=120` or less", "use `--set train.batch_size=120` or less"),
            ("give `data.image_size`", "give `--set data.image_size=…`"),
            ("by `method.cloth.structure=0`", "by `--set method.cloth.structure=0`"),
            ("take `seed=3` or `method.name=dann`", "take `--seed 3` or `--method dann`"),
            ("by `bench.tasks`, `bench.oracle`", "by `--tasks S-T`, `--oracle`"),
            ("with `data.label`.", "with `--label NAME` (for a bench: `--set data.label=NAME`)."),
            ("with `data.label=species`", "with `--label species`"),
        ] {
            assert_eq!(translate(setting), typed);
        }
    }

    #[test]
    fn all_else_stays() {
        for text in [
            "found `N/A`, which is no label",
            "`cloth train --resume run` resumes it",
            "did you mean `train.iterations`?",
            "one ` alone, train.batch_size=3",
            "`data.`, `data.x y` and `train`",
            "",
        ] {
            assert_eq!(translate(text), text);
        }
    }

    #[test]
    fn a_message_says_what_was_found_as_it_was_written() {
        assert_eq!(
            translate_message("setting `train.batch_size`: found 9, wanted `train.batch_size=4`"),
            "setting `train.batch_size`: found 9, wanted `--set train.batch_size=4`"
        );
        assert_eq!(
            translate_message("`bench.tasks`: found `A-C`, wanted some of A-B, B-A"),
            "`--tasks S-T`: found `A-C`, wanted some of A-B, B-A"
        );
    }
}
