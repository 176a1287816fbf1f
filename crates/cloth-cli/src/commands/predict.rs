//! `cloth predict`

use cloth::predictions::{self, Columns, PredictedRows, Writer};
use cloth::trust::Worth;
use cloth::{Head, Unlabelled};
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
    if let (Head::Guarded, Some(mixture)) = (head, model.mixture()) {
        match mixture.weight {
            0.0 => console.note("predicting by plain training, because adapting probably hurt; --head c is the adapted classifier"),
            1.0 => {}
            _ => console.note("predicting by the adapted classifier and plain training together; --head c or plain is one of them"),
        }
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
    let mut asked = args.ask.map(|n| Asked::new(n as usize));
    for chunk in first.map(Ok).into_iter().chain(data) {
        let chunk = chunk?;
        let proba = model.predict(chunk.features.values(), head)?;
        let (best, confidence) = proba.best();
        let predicted = PredictedRows {
            first_row: rows,
            names: chunk.names.as_deref(),
            predictions: &best,
            confidence: &confidence,
            proba: args.proba.then_some(proba.values.as_slice()),
        };
        match (&mut asked, &mut writer) {
            (Some(asked), _) => asked.add(&predicted, Worth::of(&model, chunk.features.values())?),
            (None, Some(writer)) => writer.write(&predicted)?,
            (None, None) => {}
        }
        best.iter().for_each(|&class| counts[class as usize] += 1);
        sure += confidence.iter().map(|&c| f64::from(c)).sum::<f64>();
        rows += best.len();
        progress.add(best.len());
    }
    let listed = asked.map(|asked| asked.rows());
    if let Some(mut writer) = writer {
        listed.iter().flatten().try_for_each(|row| row.write(writer.as_mut()))?;
        writer.finish()?;
    }
    drop(progress);

    let confidence = sure / rows.max(1) as f64;
    if args.json {
        let counts = classes.names().iter().zip(&counts).map(|(class, &n)| (class.clone(), n.into()));
        print_json(&json!({
            "rows": rows,
            "output": args.output,
            "head": head,
            "classes": Value::Object(Map::from_iter(counts)),
            "mean_confidence": rounded(confidence),
            "ask": listed.as_ref().map(|rows| rows.iter().map(|row| row.number).collect::<Vec<_>>()),
        }))?;
    } else if let Some(path) = &args.output {
        let rows = plural(listed.as_ref().map_or(rows, Vec::len), "row");
        console.note(&format!(
            "{rows} written to {}, mean confidence {}",
            path.display(),
            percent(confidence)
        ));
    }
    if listed.is_some() {
        console.note(
            "these rows are harder than most: for an estimate of the accuracy, `cloth eval` needs rows chosen at random",
        );
    }
    Ok(Exit::Done)
}

/// Rows that may be listed by `--ask`, with what their labels would tell.
struct Asked {
    n: usize,
    rows: Vec<Row>,
    worths: Vec<Worth>,
}

/// A predicted row.
struct Row {
    number: usize,
    name: Option<String>,
    prediction: u32,
    confidence: f32,
    proba: Option<Vec<f32>>,
}

impl Asked {
    fn new(n: usize) -> Self {
        Self { n, rows: Vec::new(), worths: Vec::new() }
    }

    fn add(&mut self, predicted: &PredictedRows<'_>, worths: Vec<Worth>) {
        let n_classes = predicted.proba.map(|proba| proba.len() / worths.len().max(1));
        let row = |i: usize| Row {
            number: predicted.first_row + i,
            name: predicted.names.map(|names| names[i].clone()),
            prediction: predicted.predictions[i],
            confidence: predicted.confidence[i],
            proba: predicted.proba.zip(n_classes).map(|(proba, m)| proba[i * m..][..m].to_vec()),
        };
        self.rows.extend((0..worths.len()).map(row));
        self.worths.extend(worths);
    }

    /// The rows to ask for, the most telling first.
    fn rows(self) -> Vec<Row> {
        let mut rows: Vec<Option<Row>> = self.rows.into_iter().map(Some).collect();
        Worth::ask(&self.worths, self.n).into_iter().filter_map(|row| rows[row].take()).collect()
    }
}

impl Row {
    fn write(&self, writer: &mut dyn Writer) -> cloth::Result<()> {
        writer.write(&PredictedRows {
            first_row: self.number,
            names: self.name.as_ref().map(std::slice::from_ref),
            predictions: &[self.prediction],
            confidence: &[self.confidence],
            proba: self.proba.as_deref(),
        })
    }
}
