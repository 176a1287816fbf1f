//! An inspection as text and as JSON.

use std::fmt::Write;

use cloth::Error;
use cloth::eval::Shift;
use serde_json::{Value, json};

use super::outline::TrainingOutline;
use super::side::Side;
use super::{Inspection, LISTED};
use crate::flags::translate;
use crate::text::{count, percent, plural, with_causes};

impl Inspection {
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", self.source.text("Source"));
        if !self.classes.is_empty() {
            let _ = writeln!(text, "  classes  {}", self.classes_text());
        }
        if let Some(target) = &self.target {
            let _ = write!(text, "\n{}", target.text("Target"));
        }
        if let Some(shift) = self.shift {
            let Shift { proxy_a_distance: distance, domain_error: error } = shift;
            let _ = writeln!(text, "\nShift: proxy A-distance {distance:.2}, on a scale from 0 to 2");
            let _ = writeln!(text, "  {}", shift.meaning());
            let _ = writeln!(
                text,
                "  (a linear classifier predicts the domain of {} of rows correctly)",
                percent(1.0 - error)
            );
        }
        if let Some(outline) = &self.outline {
            let _ = write!(text, "\n{}", outline.text());
        }
        for (title, lines) in
            [("Remarks", self.remark_lines()), ("Would stop `cloth train`", self.problem_lines())]
        {
            if !lines.is_empty() {
                let _ = writeln!(text, "\n{title}:");
                lines.iter().for_each(|line| text += &format!("  - {line}\n"));
            }
        }
        text
    }

    fn remark_lines(&self) -> Vec<String> {
        self.remarks.iter().map(|remark| translate(remark)).collect()
    }

    fn problem_lines(&self) -> Vec<String> {
        let line = |problem: &Error| match problem.help() {
            Some(help) => format!("{}\n    help: {}", with_causes(problem), translate(help)),
            None => with_causes(problem),
        };
        self.problems.all().iter().map(line).collect()
    }

    fn classes_text(&self) -> String {
        let mut by_size: Vec<&(String, usize)> = self.classes.iter().collect();
        by_size.sort_by_key(|(_, n)| *n);
        match by_size.as_slice() {
            [least, .., most] if by_size.len() > LISTED => format!(
                "{}, from \"{}\" with {} to \"{}\" with {}",
                count(self.classes.len()),
                least.0,
                plural(least.1, "row"),
                most.0,
                count(most.1),
            ),
            _ => {
                let each: Vec<String> =
                    self.classes.iter().map(|(name, n)| format!("{name}: {}", count(*n))).collect();
                format!("{} ({})", self.classes.len(), each.join(", "))
            }
        }
    }

    pub(super) fn json(&self) -> Value {
        let classes = self.classes.iter().map(|(name, n)| json!({ "class": name, "n": n }));
        let problems = self
            .problems
            .all()
            .iter()
            .map(|p| json!({ "problem": with_causes(p), "help": p.help().map(translate) }));
        json!({
            "source": self.source.json(),
            "target": self.target.as_ref().map(Side::json),
            "classes": classes.collect::<Vec<_>>(),
            "shift": self.shift,
            "train": self.outline.as_ref().map(TrainingOutline::json),
            "remarks": self.remark_lines(),
            "problems": problems.collect::<Vec<_>>(),
        })
    }
}
