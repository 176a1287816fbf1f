//! Makes the runs of a plan, some at a time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::job::Job;
use super::record::Record;
use crate::train::{Event, Flow};

/// Between two reports of iterations of one run.
const PAUSE: Duration = Duration::from_millis(50);
/// Whoever watches is asked at least this often whether to go on.
const TICK: Duration = Duration::from_millis(100);

/// What a run tells while it is made.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// An iteration is done.
    Iteration {
        /// Counted from 1.
        iteration: usize,
        /// How many there will be.
        iterations: usize,
    },
    /// Something looks wrong.
    Warning(String),
}

impl Update {
    /// What is worth telling of a training loop's event.
    pub fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Iteration { iteration, iterations, .. } => {
                Some(Self::Iteration { iteration: *iteration, iterations: *iterations })
            }
            Event::Warning(text) => Some(Self::Warning((*text).to_owned())),
            Event::Evaluated { .. } => None,
        }
    }
}

/// What happens while runs are made. Numbers are places in the list of jobs.
#[derive(Debug)]
pub enum Progress {
    /// A run begins.
    Started(usize),
    /// A run goes on.
    Update(usize, Update),
    /// A run is made.
    Finished(usize, Box<Record>),
    /// Nothing happened for a moment.
    Tick,
}

enum Message<E> {
    Progress(Progress),
    Failed(E),
}

/// Makes every job by `run`, `workers` at a time, each on a thread of its own; `seen` hears of it on this thread and says
/// whether to go on. Returns whether all were made; if not, those in the middle were asked to save.
///
/// The first error stops the others and is returned.
pub fn run_all<E: Send>(
    jobs: &[&Job],
    workers: usize,
    run: impl Fn(&Job, &mut dyn FnMut(Update) -> Flow) -> Result<Option<Record>, E> + Sync,
    mut seen: impl FnMut(Progress) -> Flow,
) -> Result<bool, E> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<Message<E>>| {
        while !stop.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(place) else { return };
            // If nobody listens any more, there is nobody to tell.
            let say = |progress| {
                let _ = sender.send(Message::Progress(progress));
            };
            say(Progress::Started(place));
            let mut said = None::<Instant>;
            let made = run(job, &mut |update| {
                let pause =
                    matches!(update, Update::Iteration { .. }) && said.is_some_and(|at| at.elapsed() < PAUSE);
                if !pause {
                    said = Some(Instant::now());
                    say(Progress::Update(place, update));
                }
                if stop.load(Ordering::Relaxed) { Flow::Stop } else { Flow::Continue }
            });
            match made {
                Ok(Some(record)) => say(Progress::Finished(place, Box::new(record))),
                Ok(None) => return,
                Err(error) => {
                    let _ = sender.send(Message::Failed(error));
                    return;
                }
            }
        }
    };
    let (mut finished, mut failed) = (0, None);
    thread::scope(|scope| {
        for _ in 0..workers.clamp(1, jobs.len().max(1)) {
            let (work, sender) = (&work, sender.clone());
            scope.spawn(move || work(sender));
        }
        drop(sender);
        loop {
            let flow = match receiver.recv_timeout(TICK) {
                Ok(Message::Failed(error)) => {
                    failed.get_or_insert(error);
                    Flow::Stop
                }
                Ok(Message::Progress(progress)) => {
                    finished += usize::from(matches!(progress, Progress::Finished(..)));
                    seen(progress)
                }
                Err(RecvTimeoutError::Timeout) => seen(Progress::Tick),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if flow == Flow::Stop {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(finished == jobs.len()),
    }
}
