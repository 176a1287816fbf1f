//! `cloth bench` on the command line.

use std::path::PathBuf;

use clap::Args;

/// Run the paper's experiments and compare them with its published results
///
/// Trains every method, or every variant of a study, on every task of a suite with several seeds. Writes results.json,
/// tables in Markdown, CSV and LaTeX, and a report.html. Target labels are read only for scoring, after training,
/// unless --oracle is given. Finished runs are kept: after Ctrl-C or a kill, the same command resumes. Results of other
/// settings or data are never mixed in. Exits with 1 if a run failed because a loss became NaN or infinite.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth bench --list                                   suites, studies and where to get the data
  cloth bench office31 --data features/                all methods, five seeds
  cloth bench digits --data digits/ --methods cloth,source_only --seeds 3 --jobs 2
  cloth bench office31 --data features/ --dry-run      what would run and for how long
  cloth bench office31 --data features/ --study losses --set method.cloth.structure=0
  cloth bench officehome --data features/ --study adversarial --preset paper
  cloth bench office31 --data features/ --reuse kept/results.json
  cloth bench my-suite.toml --data mine/ --json | jq .cells
  cloth bench --render runs/bench-office31 runs/bench-digits -o results/   one page per suite

Settings are applied in this order, and later ones win: preset, suite, --set, variant of a study.")]
pub(crate) struct Bench {
    /// Suite shown by --list, or your own TOML file, as described in docs/suites.md
    #[arg(required_unless_present_any = ["list", "render"])]
    pub(crate) suite: Option<String>,

    /// Directory with the files of the domains
    #[arg(long, value_name = "DIR", required_unless_present_any = ["list", "render"])]
    pub(crate) data: Option<PathBuf>,

    /// Methods, separated by commas [default: all]
    #[arg(long, value_name = "A,B", value_delimiter = ',', conflicts_with = "study")]
    pub(crate) methods: Vec<String>,

    /// Tasks, such as A-W,D-A [default: all]
    #[arg(long, value_name = "S-T", value_delimiter = ',')]
    pub(crate) tasks: Vec<String>,

    /// Number of seeds, starting at 0
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) seeds: u64,

    /// Study shown by --list, or your own TOML file: runs variants of one method instead of all methods
    #[arg(long, value_name = "NAME")]
    pub(crate) study: Option<String>,

    /// Preset to start from, as listed by `cloth methods`
    #[arg(long, value_name = "P")]
    pub(crate) preset: Option<String>,

    /// Setting to change, such as train.iterations=3000; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Number of runs at a time; with more than one, each is a process with one thread. Results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: u16,

    /// Directory for the results [default: runs/bench-<suite>, followed by study and preset]; with --render, a document
    /// or a directory of pages, one per suite
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// Reuse runs with the same settings, data and seed from these results (a results.json or its directory); their
    /// times and their rounding are those of the machine that made them
    #[arg(long, value_name = "RESULTS", num_args = 1.., conflicts_with_all = ["render", "list"])]
    pub(crate) reuse: Vec<PathBuf>,

    /// Description of the features for the tables, such as "frozen EfficientNet-Lite2"
    #[arg(long, value_name = "TEXT")]
    pub(crate) features: Option<String>,

    /// Add a column ORACLE: the accuracy if target labels selected the iteration
    #[arg(long)]
    pub(crate) oracle: bool,

    /// Keep each run directory with its model
    #[arg(long)]
    pub(crate) keep: bool,

    /// Show what would run and estimate the time; write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// List suites and studies
    #[arg(long, conflicts_with_all = ["suite", "data", "render", "dry_run"])]
    pub(crate) list: bool,

    /// Insert the tables of these results into the document -o, or into pages <suite>.md in the directory -o; other
    /// text in them is kept
    #[arg(long, value_name = "OUT", num_args = 1.., requires = "output", conflicts_with_all = ["suite", "data", "dry_run"])]
    pub(crate) render: Vec<PathBuf>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Make one run of a bench, read as JSON from stdin, and report its progress as JSON lines
///
/// `cloth bench --jobs` starts this command. It saves a checkpoint and stops when stdin is closed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth bench-worker < job.json")]
pub(crate) struct BenchWorker {}
