//! The adversarial losses of the generator.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::discriminator::{log_d_source, log_d_target, mean_log_source, mean_log_target};
use crate::kernel;

/// The form of [`l_gt`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GtForm {
    /// mean_t log D_{M+1}: the paper's, unbounded below.
    Paper,
    /// − mean_t log(1 − D_{M+1}): the same minimum, bounded by zero.
    NonSaturating,
}

/// The generator's loss on source rows, `L^{G,S}`, Eq. (9): source rows should look like target rows.
///
/// ```text
/// l_gs = − mean_s log D_{M+1}
/// ```
///
/// # Shapes
/// - `d_s`: `[b_s, M + 1]`
/// - returns `[1]`
pub fn l_gs(d_s: Tensor<2>) -> Tensor<1> {
    if !kernel::reach(&d_s) {
        return log_d_target(d_s).mean().neg();
    }
    let [_, width] = d_s.dims();
    kernel::scalar([d_s], move |[d_s]| negative(mean_log_target(d_s, width)))
}

/// The generator's loss on target rows, `L^{G,T}`, Eq. (10): target rows should look like source rows.
///
/// ```text
/// paper:           l_gt =   mean_t log D_{M+1}
/// non-saturating:  l_gt = − mean_t log(1 − D_{M+1})
/// ```
///
/// # Shapes
/// - `d_t`: `[b_t, M + 1]`
/// - returns `[1]`
///
/// # Deviations
/// The paper has only the first form. It has no lower bound: once G fools D, it dominates every other loss. The second
/// form has the same fixed point and the lower bound zero.
pub fn l_gt(d_t: Tensor<2>, form: GtForm) -> Tensor<1> {
    if !kernel::reach(&d_t) {
        return plain_l_gt(d_t, form);
    }
    let [_, width] = d_t.dims();
    kernel::scalar([d_t], move |[d_t]| match form {
        GtForm::Paper => {
            let (mean, gradient) = mean_log_target(d_t, width);
            (mean as f32, [gradient])
        }
        GtForm::NonSaturating => negative(mean_log_source(d_t, width)),
    })
}

fn plain_l_gt(d_t: Tensor<2>, form: GtForm) -> Tensor<1> {
    match form {
        GtForm::Paper => log_d_target(d_t).mean(),
        GtForm::NonSaturating => log_d_source(d_t).mean().neg(),
    }
}

fn negative((mean, mut gradient): (f64, Vec<f32>)) -> (f32, [Vec<f32>; 1]) {
    gradient.iter_mut().for_each(|g| *g = -*g);
    (-mean as f32, [gradient])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{agree, gradient, noise, scalar, tensor};

    #[test]
    fn equal_logits_of_three_classes() {
        let d = tensor([[0.0; 4], [3.0; 4]]);
        assert!((scalar(l_gs(d.clone())) - 4f32.ln()).abs() < 1e-6);
        assert!((scalar(l_gt(d.clone(), GtForm::Paper)) + 4f32.ln()).abs() < 1e-6);
        assert!((scalar(l_gt(d, GtForm::NonSaturating)) - (4f32 / 3.0).ln()).abs() < 1e-6);
    }

    #[test]
    fn a_fooled_discriminator_ends_the_non_saturating_form_at_zero_and_not_the_paper_s() {
        let fooled = tensor([[40.0, 0.0, -40.0]]);
        assert!(scalar(l_gt(fooled.clone(), GtForm::NonSaturating)).abs() < 1e-6);
        assert!(scalar(l_gt(fooled, GtForm::Paper)) < -79.0);
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        gradient(noise(3, 4, 6), l_gs);
        gradient(noise(3, 4, 7), |d| l_gt(d, GtForm::Paper));
        gradient(noise(3, 4, 8), |d| l_gt(d, GtForm::NonSaturating));
    }

    #[test]
    fn the_kernels_are_the_plain_expressions() {
        let d = noise(6, 12, 8) * 20.0;
        agree([d.clone()], |[d]| l_gs(d), |[d]| log_d_target(d).mean().neg());
        for form in [GtForm::Paper, GtForm::NonSaturating] {
            agree([d.clone()], |[d]| l_gt(d, form), |[d]| plain_l_gt(d, form));
        }
    }
}
