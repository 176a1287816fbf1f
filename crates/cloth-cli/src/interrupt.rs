//! Ctrl-C and SIGTERM: the first asks to save and stop, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// 128 + SIGINT, as shells have it.
pub(crate) const EXIT_CODE: u8 = 130;

/// Whether somebody wants us to stop.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From here on signals set a flag. SIGHUP keeps its meaning, so that `nohup cloth train …` outlives its terminal.
    pub(crate) fn watch() -> anyhow::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: a signal exits if one came before it, and only then counts as having come.
            flag::register_conditional_shutdown(signal, EXIT_CODE.into(), Arc::clone(&asked))
                .and_then(|_| flag::register(signal, Arc::clone(&asked)))
                .context("cannot watch for Ctrl-C")?;
        }
        Ok(Self(asked))
    }

    /// From here on there is nothing to save: the next signal ends the program at once.
    pub(crate) fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
