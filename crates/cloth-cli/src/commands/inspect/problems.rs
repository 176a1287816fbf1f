//! What would stop training.

use cloth::Error;

/// In the order in which it was met.
#[derive(Default)]
pub(super) struct Problems(Vec<Error>);

impl Problems {
    /// What came out well; what did not is kept, once.
    pub(super) fn or_none<T>(&mut self, result: cloth::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                // A file that is looked at in several ways is wrong in one.
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
