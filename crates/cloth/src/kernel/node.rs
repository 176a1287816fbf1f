//! The kernels as nodes of Burn's autodiff graph.

use burn::backend::autodiff::NodeId;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;

use super::flex::{contiguous, dims, tensor, values};
use super::recycle::recycle;
use super::{batch_norm, block, dense};

/// A loss on plain slices: from its inputs, its value and the gradient of each input.
pub(crate) type Loss = Box<dyn FnOnce(&[&[f32]]) -> (f32, Vec<Vec<f32>>)>;

/// Operations that the kernels add to a backend.
#[backend_extension(Flex, Autodiff)]
pub(super) trait Kernels: Backend {
    /// See [`dense::dense`].
    fn dense(
        x: FloatTensor<Self>,
        w: FloatTensor<Self>,
        b: FloatTensor<Self>,
        slope: f32,
    ) -> FloatTensor<Self>;

    /// See [`batch_norm::batch_norm`]. `found` receives the statistics of the parts.
    fn batch_norm(
        x: FloatTensor<Self>,
        scale: FloatTensor<Self>,
        offset: FloatTensor<Self>,
        parts: Vec<usize>,
        found: batch_norm::Found,
    ) -> FloatTensor<Self>;

    /// See [`block::conv_block`].
    fn conv_block(x: FloatTensor<Self>, w: FloatTensor<Self>, b: FloatTensor<Self>) -> FloatTensor<Self>;

    /// See [`scalar`].
    fn loss(
        a: FloatTensor<Self>,
        b: FloatTensor<Self>,
        c: FloatTensor<Self>,
        loss: Loss,
    ) -> FloatTensor<Self>;
}

impl Kernels for Flex {
    fn dense(x: FlexTensor, w: FlexTensor, b: FlexTensor, slope: f32) -> FlexTensor {
        let x = contiguous(x);
        let y = dense::forward(&x, &contiguous(w), b, slope);
        recycle(x);
        y
    }

    fn batch_norm(
        x: FlexTensor,
        scale: FlexTensor,
        offset: FlexTensor,
        parts: Vec<usize>,
        found: batch_norm::Found,
    ) -> FlexTensor {
        batch_norm::forward(contiguous(x), &contiguous(scale), &contiguous(offset), &parts, &found).0
    }

    fn conv_block(x: FlexTensor, w: FlexTensor, b: FlexTensor) -> FlexTensor {
        block::forward(contiguous(x), &contiguous(w), b, false).0
    }

    fn loss(a: FlexTensor, b: FlexTensor, c: FlexTensor, loss: Loss) -> FlexTensor {
        tensor(vec![evaluate([a, b, c], loss).0], [1])
    }
}

impl<C: CheckpointStrategy> Kernels for Autodiff<Flex, C> {
    fn dense(
        x: FloatTensor<Self>,
        w: FloatTensor<Self>,
        b: FloatTensor<Self>,
        slope: f32,
    ) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Node;
        impl Backward<Flex, 3> for Node {
            type State = (FlexTensor, FlexTensor, FlexTensor, f32);
            fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
                let (x, w, y, slope) = ops.state;
                let dy = gradients.consume::<Flex>(&ops.node);
                let (dx, dw, db) = dense::backward((x, w, y), dy, slope, ops.parents[0].is_some());
                register(gradients, ops.parents.map(|p| p.map(|p| p.id)), [dx, Some(dw), Some(db)]);
            }
        }
        let node = Node.prepare::<C>([x.node(), w.node(), b.node()]).compute_bound().stateful();
        let (x, w) = (contiguous(x.into_primitive()), contiguous(w.into_primitive()));
        let y = dense::forward(&x, &w, b.into_primitive(), slope);
        match node {
            OpsKind::Tracked(node) => node.finish((x, w, y.clone(), slope), y),
            OpsKind::UnTracked(node) => node.finish(y),
        }
    }

    fn batch_norm(
        x: FloatTensor<Self>,
        scale: FloatTensor<Self>,
        offset: FloatTensor<Self>,
        parts: Vec<usize>,
        found: batch_norm::Found,
    ) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Node;
        impl Backward<Flex, 3> for Node {
            type State = (batch_norm::Past, FlexTensor);
            fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
                let (past, scale) = ops.state;
                let dy = gradients.consume::<Flex>(&ops.node);
                let (dx, dscale, doffset) = batch_norm::backward(&past, &scale, dy);
                let found = [Some(dx), Some(dscale), Some(doffset)];
                register(gradients, ops.parents.map(|p| p.map(|p| p.id)), found);
            }
        }
        let node = Node.prepare::<C>([x.node(), scale.node(), offset.node()]).compute_bound().stateful();
        let scale = contiguous(scale.into_primitive());
        let (x, offset) = (contiguous(x.into_primitive()), contiguous(offset.into_primitive()));
        let (y, past) = batch_norm::forward(x, &scale, &offset, &parts, &found);
        match node {
            OpsKind::Tracked(node) => node.finish((past, scale), y),
            OpsKind::UnTracked(node) => node.finish(y),
        }
    }

    fn conv_block(x: FloatTensor<Self>, w: FloatTensor<Self>, b: FloatTensor<Self>) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Node;
        impl Backward<Flex, 3> for Node {
            type State = (block::Past, FlexTensor);
            fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
                let (past, w) = ops.state;
                let dy = gradients.consume::<Flex>(&ops.node);
                let (dx, dw, db) = block::backward(&past, &w, dy, ops.parents[0].is_some());
                register(gradients, ops.parents.map(|p| p.map(|p| p.id)), [dx, Some(dw), Some(db)]);
            }
        }
        let node = Node.prepare::<C>([x.node(), w.node(), b.node()]).compute_bound().stateful();
        let tracked = matches!(node, OpsKind::Tracked(_));
        let w = contiguous(w.into_primitive());
        let (y, past) = block::forward(contiguous(x.into_primitive()), &w, b.into_primitive(), tracked);
        match (node, past) {
            (OpsKind::Tracked(node), Some(past)) => node.finish((past, w), y),
            (OpsKind::Tracked(_), None) => unreachable!("the past is kept where it is tracked"),
            (OpsKind::UnTracked(node), _) => node.finish(y),
        }
    }

    fn loss(
        a: FloatTensor<Self>,
        b: FloatTensor<Self>,
        c: FloatTensor<Self>,
        loss: Loss,
    ) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Node;
        impl Backward<Flex, 3> for Node {
            type State = Vec<(Vec<f32>, [usize; 2])>;
            fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
                let dy = values(&contiguous(gradients.consume::<Flex>(&ops.node)))[0];
                let mut found = [None, None, None];
                for (found, (mut gradient, shape)) in found.iter_mut().zip(ops.state) {
                    gradient.iter_mut().for_each(|g| *g *= dy);
                    *found = Some(tensor(gradient, shape));
                }
                register(gradients, ops.parents.map(|p| p.map(|p| p.id)), found);
            }
        }
        let node = Node.prepare::<C>([a.node(), b.node(), c.node()]).compute_bound().stateful();
        let inputs = [a, b, c].map(|input| input.into_primitive());
        let shapes = inputs.each_ref().map(dims);
        let (value, gradients) = evaluate(inputs, loss);
        let value = tensor(vec![value], [1]);
        match node {
            OpsKind::Tracked(node) => node.finish(gradients.into_iter().zip(shapes).collect(), value),
            OpsKind::UnTracked(node) => node.finish(value),
        }
    }
}

fn evaluate(inputs: [FlexTensor; 3], loss: Loss) -> (f32, Vec<Vec<f32>>) {
    let inputs = inputs.map(contiguous);
    loss(&inputs.each_ref().map(values))
}

fn register(gradients: &mut Gradients, parents: [Option<NodeId>; 3], found: [Option<FlexTensor>; 3]) {
    for (parent, gradient) in parents.into_iter().zip(found) {
        if let (Some(parent), Some(gradient)) = (parent, gradient) {
            gradients.register::<Flex>(parent, gradient);
        }
    }
}

/// A loss whose value and gradients `loss` computes together from plain slices: one node of the graph, however
/// much the loss does. There may be at most three inputs.
pub(crate) fn scalar<const N: usize>(
    inputs: [Tensor<2>; N],
    loss: impl FnOnce([&[f32]; N]) -> (f32, [Vec<f32>; N]) + 'static,
) -> Tensor<1> {
    const { assert!(N >= 1 && N <= 3) };
    let device = inputs[0].device();
    let mut inputs = inputs.into_iter();
    // Losses of fewer inputs get a constant in the place of the others.
    let mut next = || inputs.next().unwrap_or_else(|| Tensor::zeros([1, 1], &device)).into_dispatch();
    let (a, b, c) = (next(), next(), next());
    let loss: Loss = Box::new(|all| {
        let (value, gradients) = loss(std::array::from_fn(|i| all[i]));
        (value, gradients.into())
    });
    Tensor::from_dispatch(<Dispatch as Kernels>::loss(a, b, c, loss))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gradient, noise};

    #[test]
    fn a_loss_of_two_inputs_passes_both_gradients_on() {
        // Σ a² b, with gradients 2ab and a².
        let loss = |a, b| {
            scalar([a, b], |[a, b]| {
                let value = a.iter().zip(b).map(|(a, b)| a * a * b).sum();
                let da = a.iter().zip(b).map(|(a, b)| 2.0 * a * b).collect();
                (value, [da, a.iter().map(|a| a * a).collect()])
            })
        };
        let (a, b) = (noise(2, 3, 1), noise(2, 3, 2));
        gradient(a.clone(), |a| loss(a * 2.0, b.clone()) * 3.0);
        gradient(b, |b| loss(a.clone(), b) * 3.0);
    }
}
