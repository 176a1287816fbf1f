//! A batch on its way through G and C, and the sum of losses.

use burn::tensor::Tensor;

use crate::method::{Losses, Step};
use crate::nets::Classifier;
use crate::rng::Purpose;

/// One minibatch of both domains on its way through G and C, with gradients.
pub(crate) struct Pass {
    /// G's output on source rows, `[b_s, p]`.
    pub(crate) z_s: Tensor<2>,
    /// G's output on target rows, `[b_t, p]`.
    pub(crate) z_t: Tensor<2>,
    /// Both after dropout, as the heads see them: source rows, then target rows.
    pub(crate) h: Tensor<2>,
    /// C's logits on source rows, `[b_s, M]`.
    pub(crate) c_s: Tensor<2>,
    /// C's logits on target rows, `[b_t, M]`.
    pub(crate) c_t: Tensor<2>,
    /// Classes of the source rows.
    pub(crate) y_s: Vec<u32>,
}

impl Pass {
    /// Draws a batch and sends it through both networks.
    pub(crate) fn new(nets: &Classifier, step: &Step<'_>) -> Self {
        let batch = step.batch(Purpose::BatchesOfG);
        let mut dropout = step.dropout(Purpose::DropoutOfG);
        let z = nets.g.forward(Tensor::from_inner(batch.x), &mut dropout);
        let h = dropout.apply(z.clone(), nets.g.spec().dropout);
        let (z_s, z_t) = halves(z, batch.b_s);
        let (c_s, c_t) = halves(nets.c.forward(h.clone()), batch.b_s);
        Self { z_s, z_t, h, c_s, c_t, y_s: batch.y_s }
    }
}

/// Source rows and target rows.
pub(crate) fn halves(x: Tensor<2>, b_s: usize) -> (Tensor<2>, Tensor<2>) {
    let [rows, _] = x.dims();
    (x.clone().narrow(0, 0, b_s), x.narrow(0, b_s, rows - b_s))
}

/// The weighted sum of the losses, and the value of each.
pub(crate) struct Total<'a> {
    sum: Option<Tensor<1>>,
    losses: &'a mut Losses,
}

impl<'a> Total<'a> {
    /// Nothing yet; values are noted in `losses`.
    pub(crate) fn new(losses: &'a mut Losses) -> Self {
        Self { sum: None, losses }
    }

    /// Adds a loss and notes its value.
    pub(crate) fn add(&mut self, name: &'static str, weight: f64, loss: Tensor<1>) {
        self.losses.push((name, loss.clone().into_scalar()));
        self.add_quietly(weight, loss);
    }

    /// The value of the loss that was added last.
    pub(crate) fn last(&self) -> f32 {
        self.losses.last().map_or(0.0, |loss| loss.1)
    }

    /// Notes a value that is part of a loss, not one more.
    pub(crate) fn show(&mut self, name: &'static str, value: f32) {
        self.losses.push((name, value));
    }

    /// Adds a loss.
    pub(crate) fn add_quietly(&mut self, weight: f64, loss: Tensor<1>) {
        let loss = loss.mul_scalar(weight as f32);
        self.sum = Some(match self.sum.take() {
            None => loss,
            Some(sum) => sum + loss,
        });
    }

    /// What was added, if anything was.
    pub(crate) fn sum(self) -> Option<Tensor<1>> {
        self.sum
    }
}
