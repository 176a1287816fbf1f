//! The model's view of the data: predictions, maps and distances. No target label is used.

use super::{ClassRow, Histogram, ReportOptions, ShownPlan, classes, sample, tsne};
use crate::config::Config;
use crate::data::{Features, Shape, Source};
use crate::error::Result;
use crate::eval::{Shift, proxy_a_distance};
use crate::model::{Model, Probabilities};
use crate::nets::Domain;
use crate::train::{Collapse, TrainedRows, collapse};

/// Predictions, maps and distances of source and target rows.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Distances between the domains; none if there are too few rows.
    pub shift: Option<Shifts>,
    /// Confidence of C on the target rows.
    pub target: Histogram,
    /// Confidence of C on the source's validation rows; none if there are none.
    pub source: Option<Histogram>,
    /// Share of target rows for which C and T predict the same class, 0 to 1; none if the method has no T.
    pub agreement: Option<f64>,
    /// The class that is predicted for almost all target rows, if there is one.
    pub collapse: Option<Collapse>,
    /// One entry per class, in the order of the classes.
    pub classes: Vec<ClassRow>,
    /// t-SNE maps; none if there are too few rows.
    pub map: Option<Map>,
    /// The transport plan of T; the probabilities of C if the method has no T.
    pub plan: ShownPlan,
}

/// Distances between the domains, before and after G.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shifts {
    /// Distance of the input rows, normalised by the source's statistics alone.
    pub before: Shift,
    /// Distance of the rows in the latent space.
    pub after: Shift,
}

/// Two t-SNE maps of the same rows: source rows first, then target rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// Number of source rows, which come first.
    pub n_source: usize,
    /// Row numbers within the domain, counted from 0.
    pub rows: Vec<u32>,
    /// The label of each source row, the predicted class of each target row.
    pub class_of: Vec<u32>,
    /// Confidence of C on each row, 0 to 1.
    pub confidence: Vec<f32>,
    /// Positions of the input rows, normalised by the source's statistics alone.
    pub before: Vec<[f32; 2]>,
    /// Positions of the rows in the latent space.
    pub after: Vec<[f32; 2]>,
}

/// Collects the view, or returns why these data cannot be shown.
pub(super) fn collect(
    model: &Model,
    config: &Config,
    rows: TrainedRows,
    trained_on: Option<&str>,
    options: ReportOptions,
    progress: &mut dyn FnMut(&'static str),
) -> Result<Result<View, String>> {
    let TrainedRows { source, target, normalisers: fitted, split, outputs, fingerprint } = rows;
    let about = model.about();
    let fits = *source.layout() == about.layout && *source.classes() == about.classes;
    if !fits || trained_on.is_some_and(|trained_on| trained_on != fingerprint) {
        return Ok(Err("the run's data have changed since it was trained".to_owned()));
    }
    progress("predicting");
    let n_classes = source.classes().len();
    let (c, t) = (outputs.c, outputs.t);
    let (called, sure) = c.best();
    let see_source = |source: &Source, rows: &[u32]| {
        let mut values = source.features().gather(rows);
        fitted.source.apply(&mut values);
        model.outputs_of_normalised(&values, Domain::Source)
    };
    let (_, sure_aside) = see_source(&source, &split.validation).c.best();

    // The rows of the maps, before normalisation.
    let (of_source, of_target) = sample::shares(options.points, source.len(), target.len());
    let s_rows = sample::fair(source.labels(), n_classes, of_source, config.seed, 0);
    let t_rows = sample::fair(&called, n_classes, of_target, config.seed, 1);
    let seen_source = see_source(&source, &s_rows);
    let (_, s_sure) = seen_source.c.best();
    let shape = source.layout().shape;
    let raw = [(source.features(), &s_rows), (target.features(), &t_rows)]
        .map(|(features, rows)| Features::new(features.gather(rows), shape).expect("whole rows"));
    // Centred by the source's statistics alone.
    let plain = fitted.source.clone();

    progress("measuring the shift");
    let width = outputs.width;
    let latent_of = |row: &u32| &outputs.latent[*row as usize * width..][..width];
    let z_t: Vec<f32> = t_rows.iter().flat_map(latent_of).copied().collect();
    let [z_s, z_t] =
        [seen_source.latent, z_t].map(|z| Features::new(z, Shape::Flat(width)).expect("whole rows"));
    let before = proxy_a_distance(&raw[0], &raw[1], config.seed);
    let after = proxy_a_distance(&z_s, &z_t, config.seed);

    progress("mapping rows");
    let [mut raw, raw_t] = raw;
    raw.append(&raw_t)?;
    plain.apply(raw.values_mut());
    let mut z = z_s;
    z.append(&z_t)?;
    let places = tsne::maps([
        tsne::MapRows { values: raw.into_values(), width: shape.len() },
        tsne::MapRows { values: z.into_values(), width },
    ]);
    let gather = |values: &[f32]| t_rows.iter().map(|&row| values[row as usize]).collect::<Vec<_>>();
    let map = places.map(|[before, after]| Map {
        n_source: s_rows.len(),
        class_of: s_rows
            .iter()
            .map(|&row| source.labels()[row as usize])
            .chain(t_rows.iter().map(|&row| called[row as usize]))
            .collect(),
        confidence: [s_sure, gather(&sure)].concat(),
        rows: [s_rows.as_slice(), &t_rows].concat(),
        before,
        after,
    });
    let alike = |t: &Probabilities| {
        let same = t.best().0.iter().zip(&called).filter(|(t, c)| t == c).count();
        same as f64 / called.len() as f64
    };
    let counts = source.class_counts();
    Ok(Ok(View {
        shift: before.zip(after).map(|(before, after)| Shifts { before, after }),
        target: Histogram::of(&sure).expect("a target has rows"),
        source: Histogram::of(&sure_aside),
        agreement: t.as_ref().map(alike),
        collapse: collapse(&called, &counts),
        classes: classes::of(source.classes().names(), &counts, &c),
        map,
        plan: ShownPlan::of(t.as_ref().unwrap_or(&c), &called, t.is_some()),
    }))
}
