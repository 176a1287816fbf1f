//! Makes the runs of a plan, several at a time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::job::Job;
use super::record::Record;
use crate::train::{Event, Flow};

/// Shortest time between two updates on iterations of one run.
const PAUSE: Duration = Duration::from_millis(50);
/// Longest time between two calls that ask whether to continue.
const TICK: Duration = Duration::from_millis(100);

/// An update on a run in progress.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// An iteration has finished.
    Iteration {
        /// Counted from 1.
        iteration: usize,
        /// Iterations of the whole run.
        iterations: usize,
    },
    /// A sign of failed training, such as a collapse.
    Warning(String),
}

impl Update {
    /// The update of an event of the training loop; none if there is nothing to report.
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

/// Progress of a bench. Numbers are indices in the list of jobs.
#[derive(Debug)]
pub enum Progress {
    /// A run has started.
    Started(usize),
    /// A run is in progress.
    Update(usize, Update),
    /// A run has finished, with its record.
    Finished(usize, Box<Record>),
    /// Nothing has happened for 100 ms.
    Tick,
}

enum Message<E> {
    Progress(Progress),
    Failed(E),
}

/// Makes all jobs with `run`, on `workers` threads. `seen` is called on this thread with the progress, and returns
/// whether to continue. Returns whether all jobs were made; if not, runs in progress were asked to stop and save.
///
/// The first error stops the other runs and is returned.
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
            // The receiver may be gone; then nothing has to be reported.
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
