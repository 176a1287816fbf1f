//! `cloth completions`

use clap::CommandFactory;

use crate::Exit;
use crate::args::{Cli, Completions};
use crate::text;

pub(crate) fn run(args: &Completions) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cloth", &mut script);
    text::print(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}
