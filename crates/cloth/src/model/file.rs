//! Named tensors in a file, with a description of them: the format of models and checkpoints.

use std::collections::HashMap;
use std::path::Path;

use safetensors::{Dtype, SafeTensors, View};
use serde::{Deserialize, Serialize};

use crate::atomic::write_atomic;
use crate::error::{Error, Problem, Result};
use crate::nets::Weights;

/// Version of the file format that is written, and the newest that can be read.
pub(super) const VERSION: u32 = 1;

struct Numbers<'a>(&'a [usize], Vec<u8>);

impl View for &Numbers<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        self.0
    }

    fn data(&self) -> std::borrow::Cow<'_, [u8]> {
        (&self.1).into()
    }

    fn data_len(&self) -> usize {
        self.1.len()
    }
}

/// Writes named tensors with a description under one metadata key: the order of several keys would not be fixed.
pub(crate) fn write_tensors(path: &Path, weights: &Weights, key: &str, about: &impl Serialize) -> Result<()> {
    let tensors: Vec<(&String, Numbers<'_>)> = weights
        .iter()
        .map(|(name, (shape, values))| {
            (name, Numbers(shape, values.iter().flat_map(|v| v.to_le_bytes()).collect()))
        })
        .collect();
    let about = serde_json::to_string(about).expect("descriptions are plain data");
    let metadata = HashMap::from([(key.to_string(), about)]);
    let bytes = safetensors::serialize(tensors.iter().map(|(n, t)| (n, t)), Some(metadata))
        .expect("shapes and values agree");
    write_atomic(path, &bytes)
}

/// Reads named tensors and their description.
pub(crate) fn read_tensors<A: for<'de> Deserialize<'de>>(
    path: &Path,
    key: &str,
    wanted: &str,
) -> Result<(Weights, A)> {
    let bytes = std::fs::read(path).map_err(|e| Error::io("read", path, e))?;
    let not_ours = |found: String| Problem::in_file(path).found(found).wanted(wanted);
    let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|e| {
        not_ours(format!("no whole safetensors header ({e})"))
            .help("it is another kind of file, or truncated")
    })?;
    let about = header.metadata().as_ref().and_then(|m| m.get(key));
    let about = about.ok_or_else(|| not_ours("safetensors that were not written by cloth".into()))?;
    check_version(path, about)?;
    let about: A = serde_json::from_str(about)
        .map_err(|e| not_ours(format!("a description that does not parse ({e})")))?;
    let tensors = SafeTensors::deserialize(&bytes).map_err(|e| not_ours(format!("damaged tensors ({e})")))?;
    let mut weights = Weights::new();
    for (name, view) in tensors.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(not_ours(format!("`{name}` of type {:?}", view.dtype())).into());
        }
        let values =
            view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        weights.insert(name, (view.shape().to_vec(), values));
    }
    Ok((weights, about))
}

fn check_version(path: &Path, about: &str) -> Result<()> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    match serde_json::from_str::<Version>(about) {
        Ok(Version { version }) if version > VERSION => Err(Problem::in_file(path)
            .found(format!("file version {version}"))
            .wanted(format!("at most {VERSION}, the newest that cloth {} reads", env!("CARGO_PKG_VERSION")))
            .help("the file comes from a newer cloth: update this one")
            .into()),
        _ => Ok(()),
    }
}
