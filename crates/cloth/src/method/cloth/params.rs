//! `[method.cloth]`: the paper's weights and switches, and what the default adds to them.

use serde::{Deserialize, Serialize};

use crate::error::{Problem, Result};
use crate::loss::{Discriminator, GtForm, MomentScale, Reduction, TargetWeights};

crate::parameters! {
    /// `[method.cloth]`
    pub struct Params {
        /// Weight of l_t.
        alpha: f64 = 0.1, at_least(0.0);
        /// Weight of l_ent.
        beta: f64 = 0.05, at_least(0.0);
        /// Weight of l_hmm, or of HoMM in its place.
        gamma: f64 = 0.01, at_least(0.0);
        /// Order of the moments.
        q: u32 = 3, within(1.0, 16.0);
        /// Whether l_gs and l_gt are used.
        adversarial: bool = true;
        /// Weight of l_gs + l_gt; the paper has 1.
        adversarial_weight: f64 = 0.1, at_least(0.0);
        /// How the transport plan is computed.
        transport: Transport = Transport::Amortised;
        /// Which moments are matched.
        moments: MomentLoss = MomentLoss::ClassAware;
        /// Classes of D: the source's classes and the target, or the two domains.
        discriminator: Discriminator = Discriminator::MultiClass;
        /// Widths of D's hidden layers; the paper has none.
        discriminator_hidden: Vec<usize> = vec![256], widths();
        /// Whether C and T are one network.
        share_ct: bool = false;
        /// The form of l_gt.
        l_gt: GtForm = GtForm::NonSaturating;
        /// Whether l_t is a mean or a sum over the rows.
        reduction: Reduction = Reduction::Mean;
        /// Weights of the target rows in l_hmm.
        moment_weights: TargetWeights = TargetWeights::Normalised;
        /// Scale of the kernel of l_hmm.
        moment_scale: MomentScale = MomentScale::InverseWidth;
        /// Number of moment entries that HoMM samples, if `moments = "homm"`.
        homm_entries: usize = 1000, at_least(1.0);
        /// Rows that Sinkhorn's plan moves, if `transport = "sinkhorn"`.
        sinkhorn_rows: SinkhornRows = SinkhornRows::Target;
        /// Entropic regularisation, if `transport = "sinkhorn"`.
        sinkhorn_epsilon: f64 = 0.1, above_zero(1e6);
        /// The target's class proportions, if they are known; empty: uniform, or as the structure plans estimate them.
        prior: Vec<f64> = Vec::new(), proportions();
        /// Label smoothing of C and T on the source.
        label_smoothing: f64 = 0.1, smoothing();
        /// Share of the run over which the adversarial losses, the target part of l_t, l_ent and l_hmm ramp up to
        /// their full weight.
        ramp: f64 = 0.3, share();
        /// Weight of the structure loss; 0 switches it off, as in the paper.
        structure: f64 = 2.0, at_least(0.0);
        /// Share of the run after which the first structure plan is made.
        structure_start: f64 = 0.16, share();
        /// Iterations between two structure plans.
        structure_every: usize = 100, at_least(1.0);
        /// Maximum number of neighbours of a target row in the structure graph, at least 3; fewer for small classes.
        structure_neighbours: usize = 16, at_least(1.0);
        /// Maximum number of target rows in the structure graph.
        structure_rows: usize = 10_000, at_least(1.0);
        /// How strongly a structure plan is pulled towards the class proportions: 0 is not at all, 1 fully.
        structure_balance: f64 = 0.8, share();
        /// Weight of the source class means against the networks in a structure plan: 0 uses only the networks, 1 only
        /// the class means.
        structure_anchor: f64 = 0.7, share();
        /// Weight of consistency on images that are varied (`data.augment`): C learns what the averaged networks
        /// predict for another view of the same target image. No effect on other rows.
        consistency: f64 = 1.0, at_least(0.0);
    }
}

/// `method.cloth.transport`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// The network T predicts the plan (the paper).
    Amortised,
    /// Sinkhorn's algorithm computes a plan for each batch (the paper's ablation).
    Sinkhorn,
}

/// `method.cloth.sinkhorn_rows`
///
/// In the paper's problem each of N rows has the mass 1/N_T, which adds up to 1 only if all rows are target rows, yet
/// the rows are a mixture of both domains. Each reading keeps one of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SinkhornRows {
    /// The target rows of a batch, each with the mass 1/N_T.
    Target,
    /// The rows of both domains, each with the mass 1/N: the mixture of the paper's text.
    Both,
}

/// `method.cloth.moments`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MomentLoss {
    /// Class by class: l_hmm (the paper).
    ClassAware,
    /// Over all classes, by sampling: HoMM.
    Homm,
    /// No moments are matched.
    None,
}

impl Params {
    /// π: `prior`, or uniform if it is empty. An error if its length is not the number of classes.
    pub(super) fn prior(&self, n_classes: usize) -> Result<Vec<f64>> {
        match self.prior.len() {
            0 => Ok(vec![1.0 / n_classes as f64; n_classes]),
            n if n == n_classes => Ok(self.prior.clone()),
            n => Err(Problem::setting("method.cloth.prior")
                .found(format!("{n} proportions"))
                .wanted(format!("{n_classes}, one for each class"))
                .into()),
        }
    }

    /// The iteration that makes the first structure plan, in a run of `iterations`.
    pub(super) fn first_plan(&self, iterations: usize) -> usize {
        (self.structure_start * iterations as f64).ceil() as usize + 1
    }
}
