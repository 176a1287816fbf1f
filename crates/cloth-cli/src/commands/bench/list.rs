//! `cloth bench --list`

use cloth::bench::{self, Study, Suite};
use serde_json::{Value, json};

use crate::Exit;
use crate::text::{plural, print, print_json};

/// Prints the built-in suites and studies.
pub(super) fn list(as_json: bool) -> anyhow::Result<Exit> {
    let suites =
        bench::SUITES.iter().map(|(name, _)| Suite::find(name)).collect::<cloth::Result<Vec<_>>>()?;
    let studies =
        bench::STUDIES.iter().map(|(name, _)| Study::find(name)).collect::<cloth::Result<Vec<_>>>()?;
    let papers = |study: &Study| -> Vec<String> {
        let known =
            |suite: &&Suite| study.variants.iter().any(|variant| variant.paper.contains_key(&suite.name));
        suites.iter().filter(known).map(|suite| suite.name.clone()).collect()
    };
    if as_json {
        let suite = |suite: &Suite| -> Value {
            json!({
                "name": suite.name,
                "title": suite.title,
                "classes": suite.classes,
                "tasks": suite.tasks.iter().map(|task| task.name()).collect::<Vec<_>>(),
                "files": suite.domains.iter().map(|domain| &domain.files[0]).collect::<Vec<_>>(),
                "get": suite.get,
            })
        };
        let study = |study: &Study| -> Value {
            json!({
                "name": study.name,
                "title": study.title,
                "paper": study.table,
                "paper_suites": papers(study),
                "variants": study.variants.iter().map(|variant| &variant.name).collect::<Vec<_>>(),
            })
        };
        print_json(&json!({
            "suites": suites.iter().map(suite).collect::<Vec<_>>(),
            "studies": studies.iter().map(study).collect::<Vec<_>>(),
        }))?;
        return Ok(Exit::Done);
    }
    let mut text = "Suites:\n".to_owned();
    for suite in &suites {
        let files: Vec<&str> = suite.domains.iter().map(|domain| domain.files[0].as_str()).collect();
        text += &format!(
            "\n  {}: {}, {}, {}\n    files: {}\n",
            suite.name,
            suite.title,
            plural(suite.tasks.len(), "task"),
            plural(suite.classes.len(), "class"),
            files.join(", ")
        );
        suite.get.iter().for_each(|place| text += &format!("    - {place}\n"));
    }
    text += "\nA file is NAME.npz, or NAME_train and NAME_test, or SOURCE_NAME.csv, \
             in any format that `cloth train` reads.\n";
    text += "\nStudies (--study), all of the method cloth:\n\n";
    for study in &studies {
        let cells = match papers(study).as_slice() {
            [] => String::new(),
            suites => format!(": {}", suites.join(", ")),
        };
        let table = if study.table.is_empty() { "not in the paper" } else { &study.table };
        text += &format!("  {}: {} ({table}{cells})\n", study.name, study.title);
    }
    print(&text)?;
    Ok(Exit::Done)
}
