//! Threads that do not fall asleep in the middle of a step.

use std::sync::atomic::{AtomicBool, Ordering};

/// Threads beyond this number may sleep: a step has parts for about so many.
const MOST: usize = 8;

/// Runs `work` on a thread of the pool while the other threads wait for its parallel parts without going to sleep.
///
/// A step has dozens of parallel parts of less than a millisecond. Waking a thread for each, and putting the calling
/// thread to sleep if it is not of the pool, can cost as much as the parts themselves.
pub(crate) fn awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    struct Done<'a>(&'a AtomicBool);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let done = &AtomicBool::new(false);
    rayon::scope(|scope| {
        let own = rayon::current_thread_index();
        scope.spawn_broadcast(move |_, context| {
            // The thread that does the work comes here too while it waits for a part: it must go back.
            if Some(context.index()) == own || context.index() >= MOST {
                return;
            }
            while !done.load(Ordering::Acquire) {
                // Does a part of the work if there is one to be had.
                if rayon::yield_now() != Some(rayon::Yield::Executed) {
                    std::hint::spin_loop();
                }
            }
        });
        // Also if `work` panics, or the others would wait for ever.
        let _done = Done(done);
        work()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn work_with_parallel_parts_comes_to_its_end_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let sum = pool.install(|| awake(|| (0..1000u64).into_par_iter().map(|i| i * i).sum::<u64>()));
            assert_eq!(sum, 332_833_500);
        }
    }

    #[test]
    fn a_panic_passes_through() {
        let caught = std::panic::catch_unwind(|| awake(|| panic!("as it should")));
        assert!(caught.is_err());
    }
}
