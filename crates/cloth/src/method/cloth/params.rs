//! `[method.cloth]`: the paper's weights and switches, and what the default adds to them.

use serde::{Deserialize, Serialize};

use crate::config::{Config, at_least_one, layer_width, within};
use crate::error::{Problem, Result};
use crate::loss::{Discriminator, GtForm, MomentScale, Reduction, TargetWeights};

/// `[method.cloth]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Weight of l_t.
    pub alpha: f64,
    /// Weight of l_ent.
    pub beta: f64,
    /// Weight of l_hmm, or of HoMM in its place.
    pub gamma: f64,
    /// Order of the moments.
    pub q: u32,
    /// Whether l_gs and l_gt are used.
    pub adversarial: bool,
    /// Weight of l_gs + l_gt; the paper has 1.
    pub adversarial_weight: f64,
    /// How the transport plan is found.
    pub transport: Transport,
    /// Which moments are matched.
    pub moments: Moments,
    /// What D tells apart.
    pub discriminator: Discriminator,
    /// Widths of D's hidden layers; the paper has none.
    pub discriminator_hidden: Vec<usize>,
    /// Whether C and T are one network.
    pub share_ct: bool,
    /// The form of l_gt.
    pub l_gt: GtForm,
    /// Means or sums over the rows of l_t.
    pub reduction: Reduction,
    /// Weights of the target's rows in l_hmm.
    pub moment_weights: TargetWeights,
    /// Scale of the kernel of l_hmm.
    pub moment_scale: MomentScale,
    /// Entries that HoMM draws, if `moments = "homm"`.
    pub homm_entries: usize,
    /// Entropic regularisation, if `transport = "sinkhorn"`.
    pub sinkhorn_epsilon: f64,
    /// The target's class proportions, if they are known; empty: all alike.
    pub prior: Vec<f64>,
    /// Label smoothing of C and T on the source.
    pub label_smoothing: f64,
    /// Share of the run over which the adversarial losses, the target part of l_t, l_ent and l_hmm grow to their full
    /// weight.
    pub ramp: f64,
    /// Weight of the structure loss; 0, as in the paper, leaves it out.
    pub structure: f64,
    /// Share of the run after which the first structure plan is made.
    pub structure_start: f64,
    /// Iterations between two structure plans.
    pub structure_every: usize,
    /// Most neighbours of each target row in the structure graph, at least 3; fewer where classes are small.
    pub structure_neighbours: usize,
    /// Most target rows in the structure graph.
    pub structure_rows: usize,
    /// How far a structure plan is pulled towards the prior's class proportions: 0 not at all, 1 all the way.
    pub structure_balance: f64,
    /// How much a structure plan trusts source class means against the networks: 0 not at all, 1 alone.
    pub structure_anchor: f64,
}

/// `method.cloth.transport`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// By the network T (the paper).
    Amortised,
    /// By Sinkhorn's algorithm in each batch (the paper's ablation).
    Sinkhorn,
}

/// `method.cloth.moments`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moments {
    /// Class by class: l_hmm (the paper).
    ClassAware,
    /// Over all classes, by sampling: HoMM.
    Homm,
    /// None.
    None,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            alpha: 0.1,
            beta: 0.05,
            gamma: 0.01,
            q: 3,
            adversarial: true,
            adversarial_weight: 0.1,
            transport: Transport::Amortised,
            moments: Moments::ClassAware,
            discriminator: Discriminator::MultiClass,
            discriminator_hidden: vec![256],
            share_ct: false,
            l_gt: GtForm::NonSaturating,
            reduction: Reduction::Mean,
            moment_weights: TargetWeights::Normalised,
            moment_scale: MomentScale::InverseWidth,
            homm_entries: 1000,
            sinkhorn_epsilon: 0.1,
            prior: Vec::new(),
            label_smoothing: 0.1,
            ramp: 0.3,
            structure: 2.0,
            structure_start: 0.16,
            structure_every: 100,
            structure_neighbours: 10,
            structure_rows: 10_000,
            structure_balance: 0.8,
            structure_anchor: 0.7,
        }
    }
}

impl Params {
    /// Refuses impossible values.
    pub(super) fn check(&self, _config: &Config) -> Result<()> {
        let key = |name: &str| format!("method.cloth.{name}");
        for (name, value) in [
            ("alpha", self.alpha),
            ("beta", self.beta),
            ("gamma", self.gamma),
            ("adversarial_weight", self.adversarial_weight),
            ("structure", self.structure),
        ] {
            within(&key(name), value, 0.0, f64::MAX)?;
        }
        within(&key("q"), f64::from(self.q), 1.0, 16.0)?;
        within(&key("sinkhorn_epsilon"), self.sinkhorn_epsilon, f64::MIN_POSITIVE, 1e6)?;
        within(&key("label_smoothing"), self.label_smoothing, 0.0, 0.9)?;
        within(&key("ramp"), self.ramp, 0.0, 1.0)?;
        within(&key("structure_start"), self.structure_start, 0.0, 1.0)?;
        within(&key("structure_balance"), self.structure_balance, 0.0, 1.0)?;
        within(&key("structure_anchor"), self.structure_anchor, 0.0, 1.0)?;
        for (name, value) in [
            ("homm_entries", self.homm_entries),
            ("structure_every", self.structure_every),
            ("structure_neighbours", self.structure_neighbours),
            ("structure_rows", self.structure_rows),
        ] {
            at_least_one(&key(name), value)?;
        }
        for (i, &width) in self.discriminator_hidden.iter().enumerate() {
            layer_width(&key(&format!("discriminator_hidden[{i}]")), width)?;
        }
        if !self.prior.is_empty() {
            for (i, &p) in self.prior.iter().enumerate() {
                within(&key(&format!("prior[{i}]")), p, 1e-6, 1.0)?;
            }
            let total: f64 = self.prior.iter().sum();
            within(&key("prior (its sum)"), total, 0.999, 1.001)?;
        }
        Ok(())
    }

    /// π, checked against the number of classes.
    pub(super) fn prior(&self, n_classes: usize) -> Result<Vec<f64>> {
        match self.prior.len() {
            0 => Ok(vec![1.0 / n_classes as f64; n_classes]),
            n if n == n_classes => Ok(self.prior.clone()),
            n => Err(Problem::at("configuration, `method.cloth.prior`")
                .found(format!("{n} proportions"))
                .wanted(format!("{n_classes}, one for each class"))
                .into()),
        }
    }
}
