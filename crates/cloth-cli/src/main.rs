//! The command `cloth`: parses arguments, calls the library of the same name and prints its results.

mod args;
mod board;
mod commands;
mod flags;
mod inputs;
mod interrupt;
mod judgement;
mod progress;
mod table;
mod text;

use std::panic;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;

use crate::args::{Cli, Command};
use crate::progress::Console;

/// How a command ended without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// It succeeded.
    Done,
    /// It ran, and a check failed, such as `--min-accuracy`.
    CheckFailed,
    /// It was interrupted, and has saved its work.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::CheckFailed => 1,
            Exit::Interrupted => interrupt::EXIT_CODE,
        })
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    // Readers of damaged files catch some panics and return errors instead: these panics are not printed.
    let loud = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !cloth::data::is_guarded() {
            loud(info)
        }
    }));
    let console = Console::new(cli.global.quiet);
    if let Some(argument) = std::env::args_os().find(|argument| argument.to_str().is_none()) {
        console.error(&anyhow::anyhow!(
            "arguments: found `{}`, which is not UTF-8, wanted names that can be written to JSON; rename the file",
            argument.display()
        ));
        return ExitCode::from(2);
    }
    match run(cli, &console) {
        Ok(exit) => exit.into(),
        Err(error) => {
            console.error(&error);
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli, console: &Console) -> anyhow::Result<Exit> {
    let threads = match &cli.command {
        // Each run is a separate process.
        Command::Bench(args)
            if args.jobs > 1 && cli.global.threads == 0 && !commands::bench::is_about_time(args) =>
        {
            1
        }
        _ => cli.global.threads,
    };
    // This pool is for Burn's operations; the library uses the threads of `with`.
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .with_context(|| format!("cannot start {threads} threads"))?;
    cloth::threads::with(threads, || dispatch(cli.command, console))
}

fn dispatch(command: Command, console: &Console) -> anyhow::Result<Exit> {
    match command {
        Command::Demo(args) => commands::demo::run(&args, console),
        Command::Inspect(args) => commands::inspect::run(&args, console),
        Command::Train(args) => commands::train::run(&args, console),
        Command::Predict(args) => commands::predict::run(&args, console),
        Command::Eval(args) => commands::eval::run(&args, console),
        Command::Bench(args) => commands::bench::run(&args, console),
        Command::BenchWorker(_) => commands::bench_worker::run(),
        Command::Report(args) => commands::report::run(&args, console),
        Command::Methods(args) => commands::methods::run(&args),
        Command::Validate(args) => commands::validate::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
    }
}
