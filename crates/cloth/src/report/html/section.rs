//! The section of one run: text, tables and tiles.

use super::data::ChartData;
use super::judged::Judged;
use super::score::ScoreView;
use crate::report::run::{ClassRow, Curve, RunReport, Side, View};
use crate::words::{count, duration, percent, plural};

/// The data of the template of a run.
pub(super) struct Section<'a> {
    pub(super) n: usize,
    pub(super) heading: String,
    pub(super) run: &'a RunReport,
    pub(super) lead: String,
    pub(super) verdict: Option<Judged>,
    /// Why predictions and maps cannot be shown.
    pub(super) missing: Option<&'a str>,
    pub(super) tiles: Vec<Tile>,
    pub(super) curves: Vec<CurveView<'a>>,
    pub(super) view: Option<ViewText<'a>>,
    pub(super) score: Option<ScoreView<'a>>,
    pub(super) hashes: Vec<(&'static str, &'a str)>,
    pub(super) json: String,
}

/// A number with its name and a note.
pub(super) struct Tile {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) note: String,
}

/// A curve, and its values at the start, the quarters and the end.
pub(super) struct CurveView<'a> {
    pub(super) curve: &'a Curve,
    pub(super) at: Vec<String>,
}

/// The text of a view.
pub(super) struct ViewText<'a> {
    pub(super) view: &'a View,
    /// Rows on the map and rows in total, of each domain.
    pub(super) shown: [[String; 2]; 2],
    pub(super) classes: Vec<ClassText<'a>>,
    pub(super) confidence: Vec<(String, String, String)>,
}

/// A row of the table of classes.
pub(super) struct ClassText<'a> {
    pub(super) class: &'a ClassRow,
    /// Widths of the bars, in percent of the longest.
    pub(super) bars: [String; 2],
    pub(super) recall: Option<f64>,
    pub(super) precision: Option<f64>,
}

impl<'a> Section<'a> {
    pub(super) fn new(n: usize, run: &'a RunReport) -> Self {
        let view = run.view.as_ref().ok();
        Self {
            n,
            heading: format!("{} → {}", run.source.name, run.target.name),
            run,
            lead: lead(run),
            verdict: run.verdict().map(Judged::new),
            missing: run.view.as_ref().err().map(String::as_str),
            tiles: tiles(run),
            curves: run.curves.iter().map(CurveView::new).collect(),
            view: view.map(|view| ViewText::new(view, run)),
            score: run.evaluation.as_ref().map(|evaluation| ScoreView::new(evaluation, &run.classes)),
            hashes: hashes(run),
            json: super::script_json(&ChartData::new(run)),
        }
    }

    pub(super) fn has_labels(&self) -> bool {
        self.score.is_some()
    }
}

/// Describes the method, the data and the training.
fn lead(run: &RunReport) -> String {
    let rows = |side: &Side, kind: &str| match side.rows {
        Some((rows, shape)) => format!("{} {kind} rows of {} ({shape})", count(rows), side.name),
        None => format!("the {kind} rows of {}", side.name),
    };
    let classes = match run.classes.len() {
        0 => String::new(),
        n => format!(" in {}", plural(n, "class")),
    };
    let source = rows(&run.source, "labelled");
    let learned = match run.method.adapts {
        true => format!("{source}{classes}, and from {}", rows(&run.target, "unlabelled")),
        false => {
            format!("{source}{classes} alone; {} were not used for training", rows(&run.target, "unlabelled"))
        }
    };
    let made = match &run.summary {
        None => format!("Training has not finished its {}", plural(run.iterations, "iteration")),
        Some(s) => {
            let time = match s.resumed_after {
                0 => format!("in {}", duration(s.seconds)),
                done => format!("the last {} of them in {}", count(s.iterations - done), duration(s.seconds)),
            };
            let kept = match s.selected_iteration == s.iterations {
                true => String::new(),
                false => format!("; the weights of iteration {} were kept", count(s.selected_iteration)),
            };
            format!("It made {} {time}{kept}", plural(s.iterations, "iteration"))
        }
    };
    format!("The method {} learned from {learned}. {made}.", run.method.name)
}

fn tiles(run: &RunReport) -> Vec<Tile> {
    let mut tiles = Vec::new();
    let mut add = |name, value, note: String| tiles.push(Tile { name, value, note });
    if let Some(evaluation) = &run.evaluation {
        let score = &evaluation.score;
        let note = format!("on {} labelled rows, read after training", count(score.n));
        add("Accuracy", percent(score.accuracy), note);
    }
    let assessment = run.summary.as_ref().and_then(|summary| summary.assessment.as_ref());
    if let Some(assessment) = assessment {
        let [low, high] = assessment.estimate.interval;
        let note = format!("estimated without labels: {} to {}", percent(low), percent(high));
        add("Accuracy on the target", percent(assessment.estimate.accuracy), note);
        let note = format!("estimated; disagrees on {} of the rows", percent(assessment.disagreement));
        add("Plain training", percent(assessment.plain.accuracy), note);
        let note = format!("the most frequent class of the source, “{}”", assessment.majority.0);
        add("One class for all", percent(assessment.majority.1), note);
    }
    if let Ok(view) = &run.view {
        let note = match &view.source {
            Some(source) => format!("{} on source validation rows", percent(source.mean)),
            None => "mean over the target rows".to_owned(),
        };
        if assessment.is_none() {
            add("Confidence on the target", percent(view.target.mean), note);
        }
        if let Some(shift) = view.shift {
            let note = format!("{:.2} in the input; 0 alike, 2 separable", shift.before.proxy_a_distance);
            add("Distance between the domains", format!("{:.2}", shift.after.proxy_a_distance), note);
        }
    }
    if let Some(accuracy) = run.summary.as_ref().and_then(|summary| summary.source_accuracy) {
        add("Source accuracy", percent(accuracy), "on source validation rows".to_owned());
    }
    tiles
}

fn hashes(run: &RunReport) -> Vec<(&'static str, &str)> {
    [
        ("model.safetensors, SHA-256", run.model_sha256.as_deref()),
        ("source file, SHA-256", run.source.sha256.as_deref()),
        ("target file, SHA-256", run.target.sha256.as_deref()),
        ("data and configuration, SHA-256", run.summary.as_ref().map(|s| s.fingerprint.as_str())),
    ]
    .into_iter()
    .filter_map(|(name, hash)| Some((name, hash?)))
    .collect()
}

impl<'a> CurveView<'a> {
    /// The curve with its values at the start, the quarters and the end.
    fn new(curve: &'a Curve) -> Self {
        let last = curve.points.len() - 1;
        let at = (0..=4).map(|quarter| short(curve.points[last * quarter / 4].1)).collect();
        Self { curve, at }
    }

    pub(super) fn last(&self) -> &str {
        self.at.last().map_or("", String::as_str)
    }
}

/// About three significant digits.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-3..1e5).contains(&size) => format!("{value:.1e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

impl<'a> ViewText<'a> {
    fn new(view: &'a View, run: &'a RunReport) -> Self {
        let longest = view.classes.iter().flat_map(|c| [c.source_share, c.target_share]).fold(0.0, f64::max);
        let scored = run.evaluation.as_ref().map(|evaluation| evaluation.score.per_class.as_slice());
        let classes = view.classes.iter().enumerate().map(|(i, class)| {
            let scored = scored.and_then(|scored| scored.get(i));
            ClassText {
                class,
                bars: [class.source_share, class.target_share]
                    .map(|share| format!("{:.1}%", 100.0 * share / longest)),
                recall: scored.and_then(|class| class.recall),
                precision: scored.and_then(|class| class.precision),
            }
        });
        let all = [&run.source, &run.target].map(|side| side.rows.map_or(0, |rows| rows.0));
        let on_map = view.map.as_ref().map_or([0, 0], |map| [map.n_source, map.rows.len() - map.n_source]);
        Self {
            view,
            shown: [0, 1].map(|side| [count(on_map[side]), count(all[side])]),
            classes: classes.collect(),
            confidence: confidence(view),
        }
    }

    pub(super) fn confidence_mean(&self) -> String {
        percent(self.view.target.mean)
    }

    pub(super) fn agreement(&self) -> Option<String> {
        self.view.agreement.map(percent)
    }

    pub(super) fn has_map(&self) -> bool {
        self.view.map.is_some()
    }

    /// The distances before and after; none if there are too few rows.
    pub(super) fn distances(&self) -> Option<[Distance; 2]> {
        let shift = self.view.shift?;
        Some([shift.before, shift.after].map(|shift| Distance {
            value: format!("{:.2}", shift.proxy_a_distance),
            at: format!("{:.1}%", 50.0 * shift.proxy_a_distance),
            told_apart: percent(1.0 - shift.domain_error),
            meaning: shift.meaning(),
        }))
    }
}

/// A distance between the domains, as text.
pub(super) struct Distance {
    pub(super) value: String,
    /// Position between 0 and 2, in percent.
    pub(super) at: String,
    /// Share of rows whose domain a linear classifier recognises.
    pub(super) told_apart: String,
    pub(super) meaning: &'static str,
}

/// Five ranges of confidence with their shares of target and source rows; the chart has narrower ranges.
fn confidence(view: &View) -> Vec<(String, String, String)> {
    let bins = crate::report::run::BINS / 5;
    (0..5)
        .map(|range| {
            let share = |histogram: &crate::report::run::Histogram| {
                let rows: usize = histogram.counts[range * bins..(range + 1) * bins].iter().sum();
                percent(rows as f64 / histogram.rows() as f64)
            };
            let name = format!("{} to {} %", 20 * range, 20 * (range + 1));
            (name, share(&view.target), view.source.as_ref().map_or("–".to_owned(), share))
        })
        .collect()
}

impl ClassText<'_> {
    pub(super) fn source_share(&self) -> String {
        percent(self.class.source_share)
    }

    pub(super) fn target_share(&self) -> String {
        percent(self.class.target_share)
    }

    pub(super) fn confidence(&self) -> String {
        shown(self.class.confidence)
    }

    pub(super) fn recall(&self) -> String {
        shown(self.recall)
    }

    pub(super) fn precision(&self) -> String {
        shown(self.precision)
    }

    pub(super) fn source_rows(&self) -> String {
        count(self.class.source_rows)
    }

    pub(super) fn called(&self) -> String {
        count(self.class.called)
    }
}

fn shown(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_short() {
        assert_eq!([0.0, 0.12345, 1.2345, 12.345, 1234.5].map(short), ["0", "0.123", "1.23", "12.3", "1234"]);
        assert_eq!([-0.5, 1e-6, 1e9].map(short), ["-0.500", "1.0e-6", "1.0e9"]);
    }
}
