//! `cloth predict`

use cloth::Unlabelled;
use cloth::predictions::{self, Columns, PredictedRows};
use serde_json::{Map, Value, json};

use crate::Exit;
use crate::args::Predict;
use crate::inputs::{self, Trained};
use crate::progress::Console;
use crate::text::{Stdout, percent, plural, print_json, rounded};

pub(crate) fn run(args: &Predict, console: &Console) -> anyhow::Result<Exit> {
    let Trained { model, options, head, .. } = inputs::open_model(&args.model, &args.reading)?;
    let classes = &model.about().classes;
    let mut data = Unlabelled::open(&args.data, &options, &model.about().layout)?;
    if data.schema().label.is_some() {
        console.note(&format!("labels in {} ignored", args.data.display()));
    }
    let mut progress = console.rows("predicting", data.schema().rows);
    // The first chunk shows whether rows have names. If it cannot be read, nothing has been written yet.
    let first = data.next().transpose()?;
    let names = first.as_ref().is_some_and(|chunk| chunk.names.is_some());
    let columns = Columns { classes: classes.clone(), names, proba: args.proba };
    let mut writer = match (&args.output, args.json) {
        (Some(path), _) => Some(predictions::create(path, columns)?),
        (None, false) => Some(predictions::csv_to(Stdout, columns)?),
        (None, true) => None,
    };

    let mut counts = vec![0u64; classes.len()];
    let (mut rows, mut sure) = (0, 0.0);
    for chunk in first.map(Ok).into_iter().chain(data) {
        let chunk = chunk?;
        let proba = model.predict(chunk.features.values(), head)?;
        let (best, confidence) = proba.best();
        if let Some(writer) = &mut writer {
            writer.write(&PredictedRows {
                first_row: rows,
                names: chunk.names.as_deref(),
                predictions: &best,
                confidence: &confidence,
                proba: args.proba.then_some(proba.values.as_slice()),
            })?;
        }
        best.iter().for_each(|&class| counts[class as usize] += 1);
        sure += confidence.iter().map(|&c| f64::from(c)).sum::<f64>();
        rows += best.len();
        progress.add(best.len());
    }
    if let Some(writer) = writer {
        writer.finish()?;
    }
    drop(progress);

    let confidence = sure / rows.max(1) as f64;
    if args.json {
        let counts = classes.names().iter().zip(&counts).map(|(class, &n)| (class.clone(), n.into()));
        print_json(&json!({
            "rows": rows,
            "output": args.output,
            "classes": Value::Object(Map::from_iter(counts)),
            "mean_confidence": rounded(confidence),
        }))?;
    } else if let Some(path) = &args.output {
        let rows = plural(rows, "row");
        console.note(&format!(
            "{rows} written to {}, mean confidence {}",
            path.display(),
            percent(confidence)
        ));
    }
    Ok(Exit::Done)
}
