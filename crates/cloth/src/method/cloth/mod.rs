//! CLOTH: class-aware optimal transport with higher-order moment matching.
//!
//! Algorithm 1 of the paper, one iteration:
//!
//! ```text
//! draw a batch of both domains;  update D       by l_d
//! draw another batch;            update C, T, G by l_c + w (l_gs + l_gt) + α l_t + β l_ent + γ l_hmm
//! ```
//!
//! with w = 1. The default uses a smaller w, adds a structure loss (see `structure`) and ramps up the losses that align
//! the domains over the first part of the run. The `paper` preset does none of this.

mod objective;
mod params;
mod structure;

pub use params::{MomentLoss, Params, SinkhornRows, Transport};

use burn::module::Module;
use burn::tensor::Tensor;
use burn::tensor::activation::softmax;

use self::objective::Objective;
use self::structure::Structure;
use super::shared::{Total, gradient_shares, halves, l_c_info};
use super::{Addition, LossInfo, Losses, Method, Phase, Recipe, Setup, Step};
use crate::config::{Config, ParameterSet};
use crate::error::Result;
use crate::loss::{Discriminator, l_d};
use crate::nets::{Domain, DomainDiscriminator, Generator, LinearHead, Mode, Networks, Weights};
use crate::optim::{Learner, Rate};
use crate::rng::{Purpose, stream};

/// The recipe of CLOTH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cloth;

impl Recipe for Cloth {
    fn name(&self) -> &str {
        "cloth"
    }

    fn summary(&self) -> &str {
        "class-aware optimal transport with higher-order moment matching"
    }

    fn reference(&self) -> &str {
        "CLOTH, ICCV 2023"
    }

    fn revision(&self) -> u32 {
        2
    }

    fn parameters(&self) -> ParameterSet {
        ParameterSet::of::<Params>()
    }

    fn shared_defaults(&self) -> &str {
        include_str!("shared.toml")
    }

    fn preset(&self, preset: &str) -> &str {
        match preset {
            "paper" => include_str!("paper.toml"),
            "paper-code" => include_str!("paper_code.toml"),
            _ => "",
        }
    }

    fn losses(&self) -> Vec<LossInfo> {
        let scaled = "moments grow as a power of the latent values: use `method.cloth.moment_scale=inverse-width`, \
                      `generator.last_activation=tanh`, or a smaller `method.cloth.q` or `method.cloth.gamma`";
        let tanh = "moments grow as a power of the latent values: use `generator.last_activation=tanh`, or a smaller \
                    `method.cloth.q` or `method.cloth.gamma`";
        let bounded = "this form has no lower bound: use `method.cloth.l_gt=non-saturating`";
        vec![
            LossInfo::new("w", "transport cost W: the cost of moving target rows to the source's classes"),
            l_c_info(),
            LossInfo::new("l_d", "D discriminating source classes and target"),
            LossInfo::new("l_gs", "G fooling D on source rows"),
            LossInfo::new("l_gt", "G fooling D on target rows").advice(bounded),
            LossInfo::new("l_t", "transport: W, and T on source rows"),
            LossInfo::new("l_ent", "entropy: certain on each row, spread over the classes"),
            LossInfo::new("l_hmm", "higher-order moments, class by class").advice(scaled),
            LossInfo::new("homm", "higher-order moments, all classes together").advice(tanh),
            LossInfo::new("l_con", "consistency: two views of a target image are predicted alike"),
            LossInfo::new("l_str", "structure: neighbours in the target are predicted alike"),
        ]
    }

    fn phases(&self, config: &Config) -> Result<Vec<Phase>> {
        let params: Params = config.method.read()?;
        let (first, last) = (params.first_plan(config.train.iterations), config.train.iterations);
        if params.structure == 0.0 || first > last {
            return Ok(vec![Phase::new("training", 1..=last)]);
        }
        Ok(vec![Phase::new("before the first plan", 1..=first - 1), Phase::new("with plans", first..=last)])
    }

    fn additions(&self) -> Vec<Addition> {
        let note = "CLOTH has its structure loss, which the paper does not have: `method.cloth.structure=0` leaves it \
                    out.";
        vec![Addition::new("structure loss", ["structure", "0"], note)]
    }

    fn build(&self, setup: &Setup<'_>) -> Result<Box<dyn Method>> {
        Ok(Box::new(Trainer::new(setup)?))
    }
}

/// G, C and T, updated together. Without T, C takes its place.
#[derive(Module, Debug)]
struct Nets {
    g: Generator,
    c: LinearHead,
    t: Option<LinearHead>,
}

struct Trainer {
    params: Params,
    n_classes: usize,
    nets: Learner<Nets>,
    d: Learner<DomainDiscriminator>,
    /// π in f32; `None` if it is uniform.
    prior: Option<Vec<f32>>,
    pi: Vec<f64>,
    structure: Structure,
}

impl Trainer {
    fn new(setup: &Setup<'_>) -> Result<Self> {
        let params: Params = setup.params()?;
        let pi = params.prior(setup.n_classes)?;
        let device = setup.training_device();
        let mut rng = stream(setup.config.seed, Purpose::WEIGHTS, 0);
        let width = setup.generator.width();
        let g = Generator::new(setup.generator, &mut rng, &device);
        let heads = setup.config.heads;
        let c = LinearHead::new(heads, width, setup.n_classes, &mut rng, &device);
        // Without l_t no loss would train T on the source, so C takes its place.
        let own_t = !params.share_ct && params.alpha > 0.0;
        let t = own_t.then(|| LinearHead::new(heads, width, setup.n_classes, &mut rng, &device));
        let outputs = match params.discriminator {
            Discriminator::MultiClass => setup.n_classes + 1,
            Discriminator::Binary => 2,
        };
        let widths = [&[width][..], &params.discriminator_hidden[..], &[outputs]].concat();
        let d = DomainDiscriminator::with_init(heads.init, &widths, 0.2, &mut rng, &device);
        // Uniform proportions are the plain entropy, whether they were given or not.
        let even = pi.iter().all(|&p| p == pi[0]);
        let prior = (!even).then(|| pi.iter().map(|&p| p as f32).collect());
        Ok(Self {
            n_classes: setup.n_classes,
            nets: Learner::new(Nets { g, c, t }),
            d: Learner::new(d),
            structure: Structure::new(),
            params,
            prior,
            pi,
        })
    }

    /// Lines 2 and 3 of Algorithm 1: trains D to discriminate source classes and target on latents `z`; G is constant.
    fn update_d(
        d: &mut Learner<DomainDiscriminator>,
        z: Tensor<2>,
        y_s: &[u32],
        kind: Discriminator,
        rate: &Rate,
    ) -> f32 {
        let (d_s, d_t) = halves(d.module().forward(Tensor::from_inner(z)), y_s.len());
        let l_d = l_d(d_s, d_t, y_s, kind);
        let value = l_d.clone().into_scalar();
        d.step(l_d, rate);
        value
    }

    /// Lines 4 and 5 of Algorithm 1: trains C, T and G; D is constant. `z` are the latents, `mode` is that of their pass.
    fn update_nets(
        &mut self,
        step: &Step<'_>,
        batch: BatchLabels,
        z: Tensor<2>,
        mode: Mode,
        losses: &mut Losses,
    ) {
        let nets = self.nets.module();
        let objective = Objective {
            step,
            params: &self.params,
            pi: &self.pi,
            proportions: self.structure.proportions().or(self.prior.as_deref()),
            plan: self.structure.rows(&batch.target_rows, self.n_classes),
            y_s: &batch.y_s,
            dropout: nets.g.spec().dropout,
            teacher: self.teacher(step, &batch.target_rows),
        };
        // D's weights are constants here: its gradients would be discarded.
        let d = self.d.module().clone().no_grad();
        if step.is_evaluated() {
            let shares = gradient_shares(&z, |z, total| {
                // Copies: normalisation layers count each batch once.
                let (c, t) = (nets.c.clone().no_grad(), nets.t.clone().map(Module::no_grad));
                objective.add(z, mode.clone(), &c, t.as_ref(), &d, total);
            });
            shares.into_iter().for_each(|(symbol, share)| losses.push_share(symbol, share));
        }
        let mut total = Total::new(losses);
        objective.add(z, mode, &nets.c, nets.t.as_ref(), &d, &mut total);
        if let Some(sum) = total.sum() {
            self.nets.step(sum, &step.rate());
        }
    }
}

impl Trainer {
    /// C's probabilities for another view of the target rows, by the averaged networks; `None` without consistency.
    fn teacher(&self, step: &Step<'_>, target_rows: &[u32]) -> Option<Vec<f32>> {
        if self.params.consistency == 0.0 || !step.data.augments() {
            return None;
        }
        let view = step.data.other_view(target_rows, step.random(Purpose::named("cloth/view")), step.device);
        let (_, c, _) = self.networks().forward(view, Domain::Target);
        Some(softmax(c, 1).into_data().try_into_vec().expect("probabilities are f32"))
    }
}

impl Method for Trainer {
    fn step(&mut self, step: &Step<'_>) -> Result<Losses> {
        let mut losses = Losses::new();
        if self.params.structure > 0.0 {
            match structure::made_at(&self.params, step) {
                None => {}
                Some(now) if now == step.iteration => {
                    let networks = self.networks();
                    self.structure.refresh(&self.params, step, &networks, &self.pi);
                }
                Some(before) => self.structure.recall(&self.params, step, before),
            }
        }
        let g = &self.nets.module().g;
        // Normalisation by domain must not take the target's class proportions for a shift.
        let proportions = self.structure.proportions().or(self.prior.as_deref());
        let source_weights = |y_s: &[u32]| proportions.map(|pi| weights_for(y_s, pi));
        let pass = |g: &Generator, x, purpose, b_s, weights| {
            let mut mode = step.mode(purpose, b_s).with_source_weights(weights);
            (g.forward(x, &mut mode), mode)
        };
        if self.params.adversarial || self.params.alpha > 0.0 {
            let for_d = step.batch(Purpose::BATCHES_OF_D);
            let (z, mut mode) = pass(&g.valid(), for_d.x, Purpose::DROPOUT_OF_D, for_d.b_s, None);
            let h = mode.dropout(z, g.spec().dropout);
            let (d, kind, rate) = (&mut self.d, self.params.discriminator, step.rate());
            let l_d = Self::update_d(d, h, &for_d.y_s, kind, &rate);
            losses.push("l_d", l_d);
        }
        let for_g = step.batch(Purpose::BATCHES_OF_G);
        let weights = source_weights(&for_g.y_s);
        let (z, mode) = pass(g, Tensor::from_inner(for_g.x), Purpose::DROPOUT_OF_G, for_g.b_s, weights);
        let labels = BatchLabels { y_s: for_g.y_s, target_rows: for_g.target_rows };
        self.update_nets(step, labels, z, mode, &mut losses);
        Ok(losses)
    }

    fn networks(&self) -> Networks {
        let Nets { g, c, t } = self.nets.average();
        let t = t.unwrap_or_else(|| c.clone());
        Networks { g, c, t: Some(t) }
    }

    fn save(&self) -> Weights {
        let mut state = Weights::new();
        self.nets.save("nets", &mut state);
        self.d.save("d", &mut state);
        self.structure.save(&mut state);
        state
    }

    fn load(&mut self, state: &Weights) -> Result<()> {
        self.nets.load("nets", state)?;
        self.d.load("d", state)?;
        self.structure.load(state);
        Ok(())
    }
}

/// Weights of source rows with which their classes have the proportions `pi`.
fn weights_for(y_s: &[u32], pi: &[f32]) -> Vec<f32> {
    let mut counts = vec![0f32; pi.len()];
    y_s.iter().for_each(|&y| counts[y as usize] += 1.0);
    y_s.iter().map(|&y| pi[y as usize] / counts[y as usize]).collect()
}

/// Source labels and target row indices of a batch.
struct BatchLabels {
    y_s: Vec<u32>,
    target_rows: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::shared::check::Small;
    use crate::nets::export;

    #[test]
    fn a_run_that_goes_on_between_two_plans_of_images_knows_which_rows_they_are_of() {
        // Plans at iterations 1, 4, 7 and 10, each of a different 24 of the 30 rows.
        let settings = ["structure_start=0", "structure_every=3", "structure_rows=24", "ramp=0"];
        let settings: Vec<String> = settings.iter().map(|set| format!("method.cloth.{set}")).collect();
        let small = Small::images("cloth", &settings.iter().map(String::as_str).collect::<Vec<_>>());
        let (mut whole, mut parts) =
            (Trainer::new(&small.setup()).unwrap(), Trainer::new(&small.setup()).unwrap());
        small.run(&mut whole, 1..=10);
        small.run(&mut parts, 1..=5);
        let saved = parts.save();
        let mut parts = Trainer::new(&small.setup()).unwrap();
        parts.load(&saved).unwrap();
        small.run(&mut parts, 6..=10);
        assert_eq!(export(&whole.networks().g), export(&parts.networks().g));
        assert_eq!(export(&whole.networks().c), export(&parts.networks().c));
    }

    #[test]
    fn images_that_are_varied_are_learned_consistently_and_other_rows_have_no_such_loss() {
        let symbols = |small: &Small| {
            let mut trainer = Trainer::new(&small.setup()).unwrap();
            small
                .run(&mut trainer, 1..=2)
                .symbols()
                .iter()
                .map(|symbol| symbol.to_string())
                .collect::<Vec<_>>()
        };
        let has = |small: &Small| symbols(small).iter().any(|symbol| symbol == "l_con");
        assert!(has(&Small::images("cloth", &["data.augment=0.5"])));
        assert!(!has(&Small::images("cloth", &["data.augment=0.5", "method.cloth.consistency=0"])));
        assert!(!has(&Small::images("cloth", &[])));
        assert!(!has(&Small::new("cloth", &["data.augment=0.5"])));
    }

    #[test]
    fn the_presets_of_the_paper_keep_their_own_network_and_learning_rate() {
        use crate::config::Norm;
        let layers = || crate::method::Methods::builtin().layers("cloth").unwrap();
        assert_eq!(layers().build().unwrap().heads.batch_norm, Norm::Domain);
        for (preset, norm) in [("paper", Norm::None), ("paper-code", Norm::Domain)] {
            let config = layers().preset(preset).unwrap().build().unwrap();
            assert_eq!((config.heads.batch_norm, config.train.learning_rate), (norm, 1e-4), "{preset}");
        }
    }

    #[test]
    fn shares_of_the_gradient_are_measured_where_networks_are_evaluated_and_change_nothing() {
        let run = |every: &str| {
            let small = Small::new("cloth", &["heads.batch_norm=domain", every]);
            let mut trainer = Trainer::new(&small.setup()).unwrap();
            let losses = small.run(&mut trainer, 1..=5);
            (losses, export(&trainer.networks().g), export(&trainer.networks().c))
        };
        let (measured, g, c) = run("train.evaluate_every=1");
        let (not_measured, ..) = run("train.evaluate_every=4");
        assert_eq!(run("train.evaluate_every=4").1, g);
        assert_eq!(run("train.evaluate_every=4").2, c);
        assert_eq!(not_measured.shares().count(), 0);
        let shares: Vec<(&str, f32)> = measured.shares().collect();
        assert!(shares.iter().any(|(symbol, share)| *symbol == "l_hmm" && *share > 0.0), "{shares:?}");
        assert!((shares.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5, "{shares:?}");
    }

    #[test]
    fn the_moments_of_homm_are_of_values_less_their_mean() {
        // The first moment is therefore zero although the target is shifted; the second is not.
        let homm = |q: &str| {
            let small = Small::new("cloth", &["method.cloth.moments=homm", q]);
            let losses = small.run(&mut Trainer::new(&small.setup()).unwrap(), 1..=1);
            losses.get("homm").unwrap()
        };
        assert!(homm("method.cloth.q=1") < 1e-12);
        assert!(homm("method.cloth.q=2") > 1e-6);
    }
}
