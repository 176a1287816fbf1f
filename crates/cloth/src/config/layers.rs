//! Layers of settings over the defaults.

use std::path::Path;

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::{Config, DataConfig, GeneratorConfig, MethodConfig, PRESETS, TrainConfig, check};
use crate::error::{Error, Problem, Result};
use crate::method::{self, Entry};

/// Settings laid one over another, each checked against the names that exist.
///
/// ```
/// use cloth::config::Layers;
/// let config = Layers::new("cloth")?.set("train.iterations=200")?.build()?;
/// assert_eq!(config.train.iterations, 200);
///
/// let typo = Layers::new("cloth")?.set("train.iteration=200").unwrap_err();
/// assert!(typo.help().unwrap().contains("iterations"));
/// # Ok::<(), cloth::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Layers {
    table: Table,
}

impl Layers {
    /// The defaults of a method.
    pub fn new(method: &str) -> Result<Self> {
        let entry = method::find(method)?;
        let config = Config {
            seed: 0,
            data: DataConfig::default(),
            generator: GeneratorConfig::default(),
            train: TrainConfig::default(),
            method: MethodConfig {
                name: entry.name.to_string(),
                params: Table::from_iter([(entry.name.to_string(), Value::Table((entry.defaults)()))]),
            },
        };
        let table = Table::try_from(config).expect("a configuration is always valid TOML");
        Self { table }.lay_shared(entry)
    }

    /// Lays what a method's paper wants of the sections that all share over what is there.
    fn lay_shared(self, entry: &Entry) -> Result<Self> {
        let shared = entry.shared_defaults.parse::<Table>().expect("what methods want is tested");
        self.lay(shared, entry.name)
    }

    /// Lays a preset over what is there.
    pub fn preset(self, name: &str) -> Result<Self> {
        let Some(preset) = PRESETS.iter().find(|p| p.name == name) else {
            return Err(Problem::at("preset")
                .found(format!("`{name}`"))
                .wanted(PRESETS.iter().map(|p| p.name).collect::<Vec<_>>().join(" or "))
                .into());
        };
        let mut table: Table = preset.toml.parse().expect("presets are tested");
        // A preset speaks of the methods it knows; sections of the others are not for this run.
        let method = self.method_name();
        if let Some(Value::Table(section)) = table.get_mut("method") {
            section.retain(|name, _| *name == method);
        }
        // A preset's network is not for a method that needs another.
        self.lay(table, &format!("preset `{name}`"))?.lay_shared(method::find(&method)?)
    }

    /// Lays a TOML file over what is there.
    pub fn file(self, path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
        let place = path.display().to_string();
        self.lay(from_toml(&text, &place, "a TOML file")?, &place)
    }

    /// Lays one `key=value` over what is there. The value is TOML, or else plain text.
    pub fn set(self, setting: &str) -> Result<Self> {
        self.set_from(setting, "--set")
    }

    /// [`set`](Self::set), for settings that come from `place`.
    pub(crate) fn set_from(self, setting: &str, place: &str) -> Result<Self> {
        let Some((key, value)) = setting.split_once('=') else {
            return Err(Problem::at(place)
                .found(format!("`{setting}`"))
                .wanted("key=value, such as train.iterations=500")
                .into());
        };
        let value = value.trim();
        let value = format!("v = {value}")
            .parse::<Table>()
            .ok()
            .and_then(|mut t| t.remove("v"))
            .unwrap_or_else(|| Value::String(value.to_string()));
        let table = key
            .trim()
            .rsplit('.')
            .fold(value, |inner, name| Value::Table(Table::from_iter([(name.trim().to_string(), inner)])));
        match table {
            Value::Table(table) => self.lay(table, place),
            _ => Ok(self),
        }
    }

    /// The name of the method whose section is there.
    fn method_name(&self) -> String {
        match self.table.get("method").and_then(|m| m.get("name")) {
            Some(Value::String(name)) => name.clone(),
            _ => String::new(),
        }
    }

    fn lay(mut self, over: Table, place: &str) -> Result<Self> {
        let here = self.method_name();
        if let Some(Value::String(name)) = over.get("method").and_then(|m| m.get("name"))
            && *name != here
        {
            return Err(Problem::at(format!("{place}, `method.name`"))
                .found(format!("`{name}`"))
                .wanted(format!("`{here}`, the method chosen for this run"))
                .help(format!("choose the method with --method {name}"))
                .into());
        }
        lay_table(&mut self.table, over, place, "")?;
        Ok(self)
    }

    /// The configuration, with every value checked.
    pub fn build(self) -> Result<Config> {
        let config: Config = serde_path_to_error::deserialize(Value::Table(self.table)).map_err(|e| {
            let key = e.path().to_string();
            Problem::at(format!("configuration, `{key}`")).found(in_words(e.into_inner().message().trim()))
        })?;
        check::check(&config)?;
        method::find(&config.method.name)?.check(&config)?;
        Ok(config)
    }
}

/// Reads TOML, or says in which line of `place` it is wrong.
pub(crate) fn from_toml<T: DeserializeOwned>(text: &str, place: &str, wanted: &str) -> Result<T> {
    toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        Problem::at(format!("{place}, line {line}")).found(in_words(e.message())).wanted(wanted).into()
    })
}

/// Says what was wrong with a value without a word of Rust.
pub(crate) fn in_words(message: &str) -> String {
    const WORDS: &[(&str, &str)] = &[
        ("missing field", "no"),
        ("a tuple of size 2", "two values"),
        ("a sequence", "a list"),
        ("a map", "a table"),
        ("usize", "a whole number, 0 or more"),
        ("u64", "a whole number, 0 or more"),
        ("u32", "a whole number, 0 or more"),
        ("f64", "a number"),
        ("f32", "a number"),
    ];
    let (said, expected) = message.split_once("expected ").unwrap_or((message, ""));
    let expected = if expected.starts_with("struct ") { "a table" } else { expected };
    let translated =
        |text: &str| WORDS.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    match expected {
        "" => translated(said),
        expected => format!("{said}expected {}", translated(expected)),
    }
}

fn lay_table(under: &mut Table, over: Table, place: &str, prefix: &str) -> Result<()> {
    for (name, value) in over {
        let key = format!("{prefix}{name}");
        let Some(old) = under.get_mut(&name) else {
            return Err(unknown_key(&key, &name, under, place).into());
        };
        match (old, value) {
            (Value::Table(old), Value::Table(new)) => lay_table(old, new, place, &format!("{key}."))?,
            (Value::Float(old), Value::Integer(new)) => *old = new as f64,
            (old, new) if old.same_type(&new) => *old = new,
            (old, new) => {
                return Err(Problem::at(format!("{place}, `{key}`"))
                    .found(format!("{} `{new}`", new.type_str()))
                    .wanted(format!("{}, such as `{old}`", old.type_str()))
                    .into());
            }
        }
    }
    Ok(())
}

fn unknown_key(key: &str, name: &str, known: &Table, place: &str) -> Problem {
    let problem = Problem::at(format!("{place}, `{key}`")).found("an unknown key");
    let nearest = known
        .keys()
        .map(|k| (strsim::jaro_winkler(k, name), k))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(score, _)| *score > 0.75);
    let parent = key.strip_suffix(name).unwrap_or_default();
    match nearest {
        Some((_, near)) => problem.help(format!("did you mean `{parent}{near}`?")),
        None => problem.help(format!("known here: {}", known.keys().cloned().collect::<Vec<_>>().join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(setting: &str) -> Result<Config> {
        Layers::new("cloth")?.set(setting)?.build()
    }

    #[test]
    fn wrong_values_are_said_without_words_of_rust() {
        assert_eq!(in_words("missing field `name`"), "no `name`");
        assert_eq!(
            in_words("invalid type: string \"x\", expected struct Domain"),
            "invalid type: string \"x\", expected a table"
        );
        let error = set("train.iterations=-5").unwrap_err().to_string();
        assert!(error.ends_with("integer `-5`, expected a whole number, 0 or more"), "{error}");
    }

    #[test]
    fn a_preset_leaves_a_method_the_network_that_it_needs() {
        let last = |method: &str| {
            let layers = Layers::new(method).unwrap().preset("paper").unwrap();
            layers.build().unwrap().generator.last_activation
        };
        assert_eq!(last("homm"), Config::of_method("homm").unwrap().generator.last_activation);
        assert_ne!(last("homm"), last("cloth"));
    }

    #[test]
    fn later_layers_win() {
        let config =
            Layers::new("cloth").unwrap().set("seed=3").unwrap().set("seed=4").unwrap().build().unwrap();
        assert_eq!(config.seed, 4);
    }

    #[test]
    fn whole_numbers_do_for_floats() {
        assert_eq!(set("train.learning_rate=1").unwrap().train.learning_rate, 1.0);
    }

    #[test]
    fn words_need_no_quotes() {
        assert_eq!(set("train.select=source-val").unwrap().train.select, super::super::Select::SourceVal);
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let error = set("train.learning_rat=1").unwrap_err();
        assert_eq!(error.to_string(), "--set, `train.learning_rat`: found an unknown key");
        assert_eq!(error.help().unwrap(), "did you mean `train.learning_rate`?");
    }

    #[test]
    fn a_wrong_type_says_both_types() {
        let error = set("train.iterations=many").unwrap_err().to_string();
        assert!(
            error.contains("`train.iterations`") && error.contains("string") && error.contains("integer"),
            "{error}"
        );
    }

    #[test]
    fn an_unknown_choice_lists_the_choices() {
        let error = set("train.select=best").unwrap_err().to_string();
        assert!(error.contains("train.select") && error.contains("source-val"), "{error}");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let config = Config::of_method("cloth").unwrap();
        let path = std::env::temp_dir().join(format!("cloth-config-{}.toml", std::process::id()));
        std::fs::write(&path, config.to_toml()).unwrap();
        let read = Layers::new("cloth").unwrap().file(&path).unwrap().build().unwrap();
        std::fs::remove_file(path).unwrap();
        assert_eq!(read, config);
    }

    #[test]
    fn every_preset_is_valid_for_every_method() {
        for preset in PRESETS {
            for entry in method::METHODS {
                Layers::new(entry.name).unwrap().preset(preset.name).unwrap().build().unwrap();
            }
        }
    }
}
