//! `[method]`: the method's name and its own section.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::{ParameterSet, parameters};
use crate::error::Result;

/// `[method]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MethodConfig {
    /// Name of the method, such as `cloth`.
    pub name: String,
    /// The method's own section, `[method.<name>]`, under the key `<name>`.
    #[serde(flatten)]
    pub params: Table,
}

impl MethodConfig {
    /// A method with the values of its own section.
    pub(super) fn new(name: &str, section: Table) -> Self {
        let params = Table::from_iter([(name.to_owned(), Value::Table(section))]);
        Self { name: name.to_owned(), params }
    }

    /// A copy of the method's own section; empty if there is none.
    pub fn section(&self) -> Table {
        self.params.get(&self.name).and_then(Value::as_table).cloned().unwrap_or_default()
    }

    /// Reads the method's own section into the struct that declares it.
    pub fn read<P: DeserializeOwned>(&self) -> Result<P> {
        parameters::read(&self.section(), &self.key())
    }

    /// The key of the method's own section: `method.<name>`.
    pub(crate) fn key(&self) -> String {
        format!("method.{}", self.name)
    }
}

/// What the configuration needs to know about a method: its name, parameters, shared defaults and presets.
#[derive(Debug, Clone)]
pub struct MethodSection {
    name: String,
    parameters: Arc<ParameterSet>,
    shared_defaults: String,
    shared_needs: String,
    presets: Vec<(String, String)>,
}

impl MethodSection {
    /// A method with its parameters, without presets or defaults for the shared sections.
    pub fn new(name: impl Into<String>, parameters: ParameterSet) -> Self {
        let (parameters, presets) = (Arc::new(parameters), Vec::new());
        Self {
            name: name.into(),
            parameters,
            shared_defaults: String::new(),
            shared_needs: String::new(),
            presets,
        }
    }

    /// Sets what the method needs of the sections that all methods share, as TOML. Unlike a default, it holds under every
    /// preset.
    pub fn shared_needs(self, toml: impl Into<String>) -> Self {
        Self { shared_needs: toml.into(), ..self }
    }

    /// Sets the method's defaults for the sections that all methods share, as TOML. A preset overrides them.
    pub fn shared_defaults(self, toml: impl Into<String>) -> Self {
        Self { shared_defaults: toml.into(), ..self }
    }

    /// Adds the settings of a preset in the method's own section, as TOML.
    pub fn preset(mut self, preset: impl Into<String>, toml: impl Into<String>) -> Self {
        self.presets.push((preset.into(), toml.into()));
        self
    }

    /// Name of the method, such as `cloth`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Parameters of the method's own section: defaults, meanings and checks.
    pub fn parameters(&self) -> &ParameterSet {
        &self.parameters
    }

    /// Defaults of the shared sections, then needs.
    pub(super) fn shared(&self) -> [&str; 2] {
        [&self.shared_defaults, &self.shared_needs]
    }

    pub(super) fn under(&self, preset: &str) -> &str {
        self.presets.iter().find(|(name, _)| name == preset).map_or("", |(_, toml)| toml)
    }
}
