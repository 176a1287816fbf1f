//! Methods in which G is trained against a binary discriminator by a reversed gradient.
//!
//! ```text
//! update C, G, D by l_c + w l_dom(D(h)),   with the gradient from D to G times −λ(p)
//! λ(p) = 2 / (1 + exp(−10 p)) − 1,   p: completed share of the run
//! ```
//!
//! With a [`Condition`], D sees h combined with the class probabilities.

use burn::module::Module;
use burn::tensor::Tensor;
use burn::tensor::activation::softmax;

use super::{Multilinear, Pass, Total, growing, halves};
use crate::error::Result;
use crate::loss::{certainty, l_c, l_dom};
use crate::method::{LossInfo, Losses, Method, Setup, Step};
use crate::nets::{Classifier, DomainDiscriminator, Networks, Weights, reverse_gradient};
use crate::optim::Learner;
use crate::rng::{Purpose, stream};

/// The domain loss, for [`Recipe::losses`](crate::method::Recipe::losses).
pub fn l_dom_info() -> LossInfo {
    LossInfo::new("l_dom", "D discriminating the domains")
}

/// C and G trained against D, as in DANN and CDAN.
pub struct Adversarial {
    nets: Learner<Nets>,
    label_smoothing: f64,
    weight: f64,
    condition: Option<Condition>,
}

#[derive(Module, Debug)]
struct Nets {
    classifier: Classifier,
    d: DomainDiscriminator,
}

/// How D is conditioned on the predicted classes.
pub struct Condition {
    /// Combines latents and class probabilities.
    pub map: Multilinear,
    /// Whether rows that C is certain of have larger weights in l_dom.
    pub by_certainty: bool,
}

impl Adversarial {
    /// Adds `weight` times the domain loss; D has ReLU layers of widths `hidden`. The classifier has no label
    /// smoothing.
    pub fn new(setup: &Setup<'_>, weight: f64, hidden: &[usize], condition: Option<Condition>) -> Self {
        let mut rng = stream(setup.config.seed, Purpose::WEIGHTS, 1);
        let seen = condition.as_ref().map_or(setup.generator.width(), |c| c.map.width());
        let widths = [&[seen][..], hidden, &[2]].concat();
        let d = DomainDiscriminator::new(&widths, 0.0, &mut rng, &setup.training_device());
        let nets = Learner::new(Nets { classifier: setup.classifier(), d });
        Self { nets, label_smoothing: 0.0, weight, condition }
    }

    /// Smooths the labels of the classification loss.
    pub fn smoothed(self, label_smoothing: f64) -> Self {
        Self { label_smoothing, ..self }
    }
}

impl Method for Adversarial {
    fn step(&mut self, step: &Step<'_>) -> Result<Losses> {
        let mut losses = Losses::new();
        let Nets { classifier, d } = self.nets.module();
        let pass = Pass::new(classifier, step);
        let b_s = pass.y_s.len();
        let reversed = reverse_gradient(pass.h, growing(step.progress()));
        let (seen, weights) = match &self.condition {
            None => (reversed, None),
            Some(Condition { map, by_certainty }) => {
                let logits = Tensor::cat(vec![pass.c_s.clone(), pass.c_t], 0).detach();
                let weights = by_certainty.then(|| halves(certainty(logits.clone()), b_s));
                (map.of(reversed, softmax(logits, 1)), weights)
            }
        };
        let (d_s, d_t) = halves(d.forward(seen), b_s);
        let mut total = Total::new(&mut losses);
        total.add("l_c", 1.0, l_c(pass.c_s, &pass.y_s, self.label_smoothing));
        total.add("l_dom", self.weight, l_dom(d_s, d_t, weights));
        if let Some(sum) = total.sum() {
            self.nets.step(sum, &step.rate());
        }
        Ok(losses)
    }

    fn networks(&self) -> Networks {
        self.nets.average().classifier.into()
    }

    fn save(&self) -> Weights {
        let mut state = Weights::new();
        self.nets.save("nets", &mut state);
        state
    }

    fn load(&mut self, state: &Weights) -> Result<()> {
        self.nets.load("nets", state)
    }
}
