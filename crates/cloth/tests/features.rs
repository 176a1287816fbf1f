//! What the core does without: the crates of the features that are left out.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::process::Command;

/// Crates that read, write and show things.
const NOT_IN_THE_CORE: &[&str] =
    &["arrow-array", "arrow-schema", "askama", "base64", "bhtsne", "csv", "image", "parquet", "zip", "zstd"];

fn dependencies(features: &[&str]) -> BTreeSet<String> {
    let tree = ["tree", "-p", "cloth", "-e", "normal", "--prefix", "none", "--format", "{lib}", "--locked"];
    let ran = Command::new(env!("CARGO")).args(tree).args(features).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = String::from_utf8(ran.stdout).unwrap();
    text.lines().map(|line| line.trim().replace('_', "-")).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_core_is_built_without_files_images_reports_and_benches() {
    let (core, all) = (dependencies(&["--no-default-features"]), dependencies(&[]));
    assert!(core.contains("burn-core") && core.contains("safetensors"), "{core:?}");
    for name in NOT_IN_THE_CORE {
        assert!(all.contains(*name), "{name} is in no build");
        assert!(!core.contains(*name), "{name} is in the core");
    }
    assert!(core.len() + 50 < all.len(), "{} crates of {}", core.len(), all.len());
}
