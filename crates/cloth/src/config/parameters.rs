//! Parameters of a method: names, defaults, meanings and checks in one declaration.
//!
//! [`parameters!`](crate::parameters) turns such a declaration into a struct that serde reads and writes, and into the
//! [`ParameterSet`] by which configuration, help texts and other languages know the section.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::in_words;
use crate::error::{Problem, Result};

/// A struct declared by [`parameters!`](crate::parameters).
pub trait Parameters: Serialize + DeserializeOwned + Default {
    /// Name and meaning of each parameter, in the order of the declaration.
    fn about() -> Vec<ParameterInfo>;

    /// Refuses the first impossible value; `section` is where the parameters stand, such as `method.mcc`.
    fn check(&self, section: &str) -> Result<()>;
}

/// One parameter, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ParameterInfo {
    /// Its key in the section.
    pub name: String,
    /// What it does.
    pub meaning: String,
}

impl ParameterInfo {
    /// A parameter with the lines of its doc comment.
    pub fn new(name: &str, lines: &[&str]) -> Self {
        let meaning = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        Self { name: name.to_owned(), meaning }
    }
}

type CheckTable = Box<dyn Fn(&Table, &str) -> Result<()> + Send + Sync>;

/// A method's section: defaults, meanings, and the check of its values.
pub struct ParameterSet {
    defaults: Table,
    about: Vec<ParameterInfo>,
    check: CheckTable,
}

impl ParameterSet {
    /// The parameters of a declared struct.
    pub fn of<P: Parameters + 'static>() -> Self {
        Self::with_defaults(P::default())
    }

    /// The parameters of a declared struct, with other defaults.
    pub fn with_defaults<P: Parameters + 'static>(defaults: P) -> Self {
        let defaults = Table::try_from(&defaults).expect("parameters are valid TOML");
        let check = |table: &Table, section: &str| read::<P>(table, section)?.check(section);
        Self { defaults, about: P::about(), check: Box::new(check) }
    }

    /// Parameters that are known at run time only.
    pub fn new(
        defaults: Table,
        about: Vec<ParameterInfo>,
        check: impl Fn(&Table, &str) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self { defaults, about, check: Box::new(check) }
    }

    /// Each parameter with its default.
    pub fn defaults(&self) -> &Table {
        &self.defaults
    }

    /// Name and meaning of each parameter.
    pub fn about(&self) -> &[ParameterInfo] {
        &self.about
    }

    /// Refuses the first impossible value of a section.
    pub fn check(&self, table: &Table, section: &str) -> Result<()> {
        (self.check)(table, section)
    }
}

impl fmt::Debug for ParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParameterSet").field("defaults", &self.defaults).finish_non_exhaustive()
    }
}

/// Reads a section whose names have been checked; a value of the wrong type is refused by its key.
pub(super) fn read<P: DeserializeOwned>(table: &Table, section: &str) -> Result<P> {
    serde_path_to_error::deserialize(Value::Table(table.clone())).map_err(|e| {
        let key = e.path().to_string();
        Problem::setting(format!("{section}.{key}")).found(in_words(e.into_inner().message().trim())).into()
    })
}

/// Declares the parameters of a method: each with its meaning, its type, its default and, after a comma, the check of
/// its value. Checks are those of [`config::check`](crate::config::check), or a function of the key and the value.
///
/// ```
/// cloth::parameters! {
///     /// `[method.pull]`
///     pub struct Params {
///         /// Weight of the added loss.
///         weight: f64 = 1.0, at_least(0.0);
///         /// Whether the weight grows over the run.
///         ramp: bool = false;
///     }
/// }
/// use cloth::config::Parameters;
/// assert_eq!(Params::default().weight, 1.0);
/// assert_eq!(Params::about()[0].meaning, "Weight of the added loss.");
/// let refused = Params { weight: -1.0, ..Params::default() }.check("method.pull").unwrap_err();
/// assert_eq!(refused.to_string(), "setting `method.pull.weight`: found -1, wanted at least 0");
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[doc = $about:literal])*
        $visible:vis struct $name:ident {
            $(
                $(#[doc = $meaning:literal])+
                $field:ident: $kind:ty = $default:expr $(, $check:expr)?;
            )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, PartialEq, $crate::__private::serde::Serialize, $crate::__private::serde::Deserialize)]
        #[serde(crate = "cloth::__private::serde", deny_unknown_fields, default)]
        #[non_exhaustive]
        $visible struct $name {
            $($(#[doc = $meaning])+ pub $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::config::Parameters for $name {
            fn about() -> Vec<$crate::config::ParameterInfo> {
                vec![$($crate::config::ParameterInfo::new(stringify!($field), &[$($meaning),+]),)*]
            }

            fn check(&self, section: &str) -> $crate::Result<()> {
                #[allow(unused_imports)]
                use $crate::config::check::*;
                let _ = section;
                $($($crate::config::check::apply(
                    $check,
                    &format!("{section}.{}", stringify!($field)),
                    &self.$field,
                )?;)?)*
                Ok(())
            }
        }
    };
}
