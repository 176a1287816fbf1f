//! Hashes of configuration and data, which tell whether a run has been made.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::hash::Hash;

/// Hash of a configuration, without its seed, and of the revision of its method. A change of a method's results must
/// raise its revision, so that old records are not used for new runs.
pub(super) fn config_hash(config: &Config, revision: u32) -> String {
    let mut hash = Hash::new();
    hash.word(u64::from(revision));
    let any_seed = Config { seed: 0, ..config.clone() };
    hash.text(&any_seed.fingerprint_text());
    hash.digits()
}

/// Hash of the contents of a file, or of the names and contents of all files in a directory.
pub(super) fn file_hash(path: &Path) -> Result<String> {
    let mut hash = Hash::new();
    feed(path, &mut hash)?;
    Ok(hash.digits())
}

fn feed(path: &Path, hash: &mut Hash) -> Result<()> {
    let failed = |error| Error::io("read", path, error);
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(failed)?;
        let mut names: Vec<_> = entries
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        names.sort();
        for name in names {
            hash.text(&name.to_string_lossy());
            feed(&path.join(name), hash)?;
        }
        return Ok(());
    }
    let mut file = File::open(path).map_err(failed)?;
    hash.word(file.metadata().map_err(failed)?.len());
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(()),
            n => hash.bytes(&buffer[..n]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_and_the_pauses_between_checkpoints_do_not_make_another_configuration() {
        let config = crate::Methods::builtin().config("cloth").unwrap();
        let mut other = Config { seed: 7, ..config.clone() };
        other.train.checkpoint_seconds = 0.0;
        assert_eq!(config_hash(&config, 1), config_hash(&other, 1));
        assert_ne!(config_hash(&config, 1), config_hash(&config, 2));
        other.train.iterations += 1;
        assert_ne!(config_hash(&config, 1), config_hash(&other, 1));
    }

    #[test]
    fn a_byte_or_a_name_makes_other_data() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a");
        let mut hashes = Vec::new();
        for content in [&b"abcdefgh1"[..], b"abcdefgh2", b"abcdefgh1\0", b""] {
            std::fs::write(&path, content).unwrap();
            hashes.push(file_hash(&path).unwrap());
            hashes.push(file_hash(home.path()).unwrap());
        }
        std::fs::rename(&path, home.path().join("b")).unwrap();
        hashes.push(file_hash(home.path()).unwrap());
        let n = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), n);
        assert!(file_hash(&path).is_err());
    }
}
