//! Command-line arguments. Structures only: what they do is in `commands/`.

mod bench;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::bench::{Bench, BenchWorker};

/// Train on labelled data and predict on unlabelled data from another domain
#[derive(Debug, Parser)]
#[command(name = "cloth", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Limit of `--threads`: more threads would only compete for the cores.
const MOST_THREADS: usize = 1024;

const EXAMPLES: &str = "\
Examples:
  cloth demo                             run a demonstration that needs no files
  cloth inspect source.npz target.npz    check how your data are read
  cloth train source.npz target.npz      train and write a run directory
  cloth predict runs/source-target-cloth-seed0 target.npz -o predictions.csv
  cloth validate runs/source-target-cloth-seed0
                                         show how far to trust it, without labels
  cloth report runs/*                    compare runs in one HTML file
  cloth bench office31 --data features/  run the paper's experiments

Results go to stdout, everything else to stderr.
Exit codes: 0 done, 1 check failed, 2 error, 130 interrupted.";

#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Number of threads, 0 for all cores; results do not depend on it
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = threads)]
    pub(crate) threads: usize,

    /// Hide progress and notes, but not warnings and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(Demo),
    Inspect(Inspect),
    Train(Train),
    Predict(Predict),
    Validate(Validate),
    Eval(Eval),
    Bench(Bench),
    #[command(hide = true)]
    BenchWorker(BenchWorker),
    Report(Report),
    Methods(Methods),
    Completions(Completions),
}

/// Adapt a classifier from drawn to handwritten digits, without any files, in under a minute
///
/// The source is 2,000 labelled digits that the program draws. The target is 1,797 unlabelled handwritten digits (UCI
/// optdigits). A classifier trained on the source alone is compared with one adapted by CLOTH. The target labels are
/// read only for the final score. No network access is needed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth demo
  cloth demo --seeds 5
  cloth demo --json | jq .cloth")]
pub(crate) struct Demo {
    /// First seed
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = seed())]
    pub(crate) seed: u64,

    /// Number of seeds; with more than one, show mean ± standard deviation
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) seeds: u64,

    /// Directory for the runs [default: runs/demo, with -2 and so on appended if it exists]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Write no report.html
    #[arg(long)]
    pub(crate) no_report: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show how your data were read and what `train` would do with them
///
/// Shows shapes, types, classes and their balance, missing values, the distance between source and target, and anything
/// that would stop training. Writes nothing. Exits with 1 if `train` would refuse to start.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth inspect source.csv
  cloth inspect photos/ sketches/
  cloth inspect source.parquet target.parquet --label species")]
pub(crate) struct Inspect {
    /// Labelled data: .npz, .npy, .csv, .tsv, .parquet, IDX, or a folder of images
    pub(crate) source: PathBuf,

    /// Data to adapt to; any labels in it are ignored
    pub(crate) target: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) settings: Settings,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Train a classifier on a labelled source and adapt it to an unlabelled target
///
/// Labels in the target are never read. Plain training on the source is done beside it: the run then estimates both
/// accuracies without labels, says whether adapting helped, and predicts by the better classifier, or by both if they are
/// close (--set train.guard=false leaves this out). Ctrl-C saves a checkpoint and stops; --resume resumes the run, with the same
/// result as without the interruption. A finished run directory holds the model and a report.html.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth train amazon.npz webcam.npz
  cloth train photos/ sketches/ -o runs/sketches --seed 3
  cloth train a.csv b.csv --label species --set train.iterations=3000
  cloth train a.npz b.npz --method source_only        the baseline
  cloth train a.npz b.npz --preset paper              the paper's settings
  cloth train a.npz b.npz --tensorboard=logs          then: tensorboard --logdir logs
  cloth train --resume runs/amazon-webcam-cloth-seed0

`cloth methods cloth` lists every key that --set and --config take.")]
pub(crate) struct Train {
    /// Labelled data: .npz, .npy, .csv, .tsv, .parquet, IDX, or a folder of images
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) source: Option<PathBuf>,

    /// Data to adapt to; any labels in it are ignored
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) target: Option<PathBuf>,

    /// Run directory [default: runs/<source>-<target>-<method>-seed<N>, with -2 and so on appended if it exists]
    #[arg(short, long, value_name = "RUN", conflicts_with = "resume")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) settings: Settings,

    /// Resume an interrupted run
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = ["config", "preset", "method", "set", "seed", "label"],
    )]
    pub(crate) resume: Option<PathBuf>,

    /// Write TensorBoard events to DIR/<name of the run>, or without DIR to `tensorboard` in the run directory
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    pub(crate) tensorboard: Option<Option<PathBuf>>,

    /// Write no report.html
    #[arg(long)]
    pub(crate) no_report: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Settings that override the method's defaults, applied in this order: preset, file, --set, --seed and --label.
#[derive(Debug, Args)]
pub(crate) struct Settings {
    /// Method, as listed by `cloth methods`
    #[arg(long, value_name = "M")]
    pub(crate) method: Option<String>,

    /// Preset, as listed by `cloth methods`
    #[arg(long, value_name = "P")]
    pub(crate) preset: Option<String>,

    /// TOML file with settings, such as the config.toml of another run
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Setting to change, such as train.iterations=3000; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Random seed
    #[arg(long, value_name = "N", value_parser = seed())]
    pub(crate) seed: Option<u64>,

    /// Column, array or file that holds the labels, if it has an unusual name
    #[arg(long, value_name = "NAME")]
    pub(crate) label: Option<String>,
}

/// Predict the classes of new rows
///
/// Writes CSV to stdout, or a file in the format of its extension: .csv, .parquet, .npy or .jsonl. Rows are streamed,
/// so files may be larger than memory.
///
/// With `--ask N` only N rows are written: those whose labels would tell most, on which the adapted and the plain
/// classifier surely contradict each other, or both doubt. Label them to improve the source, not to measure: they are
/// harder than most.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth predict runs/amazon-webcam-cloth-seed0 webcam.npz
  cloth predict model.safetensors photos/ -o predictions.parquet --proba
  cloth predict runs/a new.csv -o out.csv --json | jq .classes
  cloth predict runs/a new.csv --ask 30 -o to-label.csv")]
pub(crate) struct Predict {
    /// Run directory, or model file
    #[arg(value_name = "RUN_OR_MODEL")]
    pub(crate) model: PathBuf,

    /// Rows to predict; any labels are ignored
    pub(crate) data: PathBuf,

    /// File to write [default: CSV on stdout]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Also write the probability of each class
    #[arg(long)]
    pub(crate) proba: bool,

    /// Write only the N rows whose labels would tell most about the run, the most telling first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) ask: Option<u32>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Print one JSON object with counts instead of the predictions
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show how far a run can be trusted, estimated without target labels
///
/// Shows the estimated accuracy of the predictions, of the adapted classifier and of plain training on the source, the
/// estimated share of right predictions in each class, whether adapting helped and why, and the signals that the
/// estimates are made of.
///
/// A signal is the log odds of a share (0 is a half), unless said otherwise. `agreement` is that of the adapted and the
/// plain classifier on the target; `adapted.confidence` and `plain.confidence` are mean confidences after calibration on
/// source validation rows; `….validation` is their accuracy there; `….neighbours` is how often neighbouring target rows
/// are predicted alike; `….neighbour` and `….mean` are how often the nearest source row and the nearest class mean agree
/// with them (`_centred`: each domain by its own statistics; `_adapted`, `_plain`: in that latent space); `….explained` is
/// how much of the shift of the mean the predicted class proportions explain; `source.…` is the accuracy of the nearest
/// row and mean on the source.
///
/// No log odds: `familiar`, from 0 to 1, is whether the target lies among the source's rows without being centred, or its
/// class proportions explain where it lies; `….fit_…` and `….familiar_…` weigh other signals by it; `reach` is the
/// logarithm of the distance from target rows to the nearest source row by that among source rows; `dispute.…` is the
/// logarithm of how many disputed rows a witness gives to the adapted classifier for each that it gives to the plain one;
/// `….proportions` is the total variation between predicted and source class shares; `shift` is the proxy A-distance;
/// `classes` is log M.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth validate runs/amazon-webcam-cloth-seed0
  cloth validate runs/a --json | jq .estimated_accuracy")]
pub(crate) struct Validate {
    /// Run directory
    pub(crate) run: PathBuf,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Score a model on labelled rows
///
/// Shows accuracy, balanced accuracy, calibration error, recall and precision of each class, and the confusion matrix.
/// A few dozen rows chosen at random suffice: the range of the accuracy on all rows is shown beside it, and what the
/// labels make of the estimate that the run made without any. The score of a run is saved in the run directory, and `cloth report` shows it. The only other commands that read
/// target labels are `cloth report --labels`, `cloth demo` and `cloth bench`, all after training
/// (`cloth bench --oracle` also during training).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth eval runs/amazon-webcam-cloth-seed0 webcam.npz
  cloth eval model.safetensors labelled.csv --label species
  cloth eval runs/a labelled.npz --min-accuracy 0.9 || echo \"not good enough\"
  cloth eval runs/a labelled.npz --json | jq .accuracy")]
pub(crate) struct Eval {
    /// Run directory, or model file
    #[arg(value_name = "RUN_OR_MODEL")]
    pub(crate) model: PathBuf,

    /// Labelled rows
    pub(crate) labelled: PathBuf,

    /// Exit with 1 if the accuracy is below X, from 0 to 1
    #[arg(long, value_name = "X", value_parser = share)]
    pub(crate) min_accuracy: Option<f64>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a report of runs or benches as one self-contained HTML file
///
/// Shows the data and settings, the model's predictions on the target, maps of both domains in input and latent space,
/// losses, the transport plan, each class and, with labels, the score. Several runs are compared. For a bench it shows
/// tables, seeds and curves. The file works offline, on a phone and on paper; the same runs give the same file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth report runs/amazon-webcam-cloth-seed0
  cloth report runs/demo/cloth --points 20000
  cloth report runs/a --labels labelled.npz -o scored.html
  cloth report runs/* -o compared.html
  cloth report runs/bench-office31 runs/bench-office31-order -o benches.html")]
pub(crate) struct Report {
    /// Run or bench directories, or directories that contain them
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<PathBuf>,

    /// File to write [default: report.html in the run directory, or in the current one for several runs]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Labelled rows to score the runs on [default: the score that `cloth eval` saved]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Maximum number of rows on a map; more rows take longer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=100_000))]
    pub(crate) points: Option<u64>,

    /// Also print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// How a trained model predicts, and where the labels of its data are.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// Classifier that predicts [default: guarded if the run compared itself with plain training, otherwise c]
    #[arg(long, value_name = "HEAD")]
    pub(crate) head: Option<Head>,

    /// Column, array or file that holds the labels [default: as in the run]
    #[arg(long, value_name = "NAME")]
    pub(crate) label: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Head {
    /// The classifier C
    C,
    /// The transport network T
    T,
    /// Plain training on the source alone
    Plain,
    /// C and plain training, weighted by how far each can be trusted
    Guarded,
}

/// List methods and presets, or show one in full
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth methods
  cloth methods cloth            every setting with its default, as TOML
  cloth methods paper            what the preset sets, with reasons
  cloth methods cloth > my.toml; cloth train a.npz b.npz --config my.toml")]
pub(crate) struct Methods {
    /// Method or preset to show
    pub(crate) name: Option<String>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a completion script for your shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cloth completions bash > ~/.local/share/bash-completion/completions/cloth
  cloth completions zsh > ~/.zfunc/_cloth
  cloth completions fish > ~/.config/fish/completions/cloth.fish")]
pub(crate) struct Completions {
    /// Shell that will run the script
    pub(crate) shell: clap_complete::Shell,
}

/// Parses a seed. Configurations are saved as TOML, whose integers end at `i64::MAX`.
fn seed() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=i64::MAX as u64)
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads <= MOST_THREADS => Ok(threads),
        Ok(_) => Err(format!("wanted at most {MOST_THREADS}")),
        Err(_) => Err("not a whole number".to_owned()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        Ok(_) => Err("wanted a number from 0 to 1".to_owned()),
        Err(_) => Err("not a number".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn is_consistent_and_every_subcommand_shows_examples() {
        let mut cli = Cli::command();
        cli.clone().debug_assert();
        for command in cli.get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            assert!(help.contains("Examples:\n  cloth "), "{help}");
        }
    }
}
