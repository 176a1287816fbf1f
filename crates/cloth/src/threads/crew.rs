//! A thread with work to share, and its helper threads.

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;

/// Number of times that a helper polls for work before it sleeps: some tenths of a millisecond.
const LOOKS: u32 = 1 << 15;
/// Number of times that the caller polls whether all helpers are done before it yields to other processes.
const PATIENCE: u32 = 1 << 12;

/// Helper threads, and the board with their next task.
pub(super) struct Crew {
    board: Arc<Board>,
    helpers: Vec<JoinHandle<()>>,
}

/// A task for all threads: each calls it once, and it returns when no work is left.
type Task = *const (dyn Fn() + Sync);

/// On separate cache lines: helpers read it continuously, which would slow down writes to neighbouring data.
#[repr(align(128))]
struct Board {
    /// `turn << 32 | inside << 1 | open`: the number of the task, how many helpers run it, and whether more may join.
    /// One atomic number, so that no helper joins a finished task.
    state: AtomicU64,
    /// Written only while the task is closed and no helper is inside; read only by helpers inside.
    task: UnsafeCell<Option<Task>>,
    /// Whether a caller uses the crew.
    taken: AtomicBool,
    asleep: AtomicUsize,
    panicked: AtomicBool,
    over: AtomicBool,
}

const OPEN: u64 = 1;
const ONE_INSIDE: u64 = 2;
const TURN: u32 = 32;

// SAFETY: `state` guards `task`, as documented at the field, and the task that it points to is `Sync`.
#[allow(unsafe_code)]
unsafe impl Sync for Board {}
#[allow(unsafe_code)]
unsafe impl Send for Board {}

impl Crew {
    /// A crew of `n_threads`, including the thread that calls [`run`](Self::run).
    pub(super) fn new(n_threads: usize) -> Self {
        let board = Arc::new(Board {
            state: AtomicU64::new(0),
            task: UnsafeCell::new(None),
            taken: AtomicBool::new(false),
            asleep: AtomicUsize::new(0),
            panicked: AtomicBool::new(false),
            over: AtomicBool::new(false),
        });
        let start = |_| {
            let board = Arc::clone(&board);
            let helper = std::thread::Builder::new().name("cloth-helper".to_string());
            // If a helper cannot be started, there is one less; results are the same.
            helper.spawn(move || board.help()).ok()
        };
        let helpers = (1..n_threads).filter_map(start).collect();
        Self { board, helpers }
    }

    /// Number of threads, including the caller's.
    pub(super) fn size(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Calls `work` on this thread and on the helpers that join before it is done. If another caller uses the crew, or
    /// this call is nested in another one, the thread works alone.
    pub(super) fn run(&self, work: &(dyn Fn() + Sync)) {
        let board = &*self.board;
        if self.helpers.is_empty() || board.taken.swap(true, Ordering::Acquire) {
            return work();
        }
        // SAFETY: the lifetime is erased, but `Closed` does not let this function end, by a return or a panic, before
        // all readers of the task are done. No helper reads `task` while it is written: see the field.
        #[allow(unsafe_code)]
        unsafe {
            let task = std::mem::transmute::<*const (dyn Fn() + Sync + '_), Task>(work);
            *board.task.get() = Some(task);
        }
        let closed = Closed(board);
        let turn = (board.state.load(Ordering::Relaxed) >> TURN) + 1;
        // Sequentially consistent with `asleep`: either this thread sees a sleeper, or the sleeper sees the task.
        board.state.store(turn << TURN | OPEN, Ordering::SeqCst);
        if board.asleep.load(Ordering::SeqCst) > 0 {
            self.helpers.iter().for_each(|helper| helper.thread().unpark());
        }
        work();
        drop(closed);
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.board.over.store(true, Ordering::SeqCst);
        for helper in self.helpers.drain(..) {
            helper.thread().unpark();
            // Helpers catch panics of their tasks, so `join` does not fail.
            _ = helper.join();
        }
    }
}

/// On drop, closes the task and waits for the helpers inside.
struct Closed<'a>(&'a Board);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        let board = self.0;
        let mut state = board.state.fetch_and(!OPEN, Ordering::AcqRel) & !OPEN;
        let mut looks = 0;
        while state & (u64::from(u32::MAX)) != 0 {
            looks += 1;
            if looks < PATIENCE {
                std::hint::spin_loop()
            } else {
                std::thread::yield_now()
            }
            state = board.state.load(Ordering::Acquire);
        }
        let panicked = board.panicked.swap(false, Ordering::Relaxed);
        board.taken.store(false, Ordering::Release);
        if panicked && !std::thread::panicking() {
            panic!("a helper thread panicked");
        }
    }
}

impl Board {
    /// The main loop of a helper.
    fn help(&self) {
        let mut last_turn = 0;
        while let Some(turn) = self.join(last_turn) {
            // SAFETY: this helper is inside, so the task is valid and its caller waits.
            #[allow(unsafe_code)]
            let task = unsafe { (*self.task.get()).map(|task| &*task) };
            if catch_unwind(AssertUnwindSafe(|| task.expect("a task that is open")())).is_err() {
                self.panicked.store(true, Ordering::Relaxed);
            }
            self.state.fetch_sub(ONE_INSIDE, Ordering::Release);
            last_turn = turn;
        }
    }

    /// Waits for a task after `last_turn` and joins it; `None` when the crew ends.
    fn join(&self, last_turn: u64) -> Option<u64> {
        let is_new = |state: u64| state & OPEN != 0 && state >> TURN != last_turn;
        let mut looks = 0;
        loop {
            let state = self.state.load(Ordering::Acquire);
            if is_new(state) {
                let joined = state + ONE_INSIDE;
                let done = self.state.compare_exchange(state, joined, Ordering::Acquire, Ordering::Relaxed);
                if done.is_ok() {
                    return Some(state >> TURN);
                }
            } else if self.over.load(Ordering::Relaxed) {
                return None;
            } else if looks < LOOKS {
                looks += 1;
                std::hint::spin_loop();
            } else {
                looks = 0;
                self.asleep.fetch_add(1, Ordering::SeqCst);
                if !is_new(self.state.load(Ordering::SeqCst)) && !self.over.load(Ordering::SeqCst) {
                    std::thread::park();
                }
                self.asleep.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }
}
