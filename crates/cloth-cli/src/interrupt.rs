//! Ctrl-C and SIGTERM: the first signal asks to save and stop, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// 128 + SIGINT, by the convention of shells.
pub(crate) const EXIT_CODE: u8 = 130;

/// Whether a signal has asked the program to stop.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to handle signals. SIGHUP is left alone, so that `nohup cloth train …` outlives its terminal.
    pub(crate) fn watch() -> anyhow::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // The order matters: a signal exits only if an earlier one has set the flag, and sets the flag after that
            // check.
            flag::register_conditional_shutdown(signal, EXIT_CODE.into(), Arc::clone(&asked))
                .and_then(|_| flag::register(signal, Arc::clone(&asked)))
                .context("cannot watch for Ctrl-C")?;
        }
        Ok(Self(asked))
    }

    /// Makes the next signal end the program at once, because there is nothing left to save.
    pub(crate) fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
