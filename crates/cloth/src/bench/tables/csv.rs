//! CSV, for other programs: a line for each cell.

use ::csv::Writer;

use super::{Cell, Format, tables};
use crate::bench::results::Results;

pub(super) const FORMAT: Format = Format { file: "table.csv", write };

fn write(results: &Results) -> String {
    let mut out = Writer::from_writer(Vec::new());
    let mut put = |fields: [&str; 7]| out.write_record(fields).expect("memory takes everything");
    put(["table", "row", "from", "column", "value", "std", "n"]);
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
                put([&number, name, from, column, &value, &std, &n]);
            }
        }
    }
    String::from_utf8(out.into_inner().expect("memory takes everything")).expect("names are UTF-8")
}
