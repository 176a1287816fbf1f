//! Threads that share the work of a training step.
//!
//! A step consists of some dozens of short parallel parts, one after the other, which a *crew* runs. The training
//! thread works too, and its helpers poll for the next part for a moment before they sleep, since waking them takes
//! longer than many parts. A waiting thread never starts other work, so work may be shared while holding a lock, as
//! happens inside a backward pass.
//!
//! Work must be split by its shape, not by the number of threads, so that results do not depend on that number.
//!
//! ```
//! // At most two threads inside the closure, whatever this machine has.
//! let three = cloth::threads::with(2, || 1 + 2);
//! assert_eq!(three, 3);
//! ```

mod crew;

use std::cell::RefCell;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crew::Crew;

/// The crew of threads outside of [`with`]: one thread per core.
static EVERYONE: LazyLock<Arc<Crew>> = LazyLock::new(|| Arc::new(Crew::new(available())));

thread_local! {
    static CREW: RefCell<Option<Arc<Crew>>> = const { RefCell::new(None) };
}

/// Runs `work` with a crew of `n_threads`: the calling thread and its helpers, which end with it. 0 means one thread
/// per core.
pub fn with<R>(n_threads: usize, work: impl FnOnce() -> R) -> R {
    /// Restores the previous crew, also after a panic.
    struct Back(Option<Arc<Crew>>);
    impl Drop for Back {
        fn drop(&mut self) {
            CREW.set(self.0.take());
        }
    }
    let n_threads = if n_threads == 0 { available() } else { n_threads };
    let _back = Back(CREW.replace(Some(Arc::new(Crew::new(n_threads)))));
    work()
}

/// Number of threads in this thread's crew. A new thread that continues this one's work passes it to [`with`].
pub fn count() -> usize {
    CREW.with_borrow(|crew| crew.as_ref().map_or_else(available, |crew| crew.size()))
}

fn available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Calls `work` on each item, on all threads of the crew. Which thread gets which item is not deterministic.
pub(crate) fn share<T: Send>(items: impl IntoIterator<Item = T, IntoIter: Send>, work: impl Fn(T) + Sync) {
    let items = items.into_iter();
    if items.size_hint().1.is_some_and(|most| most <= 1) {
        return items.for_each(work);
    }
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let crew = CREW.with_borrow(|crew| crew.clone()).unwrap_or_else(|| Arc::clone(&EVERYONE));
    crew.run(&|| {
        while let Some(item) = next() {
            work(item);
        }
    });
}

/// The results of `work` for each item, in the order of the items; see [`share`].
pub(crate) fn map<T: Send, R: Send>(
    items: impl ExactSizeIterator<Item = T> + Send,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let mut results: Vec<Option<R>> = std::iter::repeat_with(|| None).take(items.len()).collect();
    share(items.zip(&mut results), |(item, result)| *result = Some(work(item)));
    results.into_iter().map(|result| result.expect("every item was worked on")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_item_is_worked_on_once_and_results_keep_their_order() {
        for n_threads in [1, 2, 3, 8] {
            with(n_threads, || {
                for n in [0, 1, 2, 7, 1000] {
                    let squares = map(0..n, |i| i * i);
                    assert_eq!(squares, (0..n).map(|i| i * i).collect::<Vec<_>>(), "{n_threads} threads");
                }
            });
        }
    }

    #[test]
    fn a_thousand_short_parts_one_after_the_other() {
        with(4, || {
            let total = AtomicUsize::new(0);
            for part in 0..1000 {
                // Now and then long enough for the helpers to fall asleep.
                if part % 250 == 0 {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                share(0..8, |i| _ = total.fetch_add(i, Ordering::Relaxed));
            }
            assert_eq!(total.into_inner(), 1000 * 28);
        });
    }

    #[test]
    fn a_part_inside_a_part_and_two_callers_at_once_are_no_trouble() {
        with(3, || {
            let sums = map(0..10, |i| map(0..10, |j| i * j).into_iter().sum::<usize>());
            assert_eq!(sums, (0..10).map(|i| i * 45).collect::<Vec<_>>());
        });
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..200).for_each(|_| assert_eq!(map(0..5, |i| i + 1), [1, 2, 3, 4, 5])));
            }
        });
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_crew_works_on() {
        with(3, || {
            for bad in 0..50 {
                let outcome = std::panic::catch_unwind(|| share(0..50, |i| assert_ne!(i, bad)));
                assert!(outcome.is_err(), "{bad}");
                assert_eq!(map(0..4, |i| i), [0, 1, 2, 3]);
            }
        });
    }

    #[test]
    fn a_crew_ends_with_its_work() {
        let outside = count();
        assert_eq!(with(3, count), 3);
        assert_eq!(with(3, || with(2, count)), 2);
        assert_eq!((count(), std::thread::scope(|s| s.spawn(count).join().unwrap())), (outside, available()));
    }

    #[test]
    fn helpers_do_help() {
        // Each of two items waits for the other: one thread alone would never end.
        with(2, || {
            let met = std::sync::Barrier::new(2);
            share(0..2, |_| _ = met.wait());
        });
    }
}
