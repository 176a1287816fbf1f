//! `cloth bench-worker`: one run of a bench in a separate process, both the worker and the caller.
//!
//! Parallel runs in one process would share one pool of threads, and each would wait for the others. A worker reads its
//! job as one line of JSON from stdin and reports in lines of JSON on stdout. The bench keeps the worker's stdin open;
//! when it is closed, because the bench is stopping or was killed, the worker saves a checkpoint and stops.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use cloth::bench::{self, Job, Record, Update};
use cloth::{Flow, Methods};
use serde::{Deserialize, Serialize};

use crate::Exit;
use crate::interrupt::Interrupt;

/// Time between two reports of iterations.
const PAUSE: Duration = Duration::from_millis(50);

/// A line of JSON that a worker writes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Iteration {
        iteration: usize,
        iterations: usize,
    },
    Warning(String),
    /// The run is finished, and its record has been written.
    Made,
    /// The run was interrupted and saved.
    Stopped,
    Failed {
        causes: Vec<String>,
        help: Option<String>,
    },
}

/// The worker: makes the run that stdin describes.
pub(crate) fn run() -> anyhow::Result<Exit> {
    let interrupt = Interrupt::watch()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line).context("cannot read the job")?;
    let job: Job = serde_json::from_str(&line).context("stdin does not hold a job of `cloth bench`")?;
    let alone = Arc::new(AtomicBool::new(false));
    thread::spawn({
        let alone = Arc::clone(&alone);
        move || {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            alone.store(true, Ordering::Relaxed);
        }
    });
    let mut said = None::<Instant>;
    let made = bench::run(&job, &Methods::builtin(), &mut |event| {
        match Update::of(event) {
            Some(Update::Warning(text)) => say(&Line::Warning(text)),
            Some(Update::Iteration { iteration, iterations })
                if said.is_none_or(|at| at.elapsed() >= PAUSE) =>
            {
                said = Some(Instant::now());
                say(&Line::Iteration { iteration, iterations });
            }
            _ => {}
        }
        if interrupt.asked() || alone.load(Ordering::Relaxed) { Flow::Stop } else { Flow::Continue }
    });
    match made {
        Ok(Some(_)) => say(&Line::Made),
        Ok(None) => say(&Line::Stopped),
        Err(error) => {
            let help = error.help().map(str::to_owned);
            let causes = anyhow::Error::new(error).chain().map(ToString::to_string).collect();
            say(&Line::Failed { causes, help });
        }
    }
    Ok(Exit::Done)
}

/// Writes a line to stdout. If the bench has ended, that fails, and the run is saved all the same.
fn say(line: &Line) {
    if let Ok(text) = serde_json::to_string(line) {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}

/// The caller: makes a run in a separate process.
pub(crate) fn make(job: &Job, tell: &mut dyn FnMut(Update) -> Flow) -> anyhow::Result<Option<Record>> {
    let program = std::env::current_exe().context("cannot find the path of this program")?;
    let mut worker = Command::new(program)
        .args(["--threads", "1", "--quiet", "bench-worker"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start another process of this program")?;
    let mut stdin = worker.stdin.take();
    if let Some(stdin) = &mut stdin {
        // If the worker has already ended, the reason is reported below.
        let _ = writeln!(stdin, "{}", serde_json::to_string(job)?);
    }
    let mut end = None;
    for line in BufReader::new(worker.stdout.take().context("a worker process has no stdout")?).lines() {
        let flow = match serde_json::from_str(&line?)? {
            Line::Iteration { iteration, iterations } => tell(Update::Iteration { iteration, iterations }),
            Line::Warning(text) => tell(Update::Warning(text)),
            last => {
                end = Some(last);
                Flow::Continue
            }
        };
        if flow == Flow::Stop {
            stdin = None;
        }
    }
    drop(stdin);
    let mut last_words = String::new();
    if let Some(mut stderr) = worker.stderr.take() {
        let _ = stderr.read_to_string(&mut last_words);
    }
    let status = worker.wait().context("cannot wait for a worker process")?;
    match end {
        Some(Line::Made) => Ok(job.record()?),
        Some(Line::Stopped) => Ok(None),
        Some(Line::Failed { causes, help }) => {
            let help = help.map_or(String::new(), |help| format!("\n  help: {help}"));
            Err(anyhow!("{}{help}", causes.join("\n  cause: ")))
        }
        _ => Err(anyhow!("a worker process ended without a result ({status})\n{}", last_words.trim_end())),
    }
}
