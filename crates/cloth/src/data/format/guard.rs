//! Converts panics of the parquet crate to errors.

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

/// Whether this thread is reading a file under a guard that turns panics into errors. A panic hook can check this and
/// print nothing.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// Turns a panic of `read` into an error: the parquet crate panics for some damaged files. The reader that `read` used
/// must not be used after an error.
pub(super) fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(false);
    match result {
        Ok(result) => result.map_err(|error| failed(path, error)),
        Err(_) => Err(file::damaged(path, "Parquet that cannot be read")),
    }
}
