//! The data of the charts, packed.

use serde::Serialize;

use crate::report::packed;
use crate::report::run::{Curve, Histogram, Map, RunReport, ShownPlan};

/// The data of all charts of one run.
#[derive(Serialize)]
pub(super) struct ChartData<'a> {
    classes: &'a [String],
    map: Option<MapData>,
    curves: Vec<CurveData<'a>>,
    plan: Option<PlanData>,
    confidence: Option<ConfidenceData>,
    /// Confidence, accuracy and rows of each bin.
    calibration: Option<Vec<(f64, f64, u64)>>,
    confusion: Option<&'a [Vec<u64>]>,
}

#[derive(Serialize)]
struct MapData {
    n_source: usize,
    rows: String,
    class_of: String,
    confidence: String,
    before: String,
    after: String,
}

#[derive(Serialize)]
struct CurveData<'a> {
    name: &'a str,
    at: Vec<usize>,
    values: Vec<f64>,
}

#[derive(Serialize)]
struct PlanData {
    by: &'static str,
    rows: String,
    called: String,
    shares: String,
}

/// Shares of rows, in percent.
#[derive(Serialize)]
struct ConfidenceData {
    target: Vec<f64>,
    source: Option<Vec<f64>>,
}

impl<'a> ChartData<'a> {
    pub(super) fn new(run: &'a RunReport) -> Self {
        let view = run.view.as_ref().ok();
        let score = run.evaluation.as_ref().map(|evaluation| &evaluation.score);
        Self {
            classes: &run.classes,
            map: view.and_then(|view| view.map.as_ref()).map(MapData::new),
            curves: run.curves.iter().map(CurveData::new).collect(),
            plan: view.map(|view| PlanData::new(&view.plan)),
            confidence: view.map(|view| ConfidenceData {
                target: shares(&view.target),
                source: view.source.as_ref().map(shares),
            }),
            calibration: score.map(|score| {
                let bins = score.calibration.iter();
                bins.map(|bin| (digits(bin.confidence), digits(bin.accuracy), bin.n)).collect()
            }),
            confusion: score.map(|score| score.confusion.as_slice()),
        }
    }
}

impl MapData {
    fn new(map: &Map) -> Self {
        Self {
            n_source: map.n_source,
            rows: packed::longs(map.rows.iter().copied()),
            class_of: packed::words(map.class_of.iter().map(|&class| class as u16)),
            confidence: packed::bytes(map.confidence.iter().map(|&c| packed::share(c))),
            before: packed::points(&map.before),
            after: packed::points(&map.after),
        }
    }
}

impl<'a> CurveData<'a> {
    fn new(curve: &'a Curve) -> Self {
        Self {
            name: &curve.name,
            at: curve.points.iter().map(|point| point.0).collect(),
            values: curve.points.iter().map(|point| digits(point.1)).collect(),
        }
    }
}

impl PlanData {
    fn new(plan: &ShownPlan) -> Self {
        Self {
            by: if plan.by_t { "T" } else { "C" },
            rows: packed::longs(plan.rows.iter().copied()),
            called: packed::words(plan.called.iter().map(|&class| class as u16)),
            shares: packed::bytes(plan.shares.iter().map(|&share| packed::share(share))),
        }
    }
}

fn shares(histogram: &Histogram) -> Vec<f64> {
    let rows = histogram.rows() as f64;
    histogram.counts.iter().map(|&n| digits(100.0 * n as f64 / rows)).collect()
}

/// Rounds to five significant digits: enough for a chart, and short in JSON.
fn digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            serde_json::to_string(&[digits(1.0 / 3.0), digits(1e-9 / 3.0)]).unwrap(),
            "[0.33333,3.3333e-10]"
        );
    }
}
