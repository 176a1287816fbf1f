//! Working memory that starts on a cache line and is used again.
//!
//! A training step takes and frees the same buffers over and over. Left to the allocator they may go back to
//! the system each time, and every page must be mapped anew: that took up to a fifth of a step's time, or
//! nothing, as the allocator's thresholds fell. So freed buffers are kept here, up to a limit.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

const CACHE_LINE: usize = 64;
/// Elements of padding needed to start on a cache line.
const SLACK: usize = CACHE_LINE / size_of::<f32>();
/// Elements kept for reuse at most (64 MiB): a step of LeNet with a batch of 256 needs about 8 MiB.
const KEPT: usize = 16 << 20;

static FREE: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());

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
        let data = reuse(len + SLACK).unwrap_or_else(|| vec![0.0; len + SLACK]);
        let start = data.as_ptr().align_offset(CACHE_LINE).min(SLACK);
        Self { data, start, len }
    }
}

/// The last freed buffer that fits without waste.
fn reuse(len: usize) -> Option<Vec<f32>> {
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let found = free.iter().rposition(|data| (len..=len + len / 4).contains(&data.len()))?;
    Some(free.swap_remove(found))
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        if free.iter().map(Vec::len).sum::<usize>() + self.data.len() <= KEPT {
            free.push(std::mem::take(&mut self.data));
        }
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
