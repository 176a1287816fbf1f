//! Renders a report as HTML. This module only formats text, tables and the data of charts; the contents come from
//! [`super::run`] and [`super::bench`].
//!
//! Untrusted text, such as the names of classes, is escaped by the templates in HTML and by [`script_json`] in scripts;
//! scripts put it on the page as text, never as HTML.

mod bench;
mod compare;
mod data;
mod judged;
mod score;
mod section;

use askama::Template;

use self::bench::BenchSection;
use self::compare::Compare;
use self::section::Section;
use super::Report;
use crate::words::plural;

/// Styles and scripts, in the order in which they are embedded.
const STYLE: &str = include_str!("../assets/report.css");
const CHARTS: &str = include_str!("../assets/echarts/echarts.min.js");
const SCRIPTS: &[&str] = &[
    include_str!("../assets/base.js"),
    include_str!("../assets/map.js"),
    include_str!("../assets/curves.js"),
    include_str!("../assets/heat.js"),
    include_str!("../assets/bars.js"),
    include_str!("../assets/bench.js"),
    include_str!("../assets/table.js"),
];

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: String,
    style: &'static str,
    charts: &'static str,
    scripts: &'static [&'static str],
    benches: Vec<BenchSection<'a>>,
    compare: Option<Compare>,
    sections: Vec<Section<'a>>,
}

pub(super) fn render(report: &Report) -> String {
    let sections: Vec<Section<'_>> =
        report.runs.iter().enumerate().map(|(i, run)| Section::new(i + 1, run)).collect();
    let benches: Vec<BenchSection<'_>> =
        report.benches.iter().enumerate().map(|(i, bench)| BenchSection::new(i + 1, bench)).collect();
    let title = match (benches.as_slice(), sections.as_slice()) {
        ([], [only]) => only.heading.clone(),
        ([], several) => plural(several.len(), "run"),
        ([only], []) => only.heading.clone(),
        (several, []) => plural(several.len(), "bench"),
        (_, _) => format!("{} and {}", plural(benches.len(), "bench"), plural(sections.len(), "run")),
    };
    let compare = (sections.len() > 1).then(|| Compare::new(&report.runs));
    let page = Page { title, style: STYLE, charts: CHARTS, scripts: SCRIPTS, benches, compare, sections };
    page.render().expect("writing to a string cannot fail")
}

/// JSON that can stand inside a `<script>`: nothing in it ends the script or begins another.
fn script_json(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_string(value).expect("reports are plain data");
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // In JSON these characters occur in strings only, where they may be escaped.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => safe += &format!("\\u{:04x}", c as u32),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests;
