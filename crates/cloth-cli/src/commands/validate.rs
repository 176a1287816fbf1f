//! `cloth validate`

use cloth::config::Config;
use cloth::train::{Assessment, RunDir};
use cloth::{Methods, Model, Problem, trust};
use serde_json::Value;

use crate::Exit;
use crate::args::Validate;
use crate::judgement;
use crate::table::Table;
use crate::text::{percent, print, print_json, quoted};

pub(crate) fn run(args: &Validate) -> anyhow::Result<Exit> {
    let (run, config, _) = RunDir::open(&args.run, &Methods::builtin())?;
    let summary = run.summary()?;
    let Some(summary) = summary else {
        return Err(cloth::Error::from(
            Problem::in_file(&args.run)
                .found("a run that has not finished")
                .wanted("a finished run")
                .help(format!("finish it: cloth train --resume {}", quoted(&args.run))),
        )
        .into());
    };
    let Some(assessment) = summary.assessment else {
        return Err(cloth::Error::from(not_judged(args, &run, &config)?).into());
    };
    match args.json {
        true => print_json(&Value::Object(judgement::json(&assessment)))?,
        false => print(&text(&assessment))?,
    }
    Ok(Exit::Done)
}

/// Why a finished run has no estimate, and what to do.
fn not_judged(args: &Validate, run: &RunDir, config: &Config) -> cloth::Result<Problem> {
    let problem = Problem::in_file(&args.run).wanted("a run that was compared with plain training");
    let shape = Model::load(run.model())?.about().layout.shape;
    Ok(if !Methods::builtin().find(&config.method.name)?.adapts() {
        let found = format!("a run of `{}`, which does not adapt", config.method.name);
        problem.found(found).help("train a method that adapts")
    } else if !trust::can_judge(shape) {
        problem.found(format!("a run on {shape}")).help("score labelled rows instead, with `cloth eval`")
    } else {
        problem.found("a run that was trained without the guard").help("train again, with train.guard=true")
    })
}

fn text(assessment: &Assessment) -> String {
    let mut lines = judgement::estimates(assessment);
    lines.push(format!("\nWhy: {}.", assessment.reason));
    let mut classes = Table::new(1, ["class", "rows predicted", "of them right, estimated"]);
    for class in &assessment.classes {
        let precision = class.precision.map_or("-".to_owned(), percent);
        classes.row([class.class.clone(), class.predicted.to_string(), precision]);
    }
    lines.push(format!("\nBy class:\n{}", classes.render()));
    let mut signals = Table::new(1, ["signal", "value"]);
    for (name, value) in &assessment.signals {
        signals.row([name.clone(), format!("{value:.3}")]);
    }
    lines.push(format!(
        "Signals (shares as log odds, `cloth validate --help` explains them):\n{}",
        signals.render()
    ));
    lines.push(judgement::last_word(assessment));
    lines.join("\n") + "\n"
}
