//! `cloth methods`

use std::sync::Arc;

use cloth::config::{PRESETS, Preset};
use cloth::method::Recipe;
use cloth::{Methods, Problem};
use serde_json::{Map, Value, json};

use crate::Exit;
use crate::args;
use crate::text::{print, print_json};

pub(crate) fn run(args: &args::Methods) -> anyhow::Result<Exit> {
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
    for recipe in Methods::builtin().iter() {
        let parameters = recipe.parameters();
        let parameters = parameters.defaults().iter().map(|(key, value)| format!("    {key} = {value}\n"));
        text += &format!("\n  {}: {}\n  {}\n", recipe.name(), recipe.summary(), recipe.reference());
        text += &format!("  [method.{}]\n", recipe.name());
        text.extend(parameters);
        let shared = [recipe.shared_defaults(), recipe.shared_needs()];
        shared.iter().flat_map(|toml| toml.lines()).for_each(|line| text += &format!("  {line}\n"));
    }
    text += "\nPresets (--preset):\n\n";
    for preset in PRESETS {
        text += &format!("  {}: {}\n", preset.name, preset.summary);
    }
    text + "\n`cloth methods NAME` shows a method's whole configuration, or what a preset sets.\n"
}

fn list_json() -> anyhow::Result<Value> {
    let all = Methods::builtin();
    let methods = all.iter().map(|recipe| {
        let parameters = recipe.parameters();
        Ok(json!({
            "name": recipe.name(),
            "summary": recipe.summary(),
            "reference": recipe.reference(),
            "revision": recipe.revision(),
            "adapts": recipe.adapts(),
            "parameters": parameters.about(),
            "losses": recipe.losses(),
            "defaults": serde_json::to_value(parameters.defaults())?,
            "shared_defaults": serde_json::to_value(recipe.shared_defaults().parse::<toml::Table>()?)?,
            "shared_needs": serde_json::to_value(recipe.shared_needs().parse::<toml::Table>()?)?,
        }))
    });
    let presets = PRESETS.iter().map(|preset| json!({ "name": preset.name, "summary": preset.summary }));
    Ok(json!({
        "methods": methods.collect::<anyhow::Result<Vec<_>>>()?,
        "presets": presets.collect::<Vec<_>>(),
    }))
}

/// The method, or an error that lists all methods and presets.
fn find(name: &str) -> cloth::Result<Arc<dyn Recipe>> {
    let methods = Methods::builtin();
    methods.find(name).cloned().map_err(|_| {
        let known = methods.names().into_iter().chain(PRESETS.iter().map(|preset| preset.name));
        Problem::at("method or preset")
            .found(format!("`{name}`"))
            .wanted(format!("one of {}", known.collect::<Vec<_>>().join(", ")))
            .into()
    })
}

fn show(name: &str) -> cloth::Result<String> {
    if let Some(preset) = PRESETS.iter().find(|preset| preset.name == name) {
        let settings = settings(preset);
        return Ok(match settings.is_empty() {
            true => "# sets nothing: the defaults of the method\n".to_owned(),
            false => settings,
        });
    }
    let recipe = find(name)?;
    let mut text = format!("# {}: {}\n# {}\n#\n", recipe.name(), recipe.summary(), recipe.reference());
    for about in recipe.parameters().about() {
        text += &format!("# {}: {}\n", about.name, about.meaning);
    }
    Ok(format!("{text}\n{}", recipe.layers()?.build()?.to_toml()))
}

/// A preset's settings: those for all methods, then those in the sections of single methods.
fn settings(preset: &Preset) -> String {
    let mut text = preset.toml.to_owned();
    for recipe in Methods::builtin().iter() {
        let own = recipe.preset(preset.name);
        if !own.is_empty() {
            text += &format!("\n[method.{}]\n{}\n", recipe.name(), own.trim_end());
        }
    }
    text
}

fn show_json(name: &str) -> anyhow::Result<Value> {
    if let Some(preset) = PRESETS.iter().find(|preset| preset.name == name) {
        let settings: toml::Table = settings(preset).parse()?;
        return Ok(
            json!({ "name": name, "summary": preset.summary, "settings": serde_json::to_value(settings)? }),
        );
    }
    let recipe = find(name)?;
    let mut object = Map::new();
    object.insert("name".into(), recipe.name().into());
    object.insert("summary".into(), recipe.summary().into());
    object.insert("reference".into(), recipe.reference().into());
    object.insert("config".into(), serde_json::to_value(recipe.layers()?.build()?)?);
    Ok(Value::Object(object))
}
