//! Panics of the crate that reads Parquet, as errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::errors::ParquetError;

use super::file;
use super::parquet::failed;
use crate::error::Result;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is reading a file whose damage may show as a panic, which is caught and becomes an error. A panic
/// hook can ask, and keep quiet.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// Makes an error of a panic: the parquet crate still has some for damaged files. What `read` was reading from must
/// not be used afterwards.
pub(super) fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(false);
    match result {
        Ok(result) => result.map_err(|error| failed(path, error)),
        Err(_) => Err(file::damaged(path, "Parquet that cannot be read")),
    }
}
