//! Settings left to the data (`auto`, 0, an empty list), replaced by the values that training uses.
//!
//! A run keeps the resolved configuration, so that it resumes with the same network even if the defaults change.

use crate::config::{Centre, Config, NetworkKind, Normalise};
use crate::data::normalise::DomainNormalisers;
use crate::method::Recipe;
use crate::nets::{GeneratorKind, GeneratorSpec};

/// The configuration with every setting as training uses it. Resolving it again changes nothing.
pub(super) fn resolve(
    mut config: Config,
    recipe: &dyn Recipe,
    normalisers: &DomainNormalisers,
    generator: &GeneratorSpec,
    batch_size: usize,
    class_counts: &[usize],
) -> Config {
    config.data.normalise = match normalisers.source.kind {
        Normalise::Direction if normalisers.source.log1p => Normalise::Counts,
        kind => kind,
    };
    if config.data.centre == Centre::Auto {
        config.data.centre = if recipe.adapts() { Centre::Domain } else { Centre::Source };
    }
    config.generator.kind = match generator.kind {
        GeneratorKind::Mlp => NetworkKind::Mlp,
        GeneratorKind::Lenet => NetworkKind::Lenet,
    };
    config.generator.hidden.clone_from(&generator.hidden);
    config.train.batch_size = batch_size;
    config.train.batches = config.train.batches.resolve(class_counts);
    config
}
