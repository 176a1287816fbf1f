//! Code shared by the fuzz targets. Each target feeds arbitrary bytes to one parser, which must return a result or an
//! error: no panic, no endless loop, no more memory than the size of the file explains.

use std::fs;
use std::panic;
use std::path::Path;
use std::sync::{LazyLock, Once};

use cloth::data::{ImageFit, ReadOptions, Source, inspect, is_guarded, open};
use tempfile::TempDir;

/// Lets readers catch the panics they expect; libFuzzer would stop at the panic itself.
pub fn allow_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let stop = panic::take_hook();
        panic::set_hook(Box::new(move |info| if !is_guarded() { stop(info) }));
    });
}

static SCRATCH: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a directory for scratch files"));

/// Writes a file of this name with these bytes, and calls `then` with its path.
pub fn with_file<T>(name: &str, bytes: &[u8], then: impl FnOnce(&Path) -> T) -> T {
    let path = SCRATCH.path().join(name);
    let parent = path.parent().expect("a name is below the scratch directory");
    fs::create_dir_all(parent).expect("scratch directories can be made");
    fs::write(&path, bytes).expect("scratch files can be written");
    then(&path)
}

/// Reads a file of rows in three ways: its header, its features, and its features with labels.
pub fn read_rows(path: &Path) {
    for label in [None, Some("y".to_owned())] {
        let mut options = ReadOptions::default();
        options.label = label;
        let _ = inspect(path, &options);
        if let Ok(mut reader) = open(path, &options) {
            while let Ok(Some(chunk)) = reader.next_chunk(7) {
                assert!((1..=7).contains(&chunk.features.rows()), "{} rows in a chunk", chunk.features.rows());
            }
        }
        let _ = Source::load(path, &options);
    }
    let fitted = ReadOptions::default().with_image(ImageFit { size: 8, channels: 3 });
    let _ = Source::load(path, &fitted);
}
