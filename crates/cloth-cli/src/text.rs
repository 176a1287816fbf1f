//! Numbers and words for people.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use cloth::eval::Spread;

/// `1797` as `1,797`.
pub(crate) fn count(n: impl TryInto<u64>) -> String {
    let digits = n.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 row`, `1,797 rows`.
pub(crate) fn plural(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{} {noun}{}", count(n), if noun.ends_with('s') { "es" } else { "s" }),
    }
}

/// `0.9376` as `93.8 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// `79.9 ± 0.6 %`
pub(crate) fn spread(spread: Option<Spread>, unit: &str) -> String {
    match spread {
        None => String::new(),
        Some(Spread { mean, std: None, .. }) => format!("{mean:.1}{unit}"),
        Some(Spread { mean, std: Some(std), .. }) => format!("{mean:.1} ± {std:.1}{unit}"),
    }
}

/// `41 s`, `3 min 20 s`, `2 h 5 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A few of many.
pub(crate) fn some<T: Display>(all: &[T], shown: usize) -> String {
    let names: Vec<String> = all.iter().take(shown).map(T::to_string).collect();
    match all.len() {
        n if n <= shown => names.join(", "),
        n => format!("{}, … ({} in all)", names.join(", "), count(n)),
    }
}

/// A path as it is written on a command line.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Six digits are more than any of our numbers deserves, and `0.1` stays `0.1` on its way from f32.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// Where results go; everything else goes to stderr.
///
/// Whoever reads them may have seen enough before the end, as in `cloth predict … | head -1`. That is no error, and there is
/// nothing left to do.
pub(crate) struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        or_leave(io::stdout().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        or_leave(io::stdout().flush())
    }
}

fn or_leave<T>(result: io::Result<T>) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result,
    }
}

/// Prints results.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    Stdout.write_all(text.as_bytes()).and_then(|()| Stdout.flush()).context("cannot write to stdout")
}

/// Prints one JSON object.
pub(crate) fn print_json(value: &serde_json::Value) -> anyhow::Result<()> {
    print(&format!("{value}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(["0", "999", "1,000", "1,234,567"], [0u64, 999, 1000, 1_234_567].map(count));
        assert_eq!(
            (plural(1, "class"), plural(2, "class"), plural(2000, "row")),
            ("1 class".into(), "2 classes".into(), "2,000 rows".into())
        );
        assert_eq!(percent(0.93755), "93.8 %");
        assert_eq!(spread(Spread::of([90.0, 92.0]), " %"), "91.0 ± 1.4 %");
        assert_eq!(spread(Spread::of([90.0]), ""), "90.0");
        assert_eq!([0.44, 41.2, 200.0, 7500.0].map(duration), ["0.4 s", "41 s", "3 min 20 s", "2 h 5 min"]);
        assert_eq!(some(&["a", "b", "c"], 2), "a, b, … (3 in all)");
        assert_eq!(quoted(Path::new("runs/a-b")), "runs/a-b");
        assert_eq!(quoted(Path::new("it's")), "'it'\\''s'");
        assert_eq!(rounded(f64::from(0.1f32)), 0.1);
    }
}
