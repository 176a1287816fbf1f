//! A trained model: one self-contained file that predicts.

mod file;
mod mixture;

use std::path::Path;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

use self::file::VERSION;
pub(crate) use self::file::{read_tensors, write_tensors};
pub use self::mixture::Mixture;
pub(crate) use self::mixture::tempered;
use crate::data::normalise::Normaliser;
use crate::data::{Classes, Layout};
use crate::error::{Problem, Result};
use crate::linalg::argmax;
use crate::nets::{
    Domain, Generator, GeneratorSpec, HeadsConfig, LinearHead, Networks, Weights, export, import,
};
use crate::rng::{Purpose, stream};

/// Prefix of the tensors of the plain classifier in a model file.
const PLAIN: &str = "plain.";
/// Rows in one forward pass.
const BLOCK: usize = 1024;

/// The network whose predictions are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Head {
    /// The classifier C.
    #[default]
    C,
    /// The transport network T.
    T,
    /// The plain classifier: trained on the source alone, and kept beside the adapted networks by a guarded run.
    Plain,
    /// C and the plain classifier, calibrated and weighted as the guard decided.
    Guarded,
}

/// A trained classifier, with the layout and normalisation of its input and the names of its classes.
#[derive(Debug, Clone)]
pub struct Model {
    networks: Networks,
    normaliser: Normaliser,
    about: ModelInfo,
    /// The plain classifier; `None` if the run was not guarded.
    plain: Option<Box<Model>>,
}

/// The description in a model file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    version: u32,
    /// Name of the method that trained it.
    pub method: String,
    /// The seed it was trained with.
    pub seed: u64,
    /// The iteration of its weights, counted from 1.
    pub iteration: usize,
    /// Number of target rows it was adapted to.
    pub target_rows: usize,
    /// Shape and columns of its input rows.
    pub layout: Layout,
    /// Names of the classes, by index.
    pub classes: Classes,
    generator: GeneratorSpec,
    #[serde(default)]
    heads: HeadsConfig,
    normaliser: Normaliser,
    has_t: bool,
    /// The plain classifier, and how it is mixed with C; `None` if the run was not guarded.
    #[serde(default)]
    guard: Option<Box<GuardInfo>>,
}

/// The description of a guarded model's second classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct GuardInfo {
    plain: ModelInfo,
    mixture: Mixture,
}

impl ModelInfo {
    /// Returns an error if the description and the weights disagree, before anything is built from them.
    fn check(&self, path: &Path, weights: &Weights) -> Result<()> {
        let damaged = |found: String| {
            Problem::in_file(path)
                .found(found)
                .wanted("a whole model file")
                .help("the file is damaged: train again")
        };
        if self.layout.shape != self.generator.input {
            return Err(damaged(format!(
                "rows of {} for a network of {}",
                self.layout.shape, self.generator.input
            ))
            .into());
        }
        let held: usize = weights.values().map(|(_, values)| values.len()).sum();
        if self.generator.hidden.iter().chain(&self.generator.filters).any(|&width| width > held.max(65_536))
        {
            return Err(damaged(format!("layers of {:?} units", self.generator.hidden)).into());
        }
        match weights.iter().find(|(_, (_, values))| values.iter().any(|v| !v.is_finite())) {
            Some((name, _)) => Err(damaged(format!("a value in `{name}` that is not finite")).into()),
            None => Ok(()),
        }
    }
}

/// Class probabilities of some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Probabilities {
    /// Row-major, `rows × M`.
    pub values: Vec<f32>,
    /// M, the number of classes.
    pub n_classes: usize,
}

impl Probabilities {
    /// The most probable class of each row, and its probability.
    pub fn best(&self) -> (Vec<u32>, Vec<f32>) {
        self.values
            .chunks_exact(self.n_classes)
            .map(|row| {
                let best = argmax(row);
                (best as u32, row[best])
            })
            .unzip()
    }

    /// The mean probability of each class.
    pub fn mean(&self) -> Vec<f32> {
        let rows = (self.values.len() / self.n_classes).max(1) as f64;
        let mut mean = vec![0f64; self.n_classes];
        for row in self.values.chunks_exact(self.n_classes) {
            mean.iter_mut().zip(row).for_each(|(m, &p)| *m += f64::from(p) / rows);
        }
        mean.into_iter().map(|m| m as f32).collect()
    }
}

/// Outputs of the networks for some rows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outputs {
    /// z = G(x), row-major, `rows × width`.
    pub latent: Vec<f32>,
    /// p: the width of z.
    pub width: usize,
    /// Class probabilities of the classifier C.
    pub c: Probabilities,
    /// Class probabilities of the transport network T; `None` if the model has none.
    pub t: Option<Probabilities>,
}

impl Outputs {
    /// The probabilities of one head; those of C if there is no T.
    ///
    /// The plain classifier is another model: [`Model::predict`] gives its probabilities.
    pub fn of(self, head: Head) -> Probabilities {
        match (head, self.t) {
            (Head::T, Some(t)) => t,
            _ => self.c,
        }
    }
}

/// Arguments of [`Model::new`] besides the networks.
#[derive(Clone)]
pub(crate) struct Facts {
    pub(crate) method: String,
    pub(crate) seed: u64,
    pub(crate) iteration: usize,
    pub(crate) target_rows: usize,
    pub(crate) layout: Layout,
    pub(crate) classes: Classes,
}

impl Model {
    pub(crate) fn new(networks: Networks, normaliser: Normaliser, facts: Facts) -> Self {
        let about = ModelInfo {
            version: VERSION,
            method: facts.method,
            seed: facts.seed,
            iteration: facts.iteration,
            target_rows: facts.target_rows,
            layout: facts.layout,
            classes: facts.classes,
            heads: networks.c.config(),
            generator: networks.g.spec().clone(),
            normaliser: normaliser.clone(),
            has_t: networks.t.is_some(),
            guard: None,
        };
        Self { networks, normaliser, about, plain: None }
    }

    /// The model with a plain classifier beside its networks, from now on predicting by their mixture.
    pub fn guarded(mut self, plain: Self, mixture: Mixture) -> Self {
        self.about.guard = Some(Box::new(GuardInfo { plain: plain.about.clone(), mixture }));
        self.plain = Some(Box::new(plain));
        self
    }

    /// The plain classifier, trained on the source alone; `None` if the run was not guarded.
    pub fn plain(&self) -> Option<&Self> {
        self.plain.as_deref()
    }

    /// How C and the plain classifier are mixed; `None` if the run was not guarded.
    pub fn mixture(&self) -> Option<Mixture> {
        self.about.guard.as_ref().map(|guard| guard.mixture)
    }

    /// The head that predicts unless another is asked for: the guarded one if there is one, otherwise C.
    pub fn head(&self) -> Head {
        if self.plain.is_some() { Head::Guarded } else { Head::C }
    }

    /// Method, seed, iteration, layout and classes of the model.
    pub fn about(&self) -> &ModelInfo {
        &self.about
    }

    /// Class probabilities by one head. `rows` are raw values, which the model normalises.
    ///
    /// ```no_run
    /// # let model = cloth::Model::load("model.safetensors")?;
    /// let rows = vec![0.0; 2 * model.about().layout.shape.len()];
    /// let (classes, confidence) = model.predict(&rows, cloth::Head::C)?.best();
    /// # Ok::<(), cloth::Error>(())
    /// ```
    pub fn predict(&self, rows: &[f32], head: Head) -> Result<Probabilities> {
        self.check_head(head)?;
        match (head, &self.plain, self.mixture()) {
            (Head::Plain, Some(plain), _) => Ok(plain.outputs(rows)?.c),
            (Head::Guarded, Some(plain), Some(mixture)) => {
                Ok(mixture.of(&self.outputs(rows)?.c, &plain.outputs(rows)?.c))
            }
            _ => Ok(self.outputs(rows)?.of(head)),
        }
    }

    /// Latents and both heads' probabilities, from one pass of G. `rows` are raw values, which the model normalises.
    ///
    /// `rows` is row-major with any number of rows, each of the length of the model's layout.
    pub fn outputs(&self, rows: &[f32]) -> Result<Outputs> {
        let width = self.about.layout.shape.len();
        if !rows.len().is_multiple_of(width) {
            return Err(Problem::at("rows to predict")
                .found(format!("{} values", rows.len()))
                .wanted(format!("whole rows of {width} values: {}", self.about.layout.shape))
                .into());
        }
        let mut rows = rows.to_vec();
        self.normaliser.apply(&mut rows);
        Ok(outputs(&self.networks, &rows, Domain::Target))
    }

    /// The same for rows of one domain that are already normalised.
    #[cfg_attr(not(feature = "report"), allow(dead_code))]
    pub(crate) fn outputs_of_normalised(&self, rows: &[f32], domain: Domain) -> Outputs {
        outputs(&self.networks, rows, domain)
    }

    /// Whether the model has a transport network, [`Head::T`].
    pub fn has_t(&self) -> bool {
        self.about.has_t
    }

    /// Returns an error if the model does not have this head.
    pub fn check_head(&self, head: Head) -> Result<()> {
        if head == Head::T && !self.has_t() {
            return Err(Problem::at("head")
                .found("`t`")
                .wanted(format!("`c`: a model of method `{}` has no transport network", self.about.method))
                .into());
        }
        if let (Head::Plain | Head::Guarded, None) = (head, &self.plain) {
            return Err(Problem::at("head")
                .found(if head == Head::Plain { "`plain`" } else { "`guarded`" })
                .wanted("`c`: the model was trained without `train.guard`, so it has no plain classifier")
                .into());
        }
        Ok(())
    }

    /// Writes the model as safetensors, atomically.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut weights = self.weights();
        let plain = self.plain.iter().flat_map(|plain| plain.weights());
        weights.extend(plain.map(|(name, weight)| (format!("{PLAIN}{name}"), weight)));
        write_tensors(path.as_ref(), &weights, "cloth", &self.about)
    }

    /// The tensors of the file, without those of the plain classifier.
    fn weights(&self) -> Weights {
        let mut weights = export(&self.networks);
        for (name, values) in [("mean", &self.normaliser.mean), ("spread", &self.normaliser.spread)] {
            weights.insert(format!("normaliser.{name}"), (vec![values.len()], values.clone()));
        }
        weights
    }

    /// Reads a model file for prediction on the CPU.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_on(path, &crate::device::cpu())
    }

    /// Reads a model file for prediction on a device.
    pub fn load_on(path: impl AsRef<Path>, device: &Device) -> Result<Self> {
        let path = path.as_ref();
        let (mut weights, about) =
            read_tensors::<ModelInfo>(path, "cloth", "a model that training has saved")?;
        let plain = match &about.guard {
            None => None,
            Some(guard) => {
                guard.mixture.check(path)?;
                let own = |name: &str| name.strip_prefix(PLAIN).map(str::to_owned);
                let plain = weights.iter().filter_map(|(name, weight)| Some((own(name)?, weight.clone())));
                let plain = Self::build(path, plain.collect(), guard.plain.clone(), device)?;
                weights.retain(|name, _| !name.starts_with(PLAIN));
                Some(Box::new(plain))
            }
        };
        Ok(Self { plain, ..Self::build(path, weights, about, device)? })
    }

    /// A model from its tensors and its description, which come from the file at `path`.
    fn build(path: &Path, weights: Weights, about: ModelInfo, device: &Device) -> Result<Self> {
        about.check(path, &weights)?;
        let mut rng = stream(0, Purpose::WEIGHTS, 0);
        let width = about.generator.width();
        let n_classes = about.classes.len();
        let networks = Networks {
            g: Generator::new(&about.generator, &mut rng, device),
            c: LinearHead::new(about.heads, width, n_classes, &mut rng, device),
            t: about.has_t.then(|| LinearHead::new(about.heads, width, n_classes, &mut rng, device)),
        };
        let networks = import(networks, &weights).map_err(|e| {
            Problem::in_file(path)
                .found(e)
                .wanted("the weights of its own description")
                .help("the file is damaged: train again")
        })?;
        let part = |name: &str| match weights.get(&format!("normaliser.{name}")) {
            Some((_, values)) if values.len() == about.layout.shape.len() => Ok(values.clone()),
            _ => Err(Problem::in_file(path)
                .found(format!("no usable normaliser.{name}"))
                .wanted("a whole model file")),
        };
        let normaliser =
            Normaliser { mean: part("mean")?, spread: part("spread")?, ..about.normaliser.clone() };
        Ok(Self { networks, normaliser, about, plain: None })
    }
}

/// Outputs of the networks for normalised rows, computed in blocks.
pub(crate) fn outputs(networks: &Networks, rows: &[f32], domain: Domain) -> Outputs {
    let n_classes = networks.c.n_classes();
    let none = || Probabilities { values: Vec::new(), n_classes };
    let mut all = Outputs {
        latent: Vec::new(),
        width: networks.g.spec().width(),
        c: none(),
        t: networks.t.as_ref().map(|_| none()),
    };
    for block in rows.chunks(BLOCK * networks.g.spec().input.len()) {
        let (z, c, t) = networks.forward(networks.tensor(block), domain);
        all.latent.extend(values(z));
        all.c.values.extend(values(softmax(c, 1)));
        if let (Some(all), Some(t)) = (&mut all.t, t) {
            all.values.extend(values(softmax(t, 1)));
        }
    }
    all
}

fn values(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("networks give f32")
}
