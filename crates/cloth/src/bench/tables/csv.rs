//! CSV, for other programs: one line per cell, each with all conditions, so that lines of several benches can be
//! combined.

use ::csv::Writer;

use super::{Cell, TableFormat, tables};
use crate::bench::results::Results;

pub(super) const FORMAT: TableFormat = TableFormat { file: "table.csv", write };

/// The columns: a cell and its conditions.
const HEADER: [&str; 16] = [
    "table",
    "row",
    "from",
    "column",
    "value",
    "std",
    "n",
    "suite",
    "study",
    "preset",
    "settings",
    "features",
    "seeds",
    "selection",
    "target_labels",
    "cloth",
];

fn write(results: &Results) -> String {
    let stamp = &results.stamp;
    let study = stamp.study.as_deref().unwrap_or_default();
    let settings: Vec<&str> =
        stamp.suite_settings.iter().chain(&stamp.settings).map(String::as_str).collect();
    let settings = settings.join("; ");
    let seeds = stamp.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let selection = serde_json::to_value(stamp.selection).expect("a rule has a name");
    let selection = selection.as_str().unwrap_or_default();
    let ours =
        [&stamp.preset, &settings, &stamp.features, &seeds, selection, &stamp.target_labels, &stamp.cloth];
    // For the paper's cells only the features are known.
    let theirs = ["", "", stamp.paper_features.as_deref().unwrap_or_default(), "", "", "", ""];
    let mut out = Writer::from_writer(Vec::new());
    let mut put = |fields: &[&str]| out.write_record(fields).expect("memory takes everything");
    put(&HEADER);
    for (number, table) in tables(results).iter().enumerate() {
        let number = (number + 1).to_string();
        for row in &table.rows {
            let (from, name) = match row.paper {
                true => ("paper", row.name.strip_suffix(" (paper)").unwrap_or(&row.name)),
                false => ("cloth", row.name.as_str()),
            };
            for (column, cell) in table.header[1..].iter().zip(&row.cells) {
                let (value, std, n) = match cell {
                    Cell::Empty => continue,
                    Cell::Failed => ("failed".to_owned(), String::new(), "0".to_owned()),
                    Cell::Number(value, _) => (value.to_string(), String::new(), String::new()),
                    Cell::Spread(spread, ..) => (
                        format!("{:.6}", spread.mean),
                        spread.std.map_or(String::new(), |std| format!("{std:.6}")),
                        spread.n.to_string(),
                    ),
                };
                let cell = [&number, name, from, column, &value, &std, &n, &stamp.suite, study];
                put(&[&cell[..], if row.paper { &theirs } else { &ours }].concat());
            }
        }
    }
    String::from_utf8(out.into_inner().expect("memory takes everything")).expect("names are UTF-8")
}
