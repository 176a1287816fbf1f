//! CDAN: the discriminator sees features together with the classes they are called, so that the domains meet class by
//! class.
//!
//! Long et al., *Conditional Adversarial Domain Adaptation*, NeurIPS 2018:
//!
//! ```text
//! min_{G,C} max_D  l_c − λ(p) l_dom(D(z ⊗ softmax(c)), w),   λ(p) = 2 / (1 + exp(−10 p)) − 1
//! ```
//!
//! CDAN has w = 1; CDAN+E, the method `cdan_e`, has w = 1 + exp(−H(softmax(c))). As in the authors' code the
//! probabilities have no gradient here, and as in their later library the weights have none either. D has two hidden
//! layers of 1024 units as there, without the dropout that theirs has; for digits the authors' code has 500, which the
//! suite `digits` sets under the default preset. p is the share of the run, as in the paper; in their code λ is full
//! after 10,000 iterations, however long the run is. As in the paper, where z ⊗ softmax(c) would pass 4096 numbers it
//! is replaced by (R_z z) ⊙ (R_c softmax(c)) / √d with fixed random R_z and R_c, whose products have the same
//! expectation.

use burn::tensor::{Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::shared::{Adversarial, Condition};
use super::{Entry, Setup, defaults, params, table};
use crate::config::{Config, at_least_one, layer_width, within};
use crate::error::Result;
use crate::rng::{Purpose, stream};

/// Above so many numbers the outer product is replaced by a random map.
const LARGEST_PRODUCT: usize = 4096;

/// The method's entry in the list.
pub const ENTRY: Entry = Entry {
    name: "cdan",
    summary: "makes the domains indistinguishable given the classes they are called",
    reference: "CDAN, NeurIPS 2018",
    adapts: true,
    defaults: defaults::<Params>,
    shared_defaults: "",
    build: |setup| Ok(Box::new(build(setup)?)),
    check_params: |config| params::<Params>(config)?.check(config),
};

/// CDAN+E: the same, with entropy conditioning.
pub const ENTRY_E: Entry = Entry {
    name: "cdan_e",
    summary: "the same, where rows that the classifier is sure of count more",
    reference: "CDAN+E, NeurIPS 2018",
    defaults: || table(&Params { entropy_conditioning: true, ..Params::default() }),
    ..ENTRY
};

/// `[method.cdan]` and `[method.cdan_e]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Weight of the domain loss.
    pub weight: f64,
    /// Widths of D's hidden layers.
    pub discriminator_hidden: Vec<usize>,
    /// Whether rows that C is sure of count more (CDAN+E).
    pub entropy_conditioning: bool,
    /// How many numbers the random map gives D, where the outer product would be larger than 4096.
    pub random_features: usize,
    /// Label smoothing of the classifier; the paper has none.
    pub label_smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            weight: 1.0,
            discriminator_hidden: vec![1024, 1024],
            entropy_conditioning: false,
            random_features: 1024,
            label_smoothing: 0.0,
        }
    }
}

impl Params {
    fn check(&self, config: &Config) -> Result<()> {
        let key = |name: &str| format!("method.{}.{name}", config.method.name);
        within(&key("weight"), self.weight, 0.0, f64::MAX)?;
        for (i, &width) in self.discriminator_hidden.iter().enumerate() {
            layer_width(&key(&format!("discriminator_hidden[{i}]")), width)?;
        }
        at_least_one(&key("random_features"), self.random_features)?;
        within(&key("label_smoothing"), self.label_smoothing, 0.0, 0.9)
    }
}

fn build(setup: &Setup<'_>) -> Result<Adversarial> {
    let p: Params = params(setup.config)?;
    let mut rng = stream(setup.config.seed, Purpose::Weights, 2);
    let map = Multilinear::new(setup.generator.width(), setup.n_classes, p.random_features, &mut rng);
    let condition = Condition { map, by_certainty: p.entropy_conditioning };
    Ok(Adversarial::new(setup, p.label_smoothing, p.weight, &p.discriminator_hidden, Some(condition)))
}

/// How features and class probabilities are brought together.
pub(crate) enum Multilinear {
    /// z ⊗ p, of this width.
    Outer(usize),
    /// (R_z z) ⊙ (R_p p) / √d, with R_z and R_p.
    Random(Box<[Tensor<2>; 2]>),
}

impl Multilinear {
    fn new(width: usize, n_classes: usize, random: usize, rng: &mut ChaCha8Rng) -> Self {
        if width * n_classes <= LARGEST_PRODUCT {
            return Self::Outer(width * n_classes);
        }
        let device = crate::device::training();
        Self::Random(Box::new([width, n_classes].map(|inputs| {
            // Of variance 1, so that the products of two rows have the expectation of the outer product's.
            let bound = 3f32.sqrt();
            let values: Vec<f32> = (0..inputs * random).map(|_| rng.random_range(-bound..bound)).collect();
            Tensor::from_data(TensorData::new(values, [inputs, random]), &device)
        })))
    }

    /// How many numbers D sees of each row.
    pub(crate) fn width(&self) -> usize {
        match self {
            Self::Outer(width) => *width,
            Self::Random(maps) => maps[0].dims()[1],
        }
    }

    /// What D sees.
    ///
    /// # Shapes
    /// - `z`: `[b, p]`, `p`: `[b, M]`
    /// - returns `[b, width]`
    pub(crate) fn of(&self, z: Tensor<2>, p: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Outer(width) => {
                let [rows, _] = z.dims();
                (z.unsqueeze_dim::<3>(2) * p.unsqueeze_dim::<3>(1)).reshape([rows, *width])
            }
            Self::Random(maps) => {
                let [r_z, r_p] = *maps.clone();
                (z.matmul(r_z) * p.matmul(r_p)).div_scalar((self.width() as f32).sqrt())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::check::{noise, tensor};
    use crate::method::Method;
    use crate::method::shared::check::Small;
    use crate::nets::export;
    use burn::tensor::activation::softmax;

    fn values(x: Tensor<2>) -> Vec<f32> {
        x.into_data().try_into_vec().unwrap()
    }

    #[test]
    fn small_products_are_exact() {
        let map = Multilinear::new(2, 3, 5, &mut stream(0, Purpose::Weights, 2));
        let seen = map.of(tensor([[2.0, -1.0]]), tensor([[0.5, 0.25, 0.25]]));
        assert_eq!(values(seen), [1.0, 0.5, 0.5, -0.5, -0.25, -0.25]);
    }

    #[test]
    fn large_products_keep_the_angles_between_rows() {
        // ⟨z ⊗ p, z' ⊗ p'⟩ = ⟨z, z'⟩ ⟨p, p'⟩, here by 4000 random numbers in place of 64 · 70.
        let map = Multilinear::new(64, 70, 4000, &mut stream(0, Purpose::Weights, 2));
        assert_eq!(map.width(), 4000);
        let (z, p) = (noise(2, 64, 1), softmax(noise(2, 70, 2) * 4.0, 1));
        let seen = map.of(z.clone(), p.clone());
        let inner = |x: Tensor<2>| values(x.clone().matmul(x.transpose()));
        let (sketched, of_z, of_p) = (inner(seen), inner(z), inner(p));
        for i in 0..4 {
            let exact = of_z[i] * of_p[i];
            assert!((sketched[i] - exact).abs() < 0.2 * of_z[0] * of_p[0], "{} {exact}", sketched[i]);
        }
    }

    #[test]
    fn entropy_conditioning_makes_another_method_of_it() {
        let trained = |method: &str, settings: &[&str]| {
            let small = Small::new(method, settings);
            let mut cdan = build(&small.setup()).unwrap();
            small.run(&mut cdan, 1..=3);
            export(&cdan.networks())
        };
        let with_e = trained("cdan_e", &[]);
        assert_eq!(with_e, trained("cdan", &["method.cdan.entropy_conditioning=true"]));
        assert_ne!(with_e, trained("cdan", &[]));
    }
}
