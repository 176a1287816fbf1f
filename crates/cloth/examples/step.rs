//! One training step of CLOTH on synthetic rows, for comparison with other frameworks: see `benchmarks/peers`.
//!
//! ```text
//! step A export FILE                                   the first weights and batches, as safetensors
//! step A check                                         the losses of ten iterations, as JSON
//! step A time [--seconds 4] [--warmup 1] [--threads 2] the time of one iteration, as JSON
//! step A turns [--seconds 4] ...                       `ready`, and then the time as JSON for each line of the input
//! ```
//!
//! A and B are MLPs for 31 and 65 classes, C is a LeNet for 10. `--set key=value` changes a setting.

#[path = "problem/mod.rs"]
mod problem;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use burn::tensor::Device;
use cloth::data::batch::Batch;
use cloth::method::Losses;
use cloth::nets::Weights;
use cloth::rng::Purpose;
use problem::{BATCHES, Problem, Result};
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};

const USAGE: &str = "usage: step A|B|C export FILE | check | time | turns \
                     [--seconds 4] [--warmup 1] [--threads 2] [--set key=value]";

fn main() -> Result<()> {
    let args = Args::parse()?;
    cloth::threads::with(args.threads, || {
        let mut run = Problem::new(&args.config, &args.settings)?;
        match args.action.as_str() {
            "export" => export(&run, args.file.as_deref().ok_or(USAGE)?),
            "check" => check(&mut run),
            "time" => {
                warm_up(&mut run, args.warmup)?;
                let mut result = time(&mut run, args.seconds)?;
                // Only after the measurement, because counting copies the weights, which takes memory.
                let parameters = weights(&run.method.save())?.values().map(|(_, w)| w.len()).sum::<usize>();
                result["parameters"] = parameters.into();
                println!("{result}");
                Ok(())
            }
            "turns" => turns(&mut run, args.seconds, args.warmup),
            _ => Err(USAGE.into()),
        }
    })
}

struct Args {
    config: String,
    action: String,
    file: Option<String>,
    seconds: f64,
    warmup: f64,
    threads: usize,
    settings: Vec<String>,
}

impl Args {
    fn parse() -> Result<Self> {
        let mut words = std::env::args().skip(1);
        let mut args = Self {
            config: words.next().ok_or(USAGE)?,
            action: words.next().ok_or(USAGE)?,
            file: None,
            seconds: 4.0,
            warmup: 1.0,
            threads: 0,
            settings: Vec::new(),
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(USAGE);
            match word.as_str() {
                "--seconds" => args.seconds = value()?.parse()?,
                "--warmup" => args.warmup = value()?.parse()?,
                "--threads" => args.threads = value()?.parse()?,
                "--set" => args.settings.push(value()?),
                _ if word.starts_with('-') => return Err(USAGE.into()),
                _ => args.file = Some(word),
            }
        }
        Ok(args)
    }
}

/// Writes the first weights and batches.
fn export(run: &Problem, file: &str) -> Result<()> {
    let mut tensors = BTreeMap::new();
    for (name, (shape, values)) in weights(&run.method.save())? {
        tensors.insert(name, floats(shape, &values));
    }
    for i in 1..=BATCHES {
        for (name, purpose) in [("d", Purpose::BATCHES_OF_D), ("g", Purpose::BATCHES_OF_G)] {
            let Batch { x, y_s: labels, .. } = run.data.batch(purpose, i, &Device::flex());
            let shape = x.dims().to_vec();
            let values: Vec<f32> = x.into_data().try_into_vec().map_err(|e| format!("{e:?}"))?;
            tensors.insert(format!("x_{name}.{i}"), floats(shape, &values));
            let bytes = labels.iter().flat_map(|&y| (y as i32).to_le_bytes()).collect();
            tensors.insert(format!("y_{name}.{i}"), (Dtype::I32, vec![labels.len()], bytes));
        }
    }
    let views = tensors
        .iter()
        .map(|(name, (kind, shape, bytes))| Ok((name, TensorView::new(*kind, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>>>()?;
    Ok(safetensors::serialize_to_file(views, None, file.as_ref())?)
}

/// The losses of each iteration, and how far the weights and their averages have moved by the last one.
fn check(run: &mut Problem) -> Result<()> {
    let before = run.method.save();
    let losses = (0..BATCHES).map(|_| run.step()).collect::<Result<Vec<_>>>()?;
    let losses: Vec<BTreeMap<&str, f32>> = losses.iter().map(|l| l.iter().collect()).collect();
    let after = run.method.save();
    let (weights, average) = (moved(&before, &after, ".weight."), moved(&before, &after, ".average."));
    println!("{}", json!({ "losses": losses, "weights_moved": weights, "average_moved": average }));
    Ok(())
}

/// For each line of the input, measures one iteration repeatedly, after a few iterations to warm the caches.
fn turns(run: &mut Problem, seconds: f64, warmup: f64) -> Result<()> {
    warm_up(run, warmup)?;
    println!("ready");
    for line in std::io::stdin().lines() {
        line?;
        warm_up(run, seconds / 10.0)?;
        println!("{}", time(run, seconds)?);
    }
    Ok(())
}

fn warm_up(run: &mut Problem, seconds: f64) -> Result<()> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs_f64(seconds) {
        run.step()?;
    }
    Ok(())
}

/// Measures one iteration repeatedly.
fn time(run: &mut Problem, seconds: f64) -> Result<Value> {
    let (mut times, mut losses) = (Vec::new(), Losses::new());
    let start = Instant::now();
    while times.is_empty() || start.elapsed() < Duration::from_secs_f64(seconds) {
        let before = Instant::now();
        losses = run.step()?;
        times.push(before.elapsed().as_secs_f64() * 1e3);
        if let Some((name, value)) = losses.iter().find(|(_, value)| !value.is_finite()) {
            return Err(format!("{name} is {value} at iteration {}", run.iteration).into());
        }
    }
    let elapsed = start.elapsed().as_secs_f64();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    Ok(json!({
        "config": run.name,
        "median_ms": at(0.5),
        "p10_ms": at(0.1),
        "p90_ms": at(0.9),
        "iterations": times.len(),
        "seconds": elapsed,
        "losses": losses.iter().collect::<BTreeMap<_, _>>(),
        "rss_mb": peak_memory(),
    }))
}

/// The weights in training under short names: `g.0.w`, `g.0.b`, ..., `c.w`, `t.w`, `d.w`.
fn weights(state: &Weights) -> Result<Weights> {
    let is_lenet = state.keys().any(|name| name.starts_with("nets.weight.g.convolutions."));
    let mut short = Weights::new();
    for (name, weight) in state {
        let words: Vec<&str> = name.split('.').collect();
        let (layer, kind) = match words.as_slice() {
            ["nets", "weight", "g", "convolutions", i, kind] => (format!("g.{i}"), kind),
            ["nets", "weight", "g", "dense", i, kind] => {
                (format!("g.{}", i.parse::<usize>()? + 2 * usize::from(is_lenet)), kind)
            }
            ["nets", "weight", head, kind] => ((*head).to_string(), kind),
            ["d", "weight", "layers", "0", kind] => ("d".to_string(), kind),
            [_, "weight", ..] => return Err(format!("no short name for {name}").into()),
            _ => continue,
        };
        let kind = if *kind == "weight" { "w" } else { "b" };
        short.insert(format!("{layer}.{kind}"), weight.clone());
    }
    Ok(short)
}

/// The mean distance between two states, over all entries whose name contains `part`.
fn moved(before: &Weights, after: &Weights, part: &str) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for (name, (_, old)) in before.iter().filter(|(name, _)| name.contains(part)) {
        sum += old.iter().zip(&after[name].1).map(|(a, b)| f64::from((a - b).abs())).sum::<f64>();
        count += old.len();
    }
    sum / count as f64
}

fn floats(shape: Vec<usize>, values: &[f32]) -> (Dtype, Vec<usize>, Vec<u8>) {
    (Dtype::F32, shape, values.iter().flat_map(|v| v.to_le_bytes()).collect())
}

/// Peak memory of this process in MB; `None` if the system does not report it.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}
