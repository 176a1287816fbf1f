//! Errors that would stop training.

use cloth::Error;

/// Errors in the order in which they occurred, each once.
#[derive(Default)]
pub(super) struct Problems(Vec<Error>);

impl Problems {
    /// The value, or none after recording the error.
    pub(super) fn or_none<T>(&mut self, result: cloth::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                // A file that is read in several ways can give the same error each time.
                if self.0.iter().all(|known| known.to_string() != error.to_string()) {
                    self.0.push(error);
                }
                None
            }
        }
    }

    pub(super) fn all(&self) -> &[Error] {
        &self.0
    }
}
