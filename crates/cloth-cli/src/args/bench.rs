//! `cloth bench` on the command line.

use std::path::PathBuf;

use clap::Args;

/// Run the paper's experiments, beside the paper's own cells
///
/// Trains every method on every task of a suite with several seeds, or the variants of a study, and writes results.json and
/// tables in Markdown, CSV and LaTeX, and a report.html. Target labels are read for scoring only, after training, unless
/// --oracle asks for more. Finished runs are kept: after Ctrl-C, or a kill, the same command goes on where it was. Changed
/// settings or data never mix with old results. Exits with 1 if a run failed because a loss was no longer a number.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth bench --list                                   suites, studies, and where people get the data
  cloth bench office31 --data features/                all methods, five seeds
  cloth bench digits --data digits/ --methods cloth,source_only --seeds 3 --jobs 2
  cloth bench office31 --data features/ --dry-run      what would run, and how long
  cloth bench office31 --data features/ --study losses --set method.cloth.structure=0
  cloth bench officehome --data features/ --study adversarial --preset paper
  cloth bench office31 --data features/ --reuse kept/results.json
  cloth bench my-suite.toml --data mine/ --json | jq .cells
  cloth bench --render runs/bench-office31 runs/bench-digits -o results/   a page a suite

Settings are laid one over another: preset, suite, --set, and the variant of a study last.")]
pub(crate) struct Bench {
    /// Suite as shown by --list, or a TOML file of your own, as docs/suites.md describes it
    #[arg(required_unless_present_any = ["list", "render"])]
    pub(crate) suite: Option<String>,

    /// Directory with the domains' files
    #[arg(long, value_name = "DIR", required_unless_present_any = ["list", "render"])]
    pub(crate) data: Option<PathBuf>,

    /// Methods, separated by commas [default: all]
    #[arg(long, value_name = "A,B", value_delimiter = ',', conflicts_with = "study")]
    pub(crate) methods: Vec<String>,

    /// Tasks, such as A-W,D-A [default: all]
    #[arg(long, value_name = "S-T", value_delimiter = ',')]
    pub(crate) tasks: Vec<String>,

    /// How many seeds, from 0 on
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) seeds: u64,

    /// Study as shown by --list, or a TOML file of your own: variants of one method instead of all methods
    #[arg(long, value_name = "NAME")]
    pub(crate) study: Option<String>,

    /// Preset that everything starts from, as listed by `cloth methods`
    #[arg(long, value_name = "P")]
    pub(crate) preset: Option<String>,

    /// One setting, such as train.iterations=3000; may be given often
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Runs at a time; if more than one, each is a process of its own with one thread. The results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: u16,

    /// Directory for the results [default: runs/bench-<suite>, with study and preset]; with --render, the document, or a
    /// directory of pages, one a suite
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// Take runs with the same settings, data and seed from these results (a results.json or its directory) instead of
    /// making them; their seconds, and what its processor rounded otherwise, are those of the machine they were made on
    #[arg(long, value_name = "RESULTS", num_args = 1.., conflicts_with_all = ["render", "list"])]
    pub(crate) reuse: Vec<PathBuf>,

    /// What the features are, for the tables, such as "frozen EfficientNet-Lite2"
    #[arg(long, value_name = "TEXT")]
    pub(crate) features: Option<String>,

    /// Add a column ORACLE: what choosing iterations by target labels would give
    #[arg(long)]
    pub(crate) oracle: bool,

    /// Keep each run's directory with its model
    #[arg(long)]
    pub(crate) keep: bool,

    /// Show what would run and about how long, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// List suites and studies
    #[arg(long, conflicts_with_all = ["suite", "data", "render", "dry_run"])]
    pub(crate) list: bool,

    /// Put the tables of these directories into the document -o, or into pages <suite>.md in the directory -o; what people
    /// wrote between them stays
    #[arg(long, value_name = "OUT", num_args = 1.., requires = "output", conflicts_with_all = ["suite", "data", "dry_run"])]
    pub(crate) render: Vec<PathBuf>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Make one run of a bench, described as JSON on stdin, and report on it in JSON lines
///
/// `cloth bench --jobs` starts it. It saves and stops when stdin ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth bench-worker < job.json")]
pub(crate) struct BenchWorker {}
