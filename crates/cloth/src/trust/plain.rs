//! The plain classifier of a guarded run: the same training on the source alone.

use toml::{Table, Value};

use crate::config::Config;
use crate::data::{Source, Target};
use crate::error::{Problem, Result};
use crate::method::Methods;
use crate::train::{Training, TrainingOptions};

/// Sections whose settings the plain classifier shares with the run.
const SHARED: [&str; 3] = ["data", "generator", "train"];
/// Settings that are not shared: the plain classifier knows nothing of the target, and needs no guard.
const OWN: [&str; 2] = ["data.centre", "train.guard"];

/// The training of the plain classifier beside a run of `config`, on the run's rows before normalisation.
///
/// `options.methods` must have a method that does not adapt.
pub fn plain_training(
    config: &Config,
    source: Source,
    target: Target,
    options: &TrainingOptions,
) -> Result<Training> {
    Training::with_options(plain_config(config, &options.methods)?, source, target, options)
}

/// The defaults of the method that does not adapt, with the seed of the run and with whatever the run's shared sections
/// have that its own method's defaults have not.
pub fn plain_config(config: &Config, methods: &Methods) -> Result<Config> {
    let plain = methods.iter().find(|recipe| !recipe.adapts()).ok_or_else(|| {
        Problem::at("methods").found("none that trains on the source alone").wanted("one, for `train.guard`")
    })?;
    let mut layers = plain.layers()?.set(&format!("seed={}", config.seed))?.set("train.guard=false")?;
    let [run, default] = [config, &methods.config(&config.method.name)?].map(sections);
    for section in SHARED {
        let (Some(Value::Table(run)), Some(Value::Table(default))) = (run.get(section), default.get(section))
        else {
            continue;
        };
        for (key, value) in run.iter().filter(|(key, value)| default.get(*key) != Some(value)) {
            let key = format!("{section}.{key}");
            if !OWN.contains(&key.as_str()) {
                layers = layers.set(&format!("{key}={value}"))?;
            }
        }
    }
    layers.build()
}

fn sections(config: &Config) -> Table {
    Table::try_from(config).expect("a configuration is always valid TOML")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(method: &str, settings: &[&str]) -> Config {
        let methods = Methods::builtin();
        let layers = methods.layers(method).unwrap();
        let layers = settings.iter().fold(layers, |layers, setting| layers.set(setting).unwrap());
        plain_config(&layers.build().unwrap(), &methods).unwrap()
    }

    #[test]
    fn defaults_of_a_method_that_adapts_are_not_those_of_plain_training() {
        let expected = Methods::builtin().layers("source_only").unwrap().set("train.guard=false").unwrap();
        for method in ["cloth", "shot", "mcc"] {
            assert_eq!(plain(method, &[]), expected.clone().build().unwrap(), "{method}");
        }
    }

    #[test]
    fn what_the_user_set_holds_for_both() {
        let config =
            plain("cloth", &["seed=7", "train.iterations=50", "data.normalise=standard", "data.label=a b"]);
        assert_eq!((config.seed, config.train.iterations), (7, 50));
        assert_eq!(config.data.normalise, crate::config::Normalise::Standard);
        assert_eq!(config.data.label, "a b");
        assert_eq!(config.method.name, "source_only");
    }

    #[test]
    fn plain_training_never_centres_by_the_target() {
        assert_eq!(plain("cloth", &["data.centre=domain"]).data.centre, crate::config::Centre::Auto);
    }
}
