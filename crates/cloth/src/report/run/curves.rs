//! How losses went, from `metrics.jsonl`.

use std::path::Path;

use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// More points than this are averaged: no screen shows more.
const POINTS: usize = 500;
/// The order in which losses are shown; others follow.
const ORDER: &[&str] = &["w", "l_c", "l_d", "l_gs", "l_gt", "l_t", "l_ent", "l_hmm", "homm", "l_str"];

/// One value over the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The paper's symbol, as in `metrics.jsonl`.
    pub name: String,
    /// What it is, if we know.
    pub meaning: &'static str,
    /// Iterations and values.
    pub points: Vec<(usize, f64)>,
}

/// Reads every curve of a run. A line that a crash cut short ends the reading.
pub(super) fn read(metrics: &Path) -> Result<Vec<Curve>> {
    if !metrics.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(metrics).map_err(|e| Error::io("read", metrics, e))?;
    let lines = text.lines().map_while(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
    let mut curves: Vec<Curve> = Vec::new();
    for line in lines {
        let Some(iteration) = line.get("iteration").and_then(Value::as_u64) else { break };
        for (name, value) in line.iter().filter(|(name, _)| *name != "iteration") {
            let Some(value) = value.as_f64() else { continue };
            let point = (iteration as usize, value);
            match curves.iter_mut().find(|curve| curve.name == *name) {
                Some(curve) => curve.points.push(point),
                None => {
                    let points = vec![point];
                    curves.push(Curve { name: name.clone(), meaning: meaning(name), points });
                }
            }
        }
    }
    let place = |curve: &Curve| ORDER.iter().position(|name| *name == curve.name).unwrap_or(ORDER.len());
    curves.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.name.cmp(&b.name)));
    curves.iter_mut().for_each(|curve| curve.points = thinned(&curve.points));
    Ok(curves)
}

/// Means of neighbours, where there are too many.
fn thinned(points: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let together = points.len().div_ceil(POINTS).max(1);
    let mean = |part: &[(usize, f64)]| {
        let sum: f64 = part.iter().map(|point| point.1).sum();
        (part[part.len() - 1].0, sum / part.len() as f64)
    };
    points.chunks(together).map(mean).collect()
}

fn meaning(name: &str) -> &'static str {
    match name {
        "w" => "transport cost W: what it costs to carry target rows to the source's classes",
        "l_c" => "C on labelled source rows",
        "l_d" => "D telling source classes and target apart",
        "l_gs" => "G fooling D with source rows",
        "l_gt" => "G fooling D with target rows",
        "l_t" => "transport: W, and T on source rows",
        "l_ent" => "entropy: sure on each row, spread over the classes",
        "l_hmm" => "higher-order moments, class by class",
        "homm" => "higher-order moments, all classes together",
        "l_str" => "structure: neighbours in the target are called alike",
        "source_accuracy" => "accuracy on source rows kept aside",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves(text: &str) -> Vec<Curve> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read(file.path()).unwrap()
    }

    #[test]
    fn curves_come_in_order_and_a_broken_line_ends_them() {
        let found = curves(
            "{\"iteration\":10,\"l_c\":2.0,\"w\":3.0,\"zeta\":1}\n\
             {\"iteration\":20,\"l_c\":1.0,\"w\":2.5,\"source_accuracy\":0.5}\n\
             {\"iteration\":30,\"l_c\"",
        );
        let names: Vec<&str> = found.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["w", "l_c", "source_accuracy", "zeta"]);
        assert_eq!(found[1].points, [(10, 2.0), (20, 1.0)]);
        assert_eq!(found[2].points, [(20, 0.5)]);
    }

    #[test]
    fn long_runs_are_averaged() {
        let lines =
            |n: usize| (1..=n).map(|i| format!("{{\"iteration\":{i},\"l_c\":{i}}}\n")).collect::<String>();
        let found = curves(&lines(1500));
        assert_eq!(found[0].points.len(), 500);
        assert_eq!(found[0].points[0], (3, 2.0));
        assert_eq!(curves(&lines(POINTS))[0].points.len(), POINTS);
        assert!(read(Path::new("/no/such/metrics.jsonl")).unwrap().is_empty());
    }
}
