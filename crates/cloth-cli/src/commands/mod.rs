//! One file per subcommand.

pub(crate) mod bench;
pub(crate) mod bench_worker;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod eval;
pub(crate) mod inspect;
pub(crate) mod methods;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod train;
pub(crate) mod validate;
