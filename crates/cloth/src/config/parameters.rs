//! Parameters of a method: names, defaults, meanings and checks in one declaration.
//!
//! [`parameters!`](crate::parameters) turns a declaration into a struct for serde and into a [`ParameterSet`], which
//! the configuration, help texts and bindings to other languages use.

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

    /// Returns an error for the first value out of range; `section` is the key of the section, such as `method.mcc`.
    fn check(&self, section: &str) -> Result<()>;
}

/// Name and meaning of one parameter, for help texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ParameterInfo {
    /// Key in the section.
    pub name: String,
    /// The doc comment of the declaration in one line.
    pub meaning: String,
}

impl ParameterInfo {
    /// A parameter, with its meaning joined from the lines of a doc comment.
    pub fn new(name: &str, lines: &[&str]) -> Self {
        let meaning = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        Self { name: name.to_owned(), meaning }
    }
}

type CheckTable = Box<dyn Fn(&Table, &str) -> Result<()> + Send + Sync>;

/// The parameters of a method's section: defaults, meanings, and a check of the values.
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

    /// The parameters of a declared struct, with these defaults.
    pub fn with_defaults<P: Parameters + 'static>(defaults: P) -> Self {
        let defaults = Table::try_from(&defaults).expect("parameters are valid TOML");
        let check = |table: &Table, section: &str| read::<P>(table, section)?.check(section);
        Self { defaults, about: P::about(), check: Box::new(check) }
    }

    /// Parameters that are known only at run time. `check` gets the section and its key.
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

    /// Name and meaning of each parameter, in the order of the declaration.
    pub fn about(&self) -> &[ParameterInfo] {
        &self.about
    }

    /// Returns an error for the first value of the wrong type or out of range; `section` is the section's key.
    pub fn check(&self, table: &Table, section: &str) -> Result<()> {
        (self.check)(table, section)
    }
}

impl fmt::Debug for ParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParameterSet").field("defaults", &self.defaults).finish_non_exhaustive()
    }
}

/// Reads a section whose names have been checked. An error names the key of a value of the wrong type.
pub(super) fn read<P: DeserializeOwned>(table: &Table, section: &str) -> Result<P> {
    serde_path_to_error::deserialize(Value::Table(table.clone())).map_err(|e| {
        let key = e.path().to_string();
        Problem::setting(format!("{section}.{key}")).found(in_words(e.into_inner().message().trim())).into()
    })
}

/// Declares the parameters of a method, each with its meaning, type, default and, after a comma, an optional check. A
/// check is one of [`config::check`](crate::config::check), or any function of the key and the value.
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
