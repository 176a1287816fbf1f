//! The update that most methods begin with: G and C on labelled source rows.

use burn::tensor::Tensor;

use crate::loss::l_c;
use crate::method::{LossInfo, Step};
use crate::nets::Classifier;
use crate::optim::{Learner, Rate};
use crate::rng::Purpose;

/// The classification loss, for [`Recipe::losses`](crate::method::Recipe::losses).
pub fn l_c_info() -> LossInfo {
    LossInfo::new("l_c", "C on labelled source rows")
}

/// One update of G and C on source rows alone; returns l_c.
pub fn learn_source(
    nets: &mut Learner<Classifier>,
    step: &Step<'_>,
    label_smoothing: f64,
    rate: &Rate,
) -> f32 {
    let batch = step.batch(Purpose::BATCHES_OF_G);
    let mut mode = step.mode(Purpose::DROPOUT_OF_G, batch.b_s);
    let Classifier { g, c } = nets.module();
    let x_s = Tensor::from_inner(batch.x.narrow(0, 0, batch.b_s));
    let z_s = g.forward(x_s, &mut mode);
    let z_s = mode.dropout(z_s, g.spec().dropout);
    let l_c = l_c(c.forward(z_s, &mode), &batch.y_s, label_smoothing);
    let value = l_c.clone().into_scalar();
    nets.step(l_c, rate);
    value
}
