//! `cloth eval`

use std::path::Path;

use cloth::eval::{self, ClassScore, Evaluation, Score};
use cloth::train::{Estimate, RunDir};
use cloth::{Head, HeldOut, Methods};
use console::Term;
use serde_json::json;

use crate::Exit;
use crate::args::Eval;
use crate::inputs::{self, Trained};
use crate::progress::Console;
use crate::table::Table;
use crate::text::{count, percent, print, print_json, rounded};

/// Most classes for which the whole confusion matrix is shown, if it fits.
const WHOLE_CONFUSION: usize = 12;
/// Most confused pairs of classes that are shown otherwise.
const PAIRS: usize = 10;

pub(crate) fn run(args: &Eval, console: &Console) -> anyhow::Result<Exit> {
    let trained = inputs::open_model(&args.model, &args.reading)?;
    let evaluation = evaluate(&trained, &args.labelled, console)?;
    let mut assessment = None;
    if args.model.is_dir() {
        let (run, ..) = RunDir::open(&args.model, &Methods::builtin())?;
        assessment = run.summary()?.and_then(|summary| summary.assessment);
        // A score that cannot be saved is still printed.
        if let Err(error) = evaluation.save(run.evaluation()) {
            console.warn(&format!("the score was not saved for `cloth report`: {error}"));
        }
    }
    // The estimate is of the predictions that the run makes by itself.
    let estimate =
        assessment.filter(|_| evaluation.head == Head::Guarded).map(|assessment| assessment.estimate);
    let score = evaluation.score;
    let right = score.confusion.iter().enumerate().map(|(m, row)| row[m] as usize).sum();
    let counted = Estimate::counted(right, score.n as usize);
    let corrected = estimate.map(|estimate| (estimate, estimate.corrected(right, score.n as usize)));
    match args.json {
        true => {
            let mut fields = serde_json::to_value(&score)?;
            fields["accuracy_interval"] = json!(counted.interval.map(rounded));
            if let Some((before, after)) = corrected {
                fields["estimated_accuracy"] = json!(rounded(before.accuracy));
                fields["estimated_interval"] = json!(before.interval.map(rounded));
                fields["corrected_accuracy"] = json!(rounded(after.accuracy));
                fields["corrected_interval"] = json!(after.interval.map(rounded));
            }
            print_json(&fields)?;
        }
        false => print(&report(&score, counted, corrected))?,
    }
    match args.min_accuracy {
        Some(least) if score.accuracy < least => {
            console.warn(&format!(
                "accuracy {} is below --min-accuracy {}",
                percent(score.accuracy),
                percent(least)
            ));
            Ok(Exit::CheckFailed)
        }
        _ => Ok(Exit::Done),
    }
}

/// Scores a model on labelled rows.
pub(crate) fn evaluate(trained: &Trained, labelled: &Path, console: &Console) -> cloth::Result<Evaluation> {
    let Trained { model, options, head, picture } = trained;
    let held_out = HeldOut::open(labelled, options, &model.about().layout, &model.about().classes)?;
    let mut progress = console.rows("scoring", held_out.schema().rows);
    let labelled = std::path::absolute(labelled).unwrap_or_else(|_| labelled.to_owned());
    eval::evaluate(model, *head, *picture, held_out, labelled, |rows| progress.add(rows))
}

fn report(score: &Score, counted: Estimate, corrected: Option<(Estimate, Estimate)>) -> String {
    let range = |estimate: Estimate| {
        let [low, high] = estimate.interval.map(percent);
        format!("{low} to {high}")
    };
    let mut text = format!(
        "accuracy           {}  (of all rows {} in nine of ten cases, if these were chosen at random)\n\
         balanced accuracy  {}\n\
         rows               {}\n\
         calibration error  {}  (confidence compared with accuracy)\n",
        percent(score.accuracy),
        range(counted),
        percent(score.balanced_accuracy),
        count(score.n),
        percent(score.calibration_error),
    );
    if let Some((before, after)) = corrected {
        text += &format!(
            "estimated before   {}  ({})\ncorrected          {}  ({})\n",
            percent(before.accuracy),
            range(before),
            percent(after.accuracy),
            range(after)
        );
    }
    text += "\nClasses:\n";
    text += &per_class(score).render();
    text += &confusion(score, Term::stdout().size().1.into());
    text
}

fn per_class(score: &Score) -> Table {
    let share = |share: Option<f64>| share.map_or("-".to_owned(), percent);
    let recalls = score.per_class.iter().filter_map(|class| class.recall);
    let worst = recalls.reduce(f64::min).filter(|&worst| worst < 1.0);
    let mut table = Table::new(1, ["class", "rows", "recall", "precision"]);
    for class @ ClassScore { n, recall, precision, .. } in &score.per_class {
        let mut row = vec![class.class.clone(), count(*n), share(*recall), share(*precision)];
        if recall.is_some() && *recall == worst {
            row.push("<- worst".to_owned());
        }
        table.row(row);
    }
    table
}

fn confusion(score: &Score, columns: usize) -> String {
    let names: Vec<&str> = score.per_class.iter().map(|class| class.class.as_str()).collect();
    if names.len() <= WHOLE_CONFUSION {
        let mut table = Table::new(1, [""].into_iter().chain(names.iter().copied()));
        for (name, row) in names.iter().zip(&score.confusion) {
            let cells = row.iter().map(|&n| if n == 0 { "·".to_owned() } else { count(n) });
            table.row([name.to_string()].into_iter().chain(cells));
        }
        if table.width() <= columns {
            return format!(
                "\nConfusion matrix, true classes in rows, predicted in columns:\n{}",
                table.render()
            );
        }
    }
    let pairs = score.confusions();
    if pairs.is_empty() {
        return String::new();
    }
    let mut table = Table::new(2, ["true", "predicted", "rows", "of true class"]);
    for (n, actual, called) in pairs.into_iter().take(PAIRS) {
        let (actual, called) = (actual as usize, called as usize);
        let share = percent(n as f64 / score.per_class[actual].n as f64);
        table.row([names[actual].to_owned(), names[called].to_owned(), count(n), share]);
    }
    format!("\nMost frequent confusions:\n{}", table.render())
}
