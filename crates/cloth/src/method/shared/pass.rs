//! The forward pass of a batch through G and C, and the sum of losses.

use burn::tensor::Tensor;

use crate::method::{Losses, Step};
use crate::nets::Classifier;
use crate::rng::Purpose;

/// The outputs of G and C for one minibatch of both domains, with gradients.
pub struct Pass {
    /// G's output on source rows, `[b_s, p]`.
    pub z_s: Tensor<2>,
    /// G's output on target rows, `[b_t, p]`.
    pub z_t: Tensor<2>,
    /// Latents after dropout, the input of C and D: source rows, then target rows, `[b_s + b_t, p]`.
    pub h: Tensor<2>,
    /// C's logits on source rows, `[b_s, M]`.
    pub c_s: Tensor<2>,
    /// C's logits on target rows, `[b_t, M]`.
    pub c_t: Tensor<2>,
    /// Class indices of the source rows, `b_s` of them.
    pub y_s: Vec<u32>,
}

impl Pass {
    /// Draws a batch and passes it through both networks.
    pub fn new(nets: &Classifier, step: &Step<'_>) -> Self {
        let batch = step.batch(Purpose::BATCHES_OF_G);
        let mut mode = step.mode(Purpose::DROPOUT_OF_G, batch.b_s);
        let z = nets.g.forward(Tensor::from_inner(batch.x), &mut mode);
        let h = mode.dropout(z.clone(), nets.g.spec().dropout);
        let (z_s, z_t) = halves(z, batch.b_s);
        let (c_s, c_t) = halves(nets.c.forward(h.clone(), &mode), batch.b_s);
        Self { z_s, z_t, h, c_s, c_t, y_s: batch.y_s }
    }
}

/// Splits stacked rows into the first `b_s`, the source rows, and the rest, the target rows.
pub fn halves(x: Tensor<2>, b_s: usize) -> (Tensor<2>, Tensor<2>) {
    let [rows, _] = x.dims();
    (x.clone().narrow(0, 0, b_s), x.narrow(0, b_s, rows - b_s))
}

/// The weighted sum of the losses, and the value of each.
pub struct Total<'a> {
    terms: Vec<(&'static str, Tensor<1>)>,
    losses: &'a mut Losses,
    last: f32,
}

impl<'a> Total<'a> {
    /// An empty sum; values are recorded in `losses`.
    pub fn new(losses: &'a mut Losses) -> Self {
        Self { terms: Vec::new(), losses, last: 0.0 }
    }

    /// Adds `weight · loss` and records the loss without the weight.
    pub fn add(&mut self, symbol: &'static str, weight: f64, loss: Tensor<1>) {
        self.last = loss.clone().into_scalar();
        self.losses.push(symbol, self.last);
        self.add_quietly(symbol, weight, loss);
    }

    /// The value of the last [`add`](Self::add), without its weight.
    pub fn last(&self) -> f32 {
        self.last
    }

    /// Records a value without adding it to the sum.
    pub fn show(&mut self, symbol: &'static str, value: f32) {
        self.losses.push(symbol, value);
    }

    /// Adds `weight · loss` to the sum as a part of the loss of that symbol, without recording it.
    pub fn add_quietly(&mut self, symbol: &'static str, weight: f64, loss: Tensor<1>) {
        self.terms.push((symbol, loss.mul_scalar(weight as f32)));
    }

    /// The symbol of each term, in order; a loss of several terms has several.
    pub(super) fn symbols(&self) -> impl Iterator<Item = &'static str> {
        self.terms.iter().map(|(symbol, _)| *symbol)
    }

    /// The sum of the terms of one loss.
    pub(super) fn sum_of(mut self, symbol: &str) -> Option<Tensor<1>> {
        self.terms.retain(|(of, _)| *of == symbol);
        self.sum()
    }

    /// The weighted sum; `None` if nothing was added.
    pub fn sum(self) -> Option<Tensor<1>> {
        self.terms.into_iter().map(|(_, term)| term).reduce(|sum, term| sum + term)
    }
}
