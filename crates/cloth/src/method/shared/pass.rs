//! A batch on its way through G and C, and the sum of losses.

use burn::tensor::Tensor;

use crate::method::{Losses, Step};
use crate::nets::Classifier;
use crate::rng::Purpose;

/// One minibatch of both domains on its way through G and C, with gradients.
pub struct Pass {
    /// G's output on source rows, `[b_s, p]`.
    pub z_s: Tensor<2>,
    /// G's output on target rows, `[b_t, p]`.
    pub z_t: Tensor<2>,
    /// Both after dropout, as the heads see them: source rows, then target rows.
    pub h: Tensor<2>,
    /// C's logits on source rows, `[b_s, M]`.
    pub c_s: Tensor<2>,
    /// C's logits on target rows, `[b_t, M]`.
    pub c_t: Tensor<2>,
    /// Classes of the source rows.
    pub y_s: Vec<u32>,
}

impl Pass {
    /// Draws a batch and sends it through both networks.
    pub fn new(nets: &Classifier, step: &Step<'_>) -> Self {
        let batch = step.batch(Purpose::BATCHES_OF_G);
        let mut dropout = step.dropout(Purpose::DROPOUT_OF_G);
        let z = nets.g.forward(Tensor::from_inner(batch.x), &mut dropout);
        let h = dropout.apply(z.clone(), nets.g.spec().dropout);
        let (z_s, z_t) = halves(z, batch.b_s);
        let (c_s, c_t) = halves(nets.c.forward(h.clone()), batch.b_s);
        Self { z_s, z_t, h, c_s, c_t, y_s: batch.y_s }
    }
}

/// Source rows and target rows.
pub fn halves(x: Tensor<2>, b_s: usize) -> (Tensor<2>, Tensor<2>) {
    let [rows, _] = x.dims();
    (x.clone().narrow(0, 0, b_s), x.narrow(0, b_s, rows - b_s))
}

/// The weighted sum of the losses, and the value of each.
pub struct Total<'a> {
    sum: Option<Tensor<1>>,
    losses: &'a mut Losses,
    last: f32,
}

impl<'a> Total<'a> {
    /// Nothing yet; values are noted in `losses`.
    pub fn new(losses: &'a mut Losses) -> Self {
        Self { sum: None, losses, last: 0.0 }
    }

    /// Adds a loss and notes its value.
    pub fn add(&mut self, symbol: &'static str, weight: f64, loss: Tensor<1>) {
        self.last = loss.clone().into_scalar();
        self.losses.push(symbol, self.last);
        self.add_quietly(weight, loss);
    }

    /// The value of the loss that was added last.
    pub fn last(&self) -> f32 {
        self.last
    }

    /// Notes a value that is part of a loss, not one more.
    pub fn show(&mut self, symbol: &'static str, value: f32) {
        self.losses.push(symbol, value);
    }

    /// Adds a loss.
    pub fn add_quietly(&mut self, weight: f64, loss: Tensor<1>) {
        let loss = loss.mul_scalar(weight as f32);
        self.sum = Some(match self.sum.take() {
            None => loss,
            Some(sum) => sum + loss,
        });
    }

    /// What was added, if anything was.
    pub fn sum(self) -> Option<Tensor<1>> {
        self.sum
    }
}
