//! A new method outside of the library: described, trained, saved, resumed and benched.
//!
//! ```text
//! cargo run --release --example own_method [DIRECTORY]
//! ```
//!
//! `sliced` adds a loss to the classification loss: the distance of the two domains' means and standard deviations
//! along random directions of the latent space. It uses the same interface as the built-in methods: a [`Recipe`] that
//! describes the method, and a [`Method`] that makes one update.

use std::error::Error;
use std::path::{Path, PathBuf};

use burn::tensor::{Tensor, TensorData};
use cloth::bench::{self, BenchPlan, Request, Results, Suite, tables};
use cloth::config::ParameterSet;
use cloth::loss::l_c;
use cloth::method::shared::{Pass, Total, l_c_info};
use cloth::method::{LossInfo, Losses, Method, Recipe, Setup, Step};
use cloth::nets::{Classifier, Networks, Weights};
use cloth::optim::Learner;
use cloth::rng::{Purpose, stream};
use cloth::train::{Provenance, RunDir};
use cloth::{Config, Event, Flow, Methods, Model, ReadOptions, Source, Target, Training, TrainingOptions};
use rand::RngExt;

/// The description of the method for configuration, training, benches and reports.
struct Sliced;

cloth::parameters! {
    /// `[method.sliced]`
    struct Params {
        /// Weight of the added loss.
        weight: f64 = 3.0, at_least(0.0);
        /// Number of random directions in each iteration.
        directions: usize = 32, within(1.0, 4096.0);
    }
}

impl Recipe for Sliced {
    fn name(&self) -> &str {
        "sliced"
    }

    fn summary(&self) -> &str {
        "matches mean and spread along random directions"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn parameters(&self) -> ParameterSet {
        ParameterSet::of::<Params>()
    }

    fn losses(&self) -> Vec<LossInfo> {
        let advice = "use a smaller `method.sliced.weight`";
        vec![l_c_info(), LossInfo::new("sliced", "distance along random directions").advice(advice)]
    }

    fn build(&self, setup: &Setup<'_>) -> cloth::Result<Box<dyn Method>> {
        Ok(Box::new(SlicedMethod { nets: Learner::new(setup.classifier()), params: setup.params()? }))
    }
}

/// The method during training.
struct SlicedMethod {
    nets: Learner<Classifier>,
    params: Params,
}

impl Method for SlicedMethod {
    fn step(&mut self, step: &Step<'_>) -> cloth::Result<Losses> {
        let Pass { c_s, y_s, z_s, z_t, .. } = Pass::new(self.nets.module(), step);
        let mut losses = Losses::new();
        let mut total = Total::new(&mut losses);
        total.add("l_c", 1.0, l_c(c_s, &y_s, 0.0));
        total.add("sliced", self.params.weight, distance(z_s, z_t, self.params.directions, step));
        if let Some(sum) = total.sum() {
            self.nets.step(sum, &step.rate());
        }
        Ok(losses)
    }

    fn networks(&self) -> Networks {
        self.nets.average().into()
    }

    fn save(&self) -> Weights {
        let mut state = Weights::new();
        self.nets.save("nets", &mut state);
        state
    }

    fn load(&mut self, state: &Weights) -> cloth::Result<()> {
        self.nets.load("nets", state)
    }
}

/// mean over directions r of (mean z_s·r − mean z_t·r)² + (std z_s·r − std z_t·r)²
fn distance(z_s: Tensor<2>, z_t: Tensor<2>, directions: usize, step: &Step<'_>) -> Tensor<1> {
    let [_, width] = z_s.dims();
    // A stream of its own: the same numbers after a resume, and independent of all other streams.
    let mut rng = step.random(Purpose::named("sliced/directions"));
    let bound = (3.0 / width as f32).sqrt();
    let values: Vec<f32> = (0..width * directions).map(|_| rng.random_range(-bound..bound)).collect();
    let directions = Tensor::<2>::from_data(TensorData::new(values, [width, directions]), &z_s.device());
    let along = |z: Tensor<2>| {
        let projected = z.matmul(directions.clone());
        let mean = projected.clone().mean_dim(0);
        let spread = (projected - mean.clone()).square().mean_dim(0).add_scalar(1e-6).sqrt();
        (mean, spread)
    };
    let ((mean_s, spread_s), (mean_t, spread_t)) = (along(z_s), along(z_t));
    ((mean_s - mean_t).square() + (spread_s - spread_t).square()).mean()
}

fn main() -> Result<(), Box<dyn Error>> {
    let home = match std::env::args().nth(1) {
        Some(directory) => PathBuf::from(directory),
        None => std::env::temp_dir().join(format!("cloth-own-method-{}", std::process::id())),
    };
    show(&home)
}

/// Trains, stops, resumes and benches the method in a directory.
pub(crate) fn show(home: &Path) -> Result<(), Box<dyn Error>> {
    let data = home.join("data");
    std::fs::create_dir_all(&data)?;
    write_domain(&data.join("lab.csv"), 0.0)?;
    write_domain(&data.join("field.csv"), 1.0)?;

    let methods = Methods::builtin().with(Sliced)?;
    let config =
        methods.layers("sliced")?.set("train.iterations=200")?.set("generator.hidden=[32]")?.build()?;
    train_and_resume(&methods, &config, &data, home)?;
    compare(methods, &data, home)
}

/// Stops a run in the middle, resumes it, and compares its model with that of an uninterrupted run.
fn train_and_resume(
    methods: &Methods,
    config: &Config,
    data: &Path,
    home: &Path,
) -> Result<(), Box<dyn Error>> {
    let options = TrainingOptions::default().methods(methods.clone());
    let go = |name: &str, stop_at: usize| -> cloth::Result<Vec<u8>> {
        let source = Source::load(data.join("lab.csv"), &ReadOptions::default())?;
        let target = Target::load(data.join("field.csv"), &ReadOptions::default(), source.layout())?;
        let training = Training::with_options(config.clone(), source, target, &options)?;
        let path = home.join(name);
        let run = match RunDir::is_at(&path) {
            true => RunDir::open(&path, methods)?.0,
            false => RunDir::create(&path, training.config(), &Provenance::new("lab.csv", "field.csv"))?,
        };
        let outcome = training.in_directory(run.clone())?.run(|event| match event {
            Event::Iteration { iteration, .. } if *iteration == stop_at => Flow::Stop,
            _ => Flow::Continue,
        })?;
        Ok(if outcome.stopped { Vec::new() } else { std::fs::read(run.model()).unwrap_or_default() })
    };
    let whole = go("whole", 0)?;
    go("stopped", 77)?;
    let resumed = go("stopped", 0)?;
    assert!(!whole.is_empty() && whole == resumed, "a resumed run ends in the same file");
    let model = Model::load(home.join("stopped/model.safetensors"))?;
    println!(
        "trained, stopped at 77, resumed: the same {} bytes, by `{}`",
        whole.len(),
        model.about().method
    );
    Ok(())
}

/// Benches the method together with two of the library's.
fn compare(methods: Methods, data: &Path, home: &Path) -> Result<(), Box<dyn Error>> {
    let suite = Suite::parse(SUITE, "the example's suite")?;
    let mut request = Request::new(suite, data, home.join("bench"));
    request.available = methods.clone();
    request.methods = ["source_only", "dan", "sliced"].map(str::to_owned).to_vec();
    request.seeds = 2;
    let plan = BenchPlan::make(request, &mut |_| {})?;
    for job in &plan.jobs {
        bench::run(job, &methods, &mut |_| Flow::Continue)?;
    }
    let results = Results::gather(&plan)?;
    println!("\n{}", tables::section(&results));
    results.write(&home.join("bench"))?;
    println!("In {}: a run that was resumed, and results.json of the bench", home.display());
    Ok(())
}

const SUITE: &str = r#"
name = "sensors"
title = "A made-up shift between a laboratory and the field"
tasks = [["Lab", "Field"], ["Field", "Lab"]]
settings = ["train.iterations=200", "generator.hidden=[32]", "data.centre=source"]
domains = [{ name = "Lab", files = ["lab"] }, { name = "Field", files = ["field"] }]
"#;

/// Three classes of ten features. In the field all features are shifted, some more than others.
fn write_domain(path: &Path, shift: f32) -> std::io::Result<()> {
    let mut rng = stream(7, Purpose::named("own_method/rows"), u64::from(shift.to_bits()));
    let mut text = "label,a,b,c,d,e,f,g,h,i,j\n".to_owned();
    for row in 0..240 {
        let class = row % 3;
        text += ["ant", "bee", "cat"][class];
        for feature in 0..10 {
            let centre = if feature % 3 == class { 1.5 } else { 0.0 };
            let moved = 2.5 * shift * (feature as f32 * 0.9).sin();
            text += &format!(",{:.4}", centre + moved + rng.random_range(-1.0..1.0f32));
        }
        text.push('\n');
    }
    std::fs::write(path, text)
}
