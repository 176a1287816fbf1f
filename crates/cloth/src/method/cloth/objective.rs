//! The losses of one batch by which C, T and G are updated: line 5 of Algorithm 1.

use burn::tensor::{Tensor, TensorData};

use super::params::{MomentLoss, Params, SinkhornRows, Transport};
use crate::loss::{
    MomentOptions, Reduction, TransportOptions, centred, cost, homm, l_c, l_ent, l_gs, l_gt, l_hmm_of_both,
    l_str, l_t, plan_cost,
};
use crate::method::Step;
use crate::method::shared::{Total, halves};
use crate::nets::{DomainDiscriminator, LinearHead, Mode};
use crate::ot::{SinkhornOptions, TransportProblem, sinkhorn};
use crate::rng::Purpose;

/// What the losses of a batch need besides the networks.
pub(super) struct Objective<'a> {
    pub(super) step: &'a Step<'a>,
    pub(super) params: &'a Params,
    /// π, the class proportions that Sinkhorn balances towards.
    pub(super) pi: &'a [f64],
    /// Class proportions of the target for l_ent; `None` if they are uniform.
    pub(super) proportions: Option<&'a [f32]>,
    /// The structure plan of the batch's target rows, and how many of them have one; `None` before the first plan.
    pub(super) plan: Option<(Vec<f32>, usize)>,
    /// Class indices of the source rows.
    pub(super) y_s: &'a [u32],
    /// Dropout rate before each head.
    pub(super) dropout: f64,
    /// Probabilities of another view of the target rows, if C learns to be consistent.
    pub(super) teacher: Option<Vec<f32>>,
}

impl Objective<'_> {
    /// Adds all losses of the batch. `z` are its latents and `mode` is that of their pass, from which the dropout before
    /// C, T and D is drawn. Without T, C takes its place.
    pub(super) fn add(
        &self,
        z: Tensor<2>,
        mut mode: Mode,
        c: &LinearHead,
        t: Option<&LinearHead>,
        d: &DomainDiscriminator,
        total: &mut Total<'_>,
    ) {
        let (p, y_s, b_s) = (self.params, self.y_s, self.y_s.len());
        let ramp = if p.ramp > 0.0 { (self.step.progress() / p.ramp).min(1.0) } else { 1.0 };
        let h = mode.dropout(z.clone(), self.dropout);
        let (c_s, c_t) = halves(c.forward(h.clone(), &mode), b_s);
        let (t_s, t_t) = match t {
            Some(t) => halves(t.forward(h.clone(), &mode), b_s),
            None => (c_s.clone(), c_t.clone()),
        };
        let outputs = d.forward(h);
        let (d_s, d_t) = halves(outputs.clone(), b_s);

        total.add("l_c", 1.0, l_c(c_s, y_s, p.label_smoothing));
        if p.adversarial {
            total.add("l_gs", ramp * p.adversarial_weight, l_gs(d_s));
            total.add("l_gt", ramp * p.adversarial_weight, l_gt(d_t.clone(), p.l_gt));
        }
        if p.alpha > 0.0 {
            match p.transport {
                Transport::Amortised => {
                    let (kind, reduction, smoothing) = (p.discriminator, p.reduction, p.label_smoothing);
                    let rows = if reduction == Reduction::Sum { b_s as f64 } else { 1.0 };
                    let on_source = l_c(t_s.clone(), y_s, smoothing);
                    let options = TransportOptions { kind, reduction, smoothing };
                    total.add("l_t", ramp * p.alpha, l_t(t_s, t_t.clone(), d_t, y_s, options));
                    // W is l_t less T's classification loss on the source; both are means over batches of one size.
                    total.show("w", total.last() / rows as f32 - on_source.clone().into_scalar::<f32>());
                    if ramp < 1.0 {
                        // T learns the source's classes from the start; only its target part ramps up.
                        total.add_quietly("l_t", (1.0 - ramp) * p.alpha * rows, on_source);
                    }
                }
                Transport::Sinkhorn => {
                    let rows = match p.sinkhorn_rows {
                        SinkhornRows::Both => outputs,
                        SinkhornRows::Target => d_t,
                    };
                    let plan = self.sinkhorn_plan(rows.clone());
                    total.add("l_t", ramp * p.alpha, plan_cost(plan, rows, p.discriminator));
                    total.show("w", total.last());
                    // The paper's objective has no term for T here; without one T would keep its initial weights.
                    total.add_quietly("l_t", p.alpha, l_c(t_s, y_s, p.label_smoothing));
                }
            }
        }
        if p.beta > 0.0 {
            total.add("l_ent", ramp * p.beta, l_ent(t_t.clone(), self.proportions));
        }
        if p.gamma > 0.0 {
            let gamma = ramp * p.gamma;
            match p.moments {
                MomentLoss::None => {}
                MomentLoss::ClassAware => {
                    let options = MomentOptions { q: p.q, weights: p.moment_weights, scale: p.moment_scale };
                    total.add("l_hmm", gamma, l_hmm_of_both(z, t_t.clone(), y_s, options));
                }
                MomentLoss::Homm => {
                    let (z_s, z_t) = halves(z, b_s);
                    let mut rng = self.step.random(Purpose::MOMENTS);
                    let (z_s, z_t) = (centred(z_s), centred(z_t));
                    total.add("homm", gamma, homm(z_s, z_t, p.q, p.homm_entries, &mut rng));
                }
            }
        }
        if let Some(teacher) = &self.teacher {
            total.add("l_con", ramp * p.consistency, l_str(c_t.clone(), teacher.clone(), self.y_s.len()));
        }
        if let Some((plan, planned)) = &self.plan {
            total.add("l_str", p.structure, l_str(c_t, plan.clone(), *planned));
        }
    }

    /// Sinkhorn's plan for these rows, without gradients: `[rows, M]`, total mass 1, the same mass for each row.
    fn sinkhorn_plan(&self, outputs: Tensor<2>) -> Tensor<2> {
        let cost = cost(outputs, self.params.discriminator);
        let [rows, columns] = cost.dims();
        let (device, n_classes) = (cost.device(), self.pi.len());
        let values: Vec<f32> = cost.inner().into_data().try_into_vec().expect("costs are f32");
        let spread = n_classes / columns; // a binary D has one cost for all classes
        let costs: Vec<f64> =
            values.iter().flat_map(|&c| std::iter::repeat_n(f64::from(c), spread)).collect();
        let epsilon = self.params.sinkhorn_epsilon;
        let options = SinkhornOptions { epsilon, max_iterations: 200, tolerance: 1e-6 };
        let plan =
            TransportProblem::uniform_rows(&costs, self.pi).and_then(|problem| sinkhorn(&problem, options));
        let plan = plan.expect("π and ε were checked with the configuration");
        let masses: Vec<f32> = plan.masses.iter().map(|&a| a as f32).collect();
        Tensor::from_data(TensorData::new(masses, [rows, n_classes]), &device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::cloth::Cloth;
    use crate::method::shared::check::Small;
    use crate::testing::noise;

    #[test]
    fn sinkhorn_s_plan_gives_each_row_the_same_mass_and_each_class_its_proportion() {
        let small = Small::new("cloth", &[]);
        let step = small.step(1);
        let params: Params = small.setup().params().unwrap();
        let pi = [0.5, 0.3, 0.2];
        let objective = Objective {
            step: &step,
            params: &params,
            pi: &pi,
            proportions: None,
            plan: None,
            y_s: &[],
            dropout: 0.0,
            teacher: None,
        };
        let plan: Vec<f32> = objective.sinkhorn_plan(noise(8, 4, 1)).into_data().try_into_vec().unwrap();
        assert!(plan.chunks(3).all(|row| (row.iter().sum::<f32>() - 1.0 / 8.0).abs() < 1e-4), "{plan:?}");
        for (m, &pi) in pi.iter().enumerate() {
            let mass: f32 = plan.iter().skip(m).step_by(3).sum();
            assert!((f64::from(mass) - pi).abs() < 1e-4, "{plan:?}");
        }
    }

    #[test]
    fn sinkhorn_moves_the_rows_it_is_told_to() {
        let w = |rows: &str| {
            let small =
                Small::new("cloth", &["method.cloth.transport=sinkhorn", rows, "method.cloth.ramp=0"]);
            let mut method = crate::method::Recipe::build(&Cloth, &small.setup()).unwrap();
            small.run(method.as_mut(), 1..=1).get("w").unwrap()
        };
        let (target, both) = (w("method.cloth.sinkhorn_rows=target"), w("method.cloth.sinkhorn_rows=both"));
        assert_ne!(target, both);
        assert_eq!(target, w("method.cloth.transport=sinkhorn"));
    }
}
