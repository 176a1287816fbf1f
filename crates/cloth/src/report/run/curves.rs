//! Loss curves, from `metrics.jsonl`.

use std::path::Path;

use crate::error::Result;
use crate::method::Recipe;
use crate::train::{SHARE, read_metrics};

/// Most points of a curve; longer curves are averaged.
const POINTS: usize = 500;
/// Name of the source accuracy in `metrics.jsonl`.
const SOURCE_ACCURACY: &str = "source_accuracy";

/// One logged value over the iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Symbol of the loss, as in `metrics.jsonl`.
    pub name: String,
    /// What the value is; empty if it is unknown.
    pub meaning: String,
    /// Pairs of iteration and value, at most 500.
    pub points: Vec<(usize, f64)>,
}

/// Reads every curve of a run, in the order in which its method lists its losses.
pub(super) fn read(metrics: &Path, recipe: &dyn Recipe) -> Result<Vec<Curve>> {
    let mut curves: Vec<Curve> = Vec::new();
    for line in read_metrics(metrics)? {
        for (name, value) in line.values {
            let point = (line.iteration, value);
            match curves.iter_mut().find(|curve| curve.name == name) {
                Some(curve) => curve.points.push(point),
                None => curves.push(Curve { meaning: String::new(), points: vec![point], name }),
            }
        }
    }
    let losses = recipe.losses();
    let place = |symbol: &str| losses.iter().position(|info| info.symbol == symbol);
    // Losses come first, their shares last.
    curves.sort_by_cached_key(|curve| match curve.name.strip_prefix(SHARE) {
        None => (0, place(&curve.name).unwrap_or(losses.len()), curve.name.clone()),
        Some(symbol) => (1, place(symbol).unwrap_or(losses.len()), curve.name.clone()),
    });
    for curve in &mut curves {
        curve.meaning = match (place(&curve.name), curve.name.strip_prefix(SHARE)) {
            (Some(i), _) => losses[i].meaning.to_string(),
            (None, Some(symbol)) => format!("share of {symbol} in the gradient that moves the latent values"),
            (None, None) if curve.name == SOURCE_ACCURACY => "accuracy on source validation rows".to_owned(),
            (None, None) => String::new(),
        };
        curve.points = thinned(&curve.points);
    }
    Ok(curves)
}

/// Averages neighbouring points, so that at most [`POINTS`] remain.
fn thinned(points: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let together = points.len().div_ceil(POINTS).max(1);
    let mean = |part: &[(usize, f64)]| {
        let sum: f64 = part.iter().map(|point| point.1).sum();
        (part[part.len() - 1].0, sum / part.len() as f64)
    };
    points.chunks(together).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves(text: &str) -> Vec<Curve> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read(file.path(), &crate::method::cloth::Cloth).unwrap()
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
        assert!(read(Path::new("/no/such/metrics.jsonl"), &crate::method::cloth::Cloth).unwrap().is_empty());
    }
}
