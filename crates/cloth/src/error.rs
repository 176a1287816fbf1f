//! The error type of the library: what went wrong, where, what was wanted and what to do.

use std::fmt;
use std::path::{Path, PathBuf};

/// A result whose error is [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong in the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An input (a file, a row, a setting) cannot be used.
    #[error(transparent)]
    Input(#[from] Box<Problem>),

    /// The operating system refused to read or write a file.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The failed action: `read`, `write`, `create`, `rename`.
        action: &'static str,
        /// The file or directory of the action.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },

    /// A loss became NaN or infinite; training stopped and the last checkpoint is intact.
    #[error("{loss} became {value} at iteration {iteration}")]
    NonFinite {
        /// The paper's symbol of the loss, such as `l_hmm`.
        loss: String,
        /// The value: NaN or infinite.
        value: f32,
        /// The iteration, counted from 1.
        iteration: usize,
        /// What usually helps.
        advice: String,
    },
}

impl Error {
    /// An I/O error for an action on a file.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { action, path: path.into(), source }
    }

    /// What to do about it; `None` if there is no advice.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Input(problem) => problem.help.as_deref(),
            Self::NonFinite { advice, .. } => Some(advice),
            Self::Io { action, source, .. } => io_help(action, source.kind()),
        }
    }
}

/// Advice for common I/O errors.
fn io_help(action: &str, kind: std::io::ErrorKind) -> Option<&'static str> {
    use std::io::ErrorKind;
    match kind {
        ErrorKind::NotFound if action == "read" => {
            Some("check the path; it is relative to the current directory")
        }
        ErrorKind::NotFound => Some("make the directory first, or check the path"),
        ErrorKind::PermissionDenied => Some("permission denied: check the owner and the permissions"),
        ErrorKind::IsADirectory => Some("it is a directory; give a file"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Some("the disk is full: free some space, or write somewhere else")
        }
        _ => None,
    }
}

/// The kind of input that is wrong, for callers that handle some kinds differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// Input in memory: rows, labels, a request.
    Input,
    /// A setting: its key is the place.
    Setting,
    /// A file or a directory: its path begins the place.
    File,
}

/// A problem with an input: where, what was found, what was wanted, what to do.
///
/// Settings have their whole key in backticks, such as `` `train.batch_size=30` ``, so that a program can replace them
/// by its own way of setting them.
///
/// ```
/// use cloth::Problem;
/// let problem = Problem::at("source.csv, row 17")
///     .found("12 values")
///     .wanted("13, as in the header")
///     .help("check the row for a missing comma");
/// assert_eq!(problem.to_string(), "source.csv, row 17: found 12 values, wanted 13, as in the header");
/// assert_eq!(problem.parts().wanted, Some("13, as in the header"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    kind: ProblemKind,
    place: String,
    found: String,
    wanted: Option<String>,
    help: Option<String>,
}

/// The parts of a [`Problem`], for programs with their own format of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProblemParts<'a> {
    /// The kind of input that is wrong.
    pub kind: ProblemKind,
    /// The file, row or setting.
    pub place: &'a str,
    /// What is there.
    pub found: &'a str,
    /// What should be there.
    pub wanted: Option<&'a str>,
    /// What to do.
    pub help: Option<&'a str>,
}

impl Problem {
    /// A problem at a place in memory: a row, a field or an argument.
    pub fn at(place: impl fmt::Display) -> Self {
        Self::of_kind(ProblemKind::Input, place)
    }

    /// A problem in a file or directory.
    pub fn in_file(path: &Path) -> Self {
        Self::of_kind(ProblemKind::File, path.display())
    }

    /// A problem with a setting, by its whole key, such as `train.batch_size`.
    pub fn setting(key: impl fmt::Display) -> Self {
        Self::of_kind(ProblemKind::Setting, format!("setting `{key}`"))
    }

    fn of_kind(kind: ProblemKind, place: impl fmt::Display) -> Self {
        Self { kind, place: place.to_string(), found: String::new(), wanted: None, help: None }
    }

    /// What is there.
    pub fn found(mut self, found: impl fmt::Display) -> Self {
        self.found = found.to_string();
        self
    }

    /// What should be there.
    pub fn wanted(mut self, wanted: impl fmt::Display) -> Self {
        self.wanted = Some(wanted.to_string());
        self
    }

    /// What to do.
    pub fn help(mut self, help: impl fmt::Display) -> Self {
        self.help = Some(help.to_string());
        self
    }

    /// The parts of the problem.
    pub fn parts(&self) -> ProblemParts<'_> {
        ProblemParts {
            kind: self.kind,
            place: &self.place,
            found: &self.found,
            wanted: self.wanted.as_deref(),
            help: self.help.as_deref(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}", self.place, self.found)?;
        match &self.wanted {
            Some(wanted) => write!(f, ", wanted {wanted}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Input(Box::new(problem))
    }
}
