//! Messages on stderr: progress, notes, warnings and errors.
//!
//! On a terminal, progress is a bar that disappears when the work is done; otherwise it is an occasional line for a
//! log. Failures to write to stderr are ignored, because a closed stderr must not stop the work.

use std::cell::Cell;
use std::io::Write;
use std::iter;
use std::time::{Duration, Instant};

use cloth::Event;
use console::{Term, style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::flags::{translate, translate_message};
use crate::text::{count, duration, percent};

/// Time between two updates of a bar.
const REDRAW: Duration = Duration::from_millis(100);
/// Time between two lines in a log.
pub(crate) const LOG: Duration = Duration::from_secs(10);
/// Work that takes less than this shows no progress.
const PATIENCE: Duration = Duration::from_secs(2);

/// Writes to stderr; `quiet` suppresses all but warnings and errors.
#[derive(Debug)]
pub(crate) struct Console {
    term: Term,
    quiet: bool,
    /// Number of lines of the last drawing, which the next one replaces.
    drawn: Cell<usize>,
    /// Start of the work that `patience` describes.
    waiting: Cell<Option<Instant>>,
}

impl Console {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { term: Term::stderr(), quiet, drawn: Cell::new(0), waiting: Cell::new(None) }
    }

    /// Whether drawings are shown.
    pub(crate) fn is_live(&self) -> bool {
        self.term.is_term() && !self.quiet
    }

    /// Lines and columns of the terminal.
    pub(crate) fn size(&self) -> (usize, usize) {
        let (lines, columns) = self.term.size();
        (lines.into(), columns.into())
    }

    /// Replaces the last drawing by these lines; no lines remove it.
    pub(crate) fn draw(&self, lines: &[String]) {
        if !self.is_live() {
            return;
        }
        // Buffered, to avoid flicker; and cleared line by line, because some terminals keep a screen that is cleared as
        // a whole in their history.
        let term = Term::buffered_stderr();
        let before = self.drawn.replace(lines.len());
        let left_over = before.saturating_sub(lines.len());
        let mut drawn = term.move_cursor_up(before);
        for line in lines.iter().map(String::as_str).chain(iter::repeat_n("", left_over)) {
            drawn = drawn.and_then(|()| term.clear_line()).and_then(|()| term.write_line(line));
        }
        let _ = drawn.and_then(|()| term.move_cursor_up(left_over)).and_then(|()| term.flush());
    }

    /// Prints a line of progress, unless quiet.
    pub(crate) fn line(&self, text: &str) {
        if !self.quiet {
            self.say(text);
        }
    }

    /// Removes the drawing and prints a warning.
    pub(crate) fn warn_above(&self, text: &str) {
        self.draw(&[]);
        self.warn(text);
    }

    /// Shows what is being done, once it has taken longer than [`PATIENCE`].
    pub(crate) fn patience(&self, text: &str) {
        let since = self.waiting.get().unwrap_or_else(Instant::now);
        self.waiting.set(Some(since));
        if since.elapsed() < PATIENCE {
            return;
        }
        match self.is_live() {
            true => self.draw(&[text.to_owned()]),
            false => self.line(text),
        }
    }

    /// Ends the work that `patience` describes.
    pub(crate) fn patient(&self) {
        self.waiting.set(None);
        self.draw(&[]);
    }

    fn say(&self, line: &str) {
        let _ = writeln!(&self.term, "{line}");
    }

    /// Prints a note, unless quiet.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.say(&format!("{} {}", style("note:").for_stderr().bold(), translate(text)));
        }
    }

    /// Prints a warning, even if quiet.
    pub(crate) fn warn(&self, text: &str) {
        self.say(&warning(text));
    }

    /// Prints an error with its causes and help.
    pub(crate) fn error(&self, error: &anyhow::Error) {
        let message = translate_message(&error.to_string());
        self.say(&format!("{} {message}", style("error:").for_stderr().red().bold()));
        for cause in error.chain().skip(1) {
            self.say(&format!("  cause: {}", translate_message(&cause.to_string())));
        }
        if let Some(help) = error.chain().find_map(|e| e.downcast_ref::<cloth::Error>()?.help()) {
            self.say(&format!("  {} {}", style("help:").for_stderr().bold(), translate(help)));
        }
    }

    /// Shows the progress of a training run whose first `done` iterations were made earlier.
    pub(crate) fn training(&self, name: &str, done: usize) -> TrainingProgress<'_> {
        TrainingProgress {
            line: Line::new(self, name.to_owned(), Duration::ZERO),
            first: done,
            started: Instant::now(),
            accuracy: None,
        }
    }

    /// Shows the progress of work in named stages.
    pub(crate) fn stages(&self, name: &str, stages: usize) -> StagesProgress<'_> {
        StagesProgress { line: Line::new(self, name.to_owned(), PATIENCE), stages, done: 0 }
    }

    /// Shows the progress of work on rows, chunk by chunk.
    pub(crate) fn rows(&self, name: &str, rows: Option<usize>) -> RowsProgress<'_> {
        RowsProgress {
            line: Line::new(self, name.to_owned(), PATIENCE),
            rows,
            done: 0,
            started: Instant::now(),
        }
    }
}

/// Time left in words, without tenths of a second, which would only flicker.
pub(crate) fn left_text(seconds: f64) -> String {
    match seconds {
        ..10.0 => format!("{seconds:.0} s left"),
        seconds => format!("{} left", duration(seconds)),
    }
}

fn warning(text: &str) -> String {
    format!("{} {}", style("warning:").for_stderr().yellow().bold(), translate(text))
}

/// Progress as a bar, as lines in a log, or not at all.
struct Line<'a> {
    console: &'a Console,
    name: String,
    bar: Option<ProgressBar>,
    next: Instant,
}

impl<'a> Line<'a> {
    fn new(console: &'a Console, name: String, patience: Duration) -> Self {
        let wait = if console.term.is_term() { patience } else { LOG };
        Self { console, name, bar: None, next: Instant::now() + wait }
    }

    fn columns(&self) -> usize {
        self.console.term.size().1.into()
    }

    /// Whether the next update is due.
    fn due(&self) -> bool {
        !self.console.quiet && Instant::now() >= self.next
    }

    /// Shows `done` of `of`, and as many of `details` as fit.
    fn show(&mut self, done: usize, of: Option<usize>, details: &[String]) {
        let position = match of {
            Some(of) => format!("{:>width$}/{}", count(done), count(of), width = count(of).len()),
            None => count(done),
        };
        if !self.console.term.is_term() {
            self.next = Instant::now() + LOG;
            self.console.say(&format!("{} {position}  {}", self.name, details.join("  ")));
            return;
        }
        self.next = Instant::now() + REDRAW;
        let columns = self.columns();
        let width = if columns < 80 { 10 } else { 24 };
        let bar = self.bar.get_or_insert_with(|| {
            let template = match of {
                Some(_) => format!("{{prefix}} {{bar:{width}}} {{msg}}"),
                None => "{prefix} {msg}".to_owned(),
            };
            let style =
                ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::with_draw_target(of.map(|of| of as u64), ProgressDrawTarget::stderr());
            bar.with_style(style.progress_chars("━╸ ")).with_prefix(self.name.clone())
        });
        let mut message = position;
        let mut room =
            columns.saturating_sub(self.name.chars().count() + width + 3 + message.chars().count());
        for detail in details {
            let Some(left) = room.checked_sub(detail.chars().count() + 2) else { break };
            room = left;
            message.push_str("  ");
            message.push_str(detail);
        }
        bar.set_message(message);
        bar.set_position(done as u64);
    }

    fn warn(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(warning(text)),
            None => self.console.warn(text),
        }
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Progress of training: iterations, losses, rate and time left.
pub(crate) struct TrainingProgress<'a> {
    line: Line<'a>,
    first: usize,
    started: Instant,
    accuracy: Option<f64>,
}

impl TrainingProgress<'_> {
    pub(crate) fn see(&mut self, event: &Event) {
        match event {
            Event::Warning(text) => self.line.warn(text),
            Event::Evaluated { source_accuracy, .. } => self.accuracy = *source_accuracy,
            Event::Iteration { iteration, iterations, losses } if self.line.due() => {
                let rate = (iteration - self.first) as f64 / self.started.elapsed().as_secs_f64();
                let left = (iterations - iteration) as f64 / rate;
                let rate = if rate < 10.0 { format!("{rate:.1} it/s") } else { format!("{rate:.0} it/s") };
                let mut details = vec![rate, left_text(left)];
                details.extend(self.accuracy.map(|accuracy| format!("source {}", percent(accuracy))));
                details.extend(losses.iter().map(|(name, value)| format!("{name} {value:.3}")));
                self.line.show(*iteration, Some(*iterations), &details);
            }
            _ => {}
        }
    }
}

/// Progress over rows: how many so far, rate and time left.
pub(crate) struct RowsProgress<'a> {
    line: Line<'a>,
    rows: Option<usize>,
    done: usize,
    started: Instant,
}

impl RowsProgress<'_> {
    pub(crate) fn add(&mut self, rows: usize) {
        self.done += rows;
        if self.line.due() {
            let rate = self.done as f64 / self.started.elapsed().as_secs_f64();
            let mut details = vec![format!("{} rows/s", count(rate as u64))];
            let left = self.rows.map(|rows| rows.saturating_sub(self.done) as f64 / rate);
            details.extend(left.map(left_text));
            self.line.show(self.done, self.rows, &details);
        }
    }
}

/// Progress over stages, with the name of the current one.
pub(crate) struct StagesProgress<'a> {
    line: Line<'a>,
    stages: usize,
    done: usize,
}

impl StagesProgress<'_> {
    pub(crate) fn begin(&mut self, stage: &str) {
        self.done += 1;
        if self.line.due() {
            self.line.show(self.done, Some(self.stages), &[stage.to_owned()]);
        }
    }
}
