//! Formats numbers and words, for the terminal and for reports.

use std::fmt::Display;

/// `1797` as `1,797`.
pub fn count(n: impl TryInto<u64>) -> String {
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
pub fn plural(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{} {noun}{}", count(n), if noun.ends_with(['s', 'h']) { "es" } else { "s" }),
    }
}

/// Quotes a word for a shell if needed: `'two words'`.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Joins the words of several lines into one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `0.9376` as `93.8 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// `41 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// The first names of a list, and the total if there are more.
pub fn some<T: Display>(all: &[T], shown: usize) -> String {
    let names: Vec<String> = all.iter().take(shown).map(T::to_string).collect();
    match all.len() {
        n if n <= shown => names.join(", "),
        n => format!("{}, … ({} in all)", names.join(", "), count(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(["0", "999", "1,000", "1,234,567"], [0u64, 999, 1000, 1_234_567].map(count));
        assert_eq!(
            (plural(1, "class"), plural(2, "class"), plural(2, "bench"), plural(2000, "row")),
            ("1 class".into(), "2 classes".into(), "2 benches".into(), "2,000 rows".into())
        );
        assert_eq!(percent(0.93755), "93.8 %");
        assert_eq!([0.44, 41.2, 200.0, 7500.0].map(duration), ["0.4 s", "41 s", "3 min 20 s", "2 h 5 min"]);
        assert_eq!(some(&["a", "b", "c"], 2), "a, b, … (3 in all)");
    }
}
