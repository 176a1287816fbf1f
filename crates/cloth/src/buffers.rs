//! Reuse of large buffers.
//!
//! A training step allocates and frees buffers of the same lengths again and again. The allocator may return them to
//! the system each time, and every page must then be mapped again, which can take a fifth of a step. Buffers are
//! therefore kept here for the next use, up to a limit.

use std::sync::{Mutex, PoisonError};

/// Maximum number of `f32` values kept: 32 MiB.
const KEPT: usize = 8 << 20;
/// Minimum length of a buffer that is kept, in `f32` values; the allocator handles shorter ones well.
pub(crate) const LEAST: usize = 1 << 13;

static SHELVES: Mutex<Vec<Shelf>> = Mutex::new(Vec::new());

/// Buffers of one length.
struct Shelf {
    len: usize,
    free: Vec<Vec<f32>>,
    /// Buffers that were taken and not returned. No more than these are kept, so that unused ones do not accumulate.
    out: usize,
}

/// A buffer of that length. It has the values of its last use, so write before reading.
pub(crate) fn take(len: usize) -> Vec<f32> {
    if len >= LEAST {
        let mut shelves = SHELVES.lock().unwrap_or_else(PoisonError::into_inner);
        match shelves.iter_mut().find(|shelf| shelf.len == len) {
            None => shelves.push(Shelf { len, free: Vec::new(), out: 1 }),
            Some(shelf) => {
                shelf.out += 1;
                if let Some(buffer) = shelf.free.pop() {
                    return buffer;
                }
            }
        }
    }
    vec![0.0; len]
}

/// Returns a buffer for reuse.
pub(crate) fn give(buffer: Vec<f32>) {
    if buffer.len() < LEAST {
        return;
    }
    let mut shelves = SHELVES.lock().unwrap_or_else(PoisonError::into_inner);
    let kept: usize = shelves.iter().map(|shelf| shelf.len * shelf.free.len()).sum();
    if let Some(shelf) = shelves.iter_mut().find(|shelf| shelf.len == buffer.len() && shelf.out > 0) {
        shelf.out -= 1;
        if kept + buffer.len() <= KEPT {
            shelf.free.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Lengths that no other test uses: all share one list.

    #[test]
    fn what_is_given_is_taken_again() {
        let mut buffer = take(LEAST + 1237);
        assert!(buffer.iter().all(|&v| v == 0.0));
        buffer.fill(7.0);
        give(buffer);
        assert!(take(LEAST + 1237).iter().all(|&v| v == 7.0));
        assert!(take(LEAST + 1237).iter().all(|&v| v == 0.0), "it was there once only");
    }

    #[test]
    fn what_was_never_taken_is_not_kept() {
        give(vec![5.0; LEAST + 1241]);
        assert!(take(LEAST + 1241).iter().all(|&v| v == 0.0));
    }
}
