//! The fingerprint of a run.

use crate::config::Config;
use crate::data::{Features, Source};
use crate::hash::Hash;

/// SHA-256 of everything that a run depends on: its resolved configuration, its method's revision, the names of classes
/// and columns, and the rows before normalisation. It keeps checkpoints and data of another run from being used.
pub(crate) fn fingerprint(config: &Config, revision: u32, source: &Source, target: &Features) -> String {
    let mut hash = Hash::new();
    hash.text(&config.fingerprint_text());
    hash.word(u64::from(revision));
    for names in [source.classes().names(), source.layout().columns.as_deref().unwrap_or_default()] {
        hash.word(names.len() as u64);
        names.iter().for_each(|name| hash.text(name));
    }
    hash.floats(source.features().values());
    hash.word(source.labels().len() as u64);
    source.labels().iter().for_each(|&y| hash.bytes(&y.to_le_bytes()));
    hash.floats(target.values());
    hash.digits()
}
