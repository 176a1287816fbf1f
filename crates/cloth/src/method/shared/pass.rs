//! The two halves of a batch, and the sum of losses.

use burn::tensor::Tensor;

use crate::method::Losses;

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
