//! Working memory that starts on a cache line.

use std::ops::{Deref, DerefMut};

use crate::buffers;

const CACHE_LINE: usize = 64;
/// Elements of padding needed to start on a cache line.
const SLACK: usize = CACHE_LINE / size_of::<f32>();

/// A buffer of fixed length whose first element sits on a cache line, so that no SIMD load crosses one.
///
/// Only speed depends on the alignment: a `Vec` is too long by a line and its first elements are skipped, which
/// needs no unsafe code.
pub(super) struct Buffer {
    data: Vec<f32>,
    start: usize,
    len: usize,
}

impl Buffer {
    /// Takes a buffer. Its contents are those of its last use: write before you read.
    pub(super) fn take(len: usize) -> Self {
        let data = buffers::take(len + SLACK);
        let start = data.as_ptr().align_offset(CACHE_LINE).min(SLACK);
        Self { data, start, len }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        buffers::give(std::mem::take(&mut self.data));
    }
}

impl Deref for Buffer {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        &self.data[self.start..self.start + self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.data[self.start..self.start + self.len]
    }
}
