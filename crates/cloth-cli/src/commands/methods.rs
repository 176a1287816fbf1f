//! `cloth methods`

use cloth::Problem;
use cloth::config::{Config, PRESETS};
use cloth::method::{Entry, METHODS};
use serde_json::{Map, Value, json};

use crate::Exit;
use crate::args::Methods;
use crate::text::{print, print_json};

pub(crate) fn run(args: &Methods) -> anyhow::Result<Exit> {
    match (&args.name, args.json) {
        (None, false) => print(&list())?,
        (None, true) => print_json(&list_json()?)?,
        (Some(name), false) => print(&show(name)?)?,
        (Some(name), true) => print_json(&show_json(name)?)?,
    }
    Ok(Exit::Done)
}

fn list() -> String {
    let mut text = "Methods (--method):\n".to_owned();
    for entry in METHODS {
        let parameters: Vec<String> =
            (entry.defaults)().iter().map(|(key, value)| format!("{key} = {value}")).collect();
        text += &format!("\n  {}: {}\n  {}\n", entry.name, entry.summary, entry.reference);
        text += &format!("  [method.{}]\n", entry.name);
        parameters.iter().for_each(|parameter| text += &format!("    {parameter}\n"));
        entry.shared_defaults.lines().for_each(|line| text += &format!("  {line}\n"));
    }
    text += "\nPresets (--preset):\n\n";
    for preset in PRESETS {
        text += &format!("  {}: {}\n", preset.name, preset.summary);
    }
    text + "\n`cloth methods NAME` shows a method's whole configuration, or what a preset sets.\n"
}

fn list_json() -> anyhow::Result<Value> {
    let methods = METHODS.iter().map(|entry| {
        Ok(json!({
            "name": entry.name,
            "summary": entry.summary,
            "reference": entry.reference,
            "adapts": entry.adapts,
            "defaults": serde_json::to_value((entry.defaults)())?,
            "shared_defaults": serde_json::to_value(entry.shared_defaults.parse::<toml::Table>()?)?,
        }))
    });
    let presets = PRESETS.iter().map(|preset| json!({ "name": preset.name, "summary": preset.summary }));
    Ok(json!({
        "methods": methods.collect::<anyhow::Result<Vec<_>>>()?,
        "presets": presets.collect::<Vec<_>>(),
    }))
}

/// The method, or an error that lists the presets, too.
fn find(name: &str) -> cloth::Result<&'static Entry> {
    METHODS.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let known = METHODS.iter().map(|entry| entry.name).chain(PRESETS.iter().map(|preset| preset.name));
        Problem::at("method or preset")
            .found(format!("`{name}`"))
            .wanted(format!("one of {}", known.collect::<Vec<_>>().join(", ")))
            .into()
    })
}

fn show(name: &str) -> cloth::Result<String> {
    if let Some(preset) = PRESETS.iter().find(|preset| preset.name == name) {
        let settings =
            if preset.toml.is_empty() { "# sets nothing: the defaults of the method\n" } else { preset.toml };
        return Ok(settings.to_owned());
    }
    let entry = find(name)?;
    let config = Config::of_method(name)?;
    Ok(format!("# {}: {}\n# {}\n\n{}", entry.name, entry.summary, entry.reference, config.to_toml()))
}

fn show_json(name: &str) -> anyhow::Result<Value> {
    if let Some(preset) = PRESETS.iter().find(|preset| preset.name == name) {
        let settings: toml::Table = preset.toml.parse()?;
        return Ok(
            json!({ "name": name, "summary": preset.summary, "settings": serde_json::to_value(settings)? }),
        );
    }
    let entry = find(name)?;
    let mut object = Map::new();
    object.insert("name".into(), entry.name.into());
    object.insert("summary".into(), entry.summary.into());
    object.insert("reference".into(), entry.reference.into());
    object.insert("config".into(), serde_json::to_value(Config::of_method(name)?)?);
    Ok(Value::Object(object))
}
