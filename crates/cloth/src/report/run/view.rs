//! What the model makes of the data: predictions, maps, distances. No label of the target takes part.

use super::{ClassRow, Histogram, ReportOptions, ShownPlan, classes, sample, tsne};
use crate::config::Config;
use crate::data::{Features, Shape, Source};
use crate::error::Result;
use crate::eval::{Shift, proxy_a_distance};
use crate::model::{Model, Probabilities};
use crate::train::{Collapse, TrainedRows, collapse};

/// The target and the source, as the model sees them.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// How far apart the domains are; none if there are too few rows to tell.
    pub shift: Option<Shifts>,
    /// How sure C is of target rows.
    pub target: Histogram,
    /// How sure C is of source rows that it was not trained on, if there are any.
    pub source: Option<Histogram>,
    /// Share of target rows that C and T call alike; none where a method has no T.
    pub agreement: Option<f64>,
    /// The class that has swallowed the target, if one has.
    pub collapse: Option<Collapse>,
    /// Each class.
    pub classes: Vec<ClassRow>,
    /// Where rows lie; none if there are too few.
    pub map: Option<Map>,
    /// The transport plan.
    pub plan: ShownPlan,
}

/// How far apart the domains are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shifts {
    /// As rows come, normalised by the source's statistics alone.
    pub before: Shift,
    /// In the latent space.
    pub after: Shift,
}

/// Two t-SNE maps of the same rows: source rows first, then target rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// How many of the rows are source rows.
    pub n_source: usize,
    /// Numbers of the rows in their domain, counted from 0.
    pub rows: Vec<u32>,
    /// The class of source rows; what target rows are called.
    pub class_of: Vec<u32>,
    /// How sure C is of each row.
    pub confidence: Vec<f32>,
    /// Rows as they come, normalised by the source's statistics alone.
    pub before: Vec<[f32; 2]>,
    /// Rows in the latent space.
    pub after: Vec<[f32; 2]>,
}

/// Collects the view, or says why these data cannot be shown.
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
        model.outputs_of_normalised(&values)
    };
    let (_, sure_aside) = see_source(&source, &split.validation).c.best();

    // The rows of the maps, as they come.
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
