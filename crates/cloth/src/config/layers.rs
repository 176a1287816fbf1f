//! Settings in layers over the defaults.

use std::path::Path;

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::{
    Config, DataConfig, GeneratorConfig, HeadsConfig, MethodConfig, MethodSection, PRESETS, TrainConfig,
    check,
};
use crate::error::{Error, Problem, Result};

/// Layers of settings: each layer overrides the ones before it, and its keys are checked against the known names.
///
/// ```
/// use cloth::Methods;
/// let methods = Methods::builtin();
/// let config = methods.layers("cloth")?.set("train.iterations=200")?.build()?;
/// assert_eq!(config.train.iterations, 200);
///
/// let typo = methods.layers("cloth")?.set("train.iteration=200").unwrap_err();
/// assert!(typo.help().unwrap().contains("iterations"));
/// # Ok::<(), cloth::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Layers {
    table: Table,
    section: MethodSection,
}

impl Layers {
    /// Starts with the defaults of a method.
    pub fn new(section: MethodSection) -> Result<Self> {
        let config = Config {
            seed: 0,
            data: DataConfig::default(),
            generator: GeneratorConfig::default(),
            heads: HeadsConfig::default(),
            train: TrainConfig::default(),
            method: MethodConfig::new(section.name(), section.parameters().defaults().clone()),
        };
        let table = Table::try_from(config).expect("a configuration is always valid TOML");
        let [defaults, needs] = section.shared().map(str::to_owned);
        Self { table, section }.lay_shared(&defaults)?.lay_shared(&needs)
    }

    /// Adds the method's own values of the shared sections as a layer.
    fn lay_shared(self, toml: &str) -> Result<Self> {
        let place = format!("method `{}`", self.section.name());
        let shared = from_toml(toml, &place, "defaults as TOML")?;
        self.lay(shared, Some(&place))
    }

    /// Adds a preset as a layer: its settings for all methods, then those for this method.
    pub fn preset(self, name: &str) -> Result<Self> {
        let Some(preset) = PRESETS.iter().find(|p| p.name == name) else {
            return Err(Problem::at("preset")
                .found(format!("`{name}`"))
                .wanted(PRESETS.iter().map(|p| p.name).collect::<Vec<_>>().join(" or "))
                .into());
        };
        let place = format!("preset `{name}`");
        let own: Table = from_toml(self.section.under(name), &place, "settings as TOML")?;
        let mut table: Table = from_toml(preset.toml, &place, "settings as TOML")?;
        if !own.is_empty() {
            let own = MethodConfig::new(self.section.name(), own).params;
            table.insert("method".to_owned(), Value::Table(own));
        }
        // A method that needs a certain network keeps it under every preset.
        let [_, needs] = self.section.shared().map(str::to_owned);
        self.lay(table, Some(&place))?.lay_shared(&needs)
    }

    /// Adds a TOML file as a layer.
    pub fn file(self, path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
        let place = path.display().to_string();
        self.lay(from_toml(&text, &place, "a TOML file")?, Some(&place))
    }

    /// Adds one `key=value` as a layer. The value is TOML; if it does not parse, it is a string.
    pub fn set(self, setting: &str) -> Result<Self> {
        self.set_from(setting, None)
    }

    /// Like [`set`](Self::set); errors name `place` as the origin of the setting.
    pub(crate) fn set_from(self, setting: &str, place: Option<&str>) -> Result<Self> {
        let Some((key, value)) = setting.split_once('=') else {
            return Err(Problem::at(place.unwrap_or("setting"))
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

    fn lay(mut self, over: Table, place: Option<&str>) -> Result<Self> {
        let here = self.section.name();
        if let Some(Value::String(name)) = over.get("method").and_then(|m| m.get("name"))
            && *name != here
        {
            return Err(problem(place, "method.name")
                .found(format!("`{name}`"))
                .wanted(format!("`{here}`, the method chosen for this run"))
                .help(format!("choose the method with `method.name={name}`"))
                .into());
        }
        lay_table(&mut self.table, over, place, "")?;
        Ok(self)
    }

    /// The configuration. Returns an error for the first value of a wrong type or out of range.
    pub fn build(self) -> Result<Config> {
        let config: Config = serde_path_to_error::deserialize(Value::Table(self.table)).map_err(|e| {
            let key = e.path().to_string();
            Problem::setting(key).found(in_words(e.into_inner().message().trim()))
        })?;
        check::shared_sections(&config)?;
        self.section.parameters().check(&config.method.section(), &config.method.key())?;
        Ok(config)
    }
}

/// A problem with the setting `key`; `place` is its origin, such as a file.
fn problem(place: Option<&str>, key: &str) -> Problem {
    match place {
        None => Problem::setting(key),
        Some(place) => Problem::at(format!("{place}, `{key}`")),
    }
}

/// Parses TOML; an error names the line of `place`.
pub(crate) fn from_toml<T: DeserializeOwned>(text: &str, place: &str, wanted: &str) -> Result<T> {
    toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        Problem::at(format!("{place}, line {line}")).found(in_words(e.message())).wanted(wanted).into()
    })
}

/// Replaces serde's and Rust's terms in an error message with plain words.
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

fn lay_table(under: &mut Table, over: Table, place: Option<&str>, prefix: &str) -> Result<()> {
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
                return Err(problem(place, &key)
                    .found(format!("{} `{new}`", new.type_str()))
                    .wanted(format!("{}, such as `{old}`", old.type_str()))
                    .into());
            }
        }
    }
    Ok(())
}

fn unknown_key(key: &str, name: &str, known: &Table, place: Option<&str>) -> Problem {
    let problem = problem(place, key).found("an unknown key");
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
    use crate::config::tests::layers;

    fn set(setting: &str) -> Result<Config> {
        layers().set(setting)?.build()
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
    fn a_preset_leaves_a_method_the_network_that_it_needs_and_sets_its_section() {
        let config = layers().preset("paper").unwrap().build().unwrap();
        assert_eq!(layers().build().unwrap().train.learning_rate, 0.5);
        assert_eq!(config.train.learning_rate, 1e-4, "a preset overrides a method's default");
        assert_eq!(config.generator.last_activation, crate::nets::Activation::Tanh);
        assert_eq!(config.method.section()["ramp"], Value::Boolean(true));
        assert_eq!(layers().build().unwrap().method.section()["ramp"], Value::Boolean(false));
    }

    #[test]
    fn later_layers_win() {
        let config = layers().set("seed=3").unwrap().set("seed=4").unwrap().build().unwrap();
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
        assert_eq!(error.to_string(), "setting `train.learning_rat`: found an unknown key");
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
        let config = layers().build().unwrap();
        let path = std::env::temp_dir().join(format!("cloth-config-{}.toml", std::process::id()));
        std::fs::write(&path, config.to_toml()).unwrap();
        let read = layers().file(&path).unwrap().build().unwrap();
        std::fs::remove_file(path).unwrap();
        assert_eq!(read, config);
    }
}
