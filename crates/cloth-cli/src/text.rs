//! Formats numbers, words and paths, and prints results to stdout.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use cloth::eval::Spread;

use crate::flags::translate_message;

pub(crate) use cloth::words::{count, duration, percent, plural, some};

/// `79.9 ± 0.6 %`
pub(crate) fn spread(spread: Option<Spread>, unit: &str) -> String {
    match spread {
        None => String::new(),
        Some(Spread { mean, std: None, .. }) => format!("{mean:.1}{unit}"),
        Some(Spread { mean, std: Some(std), .. }) => format!("{mean:.1} ± {std:.1}{unit}"),
    }
}

/// A path as a shell takes it, in quotes if necessary.
pub(crate) fn quoted(path: &Path) -> String {
    cloth::words::quoted(&path.display().to_string())
}

/// An error and its causes in one line.
pub(crate) fn with_causes(error: &cloth::Error) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    let message = causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"));
    translate_message(&message)
}

/// Rounds to six decimals, so that `0.1` of type f32 is printed as `0.1`.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// Stdout for predictions, written row by row.
///
/// The reader may close the pipe before the end, as in `cloth predict … | head -1`. That is not an error: the program
/// then exits with 0.
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

/// Prints results to stdout.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // The reader has closed the pipe; the command still ends with its own exit code.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to stdout"),
    }
}

/// Prints one JSON object to stdout, in one line.
pub(crate) fn print_json(value: &serde_json::Value) -> anyhow::Result<()> {
    print(&format!("{value}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_can_be_typed_and_numbers_are_short() {
        assert_eq!(spread(Spread::of([90.0, 92.0]), " %"), "91.0 ± 1.4 %");
        assert_eq!(spread(Spread::of([90.0]), ""), "90.0");
        assert_eq!(quoted(Path::new("runs/a-b")), "runs/a-b");
        assert_eq!(quoted(Path::new("it's")), "'it'\\''s'");
        assert_eq!(rounded(f64::from(0.1f32)), 0.1);
    }
}
