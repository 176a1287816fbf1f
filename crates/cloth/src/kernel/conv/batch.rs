//! Both passes over a whole batch: the groups of images in parallel.

use super::backward::{BackwardGroup, Scratch};
use super::buffer::Buffer;
use super::forward::{self, ForwardGroup};
use super::grad_input;
use super::lanes::{from_lanes, to_lanes};
use super::tiles::{Machine, Tiles};
use super::{Saved, SavedGroup, Shape};
use crate::buffers;
use crate::threads::{map, share};
use pulp::bytemuck::{cast_slice, cast_slice_mut};

/// The most parts that the groups are divided into for the weight gradients. A constant, so that the order of
/// the sums does not depend on the threads; large enough for many cores, small enough for the last sum.
const PARTS: usize = 32;
/// Elements per task of the last sum.
const SUM_CHUNK: usize = 1024;

/// See [`super::forward`].
pub(super) fn forward(
    machine: impl Machine,
    x: &[f32],
    w: &[f32],
    b: &[f32],
    shape: &Shape,
    keep: bool,
) -> (Vec<f32>, Option<Saved>) {
    shape.check();
    assert_eq!(x.len(), shape.images * shape.input_len(), "length of x");
    assert_eq!(w.len(), shape.weights_len(), "length of w");
    assert_eq!(b.len(), shape.filters, "length of b");
    let Tiles { lanes, forward_filters, .. } = machine.tiles();
    let (input, output) = (shape.input_len(), shape.output_len());
    let words = shape.filters.div_ceil(forward_filters) * shape.pooled_height() * shape.pooled_width();
    let weights = forward::pack_weights(w, shape, forward_filters);

    let run = |images: &[f32], x: &mut Buffer, winners: Option<&mut Buffer>, y: &mut [f32]| {
        let mut y_lanes = Buffer::take(output * lanes);
        to_lanes(images, input, x);
        let winners = winners.map(|words| cast_slice_mut(words));
        machine.run(ForwardGroup { shape, x, weights: &weights, bias: b, y: &mut y_lanes, winners });
        from_lanes(&y_lanes, output, y);
    };
    let mut y = buffers::take(shape.images * output);
    let groups = x.chunks(lanes * input).zip(y.chunks_mut(lanes * output));
    let saved = if keep {
        let groups = map(groups, |(images, y)| {
            let (mut x, mut winners) = (Buffer::take(input * lanes), Buffer::take(words * lanes));
            run(images, &mut x, Some(&mut winners), y);
            SavedGroup { x, winners }
        });
        Some(Saved { shape: shape.clone(), groups })
    } else {
        share(groups, |(images, y)| run(images, &mut Buffer::take(input * lanes), None, y));
        None
    };
    (y, saved)
}

/// See [`super::backward`].
pub(super) fn backward(
    machine: impl Machine,
    dy: &[f32],
    saved: &Saved,
    w: &[f32],
    shape: &Shape,
    want_dx: bool,
) -> (Option<Vec<f32>>, Vec<f32>, Vec<f32>) {
    assert_eq!(&saved.shape, shape, "shape of the saved forward pass");
    assert_eq!(dy.len(), shape.images * shape.output_len(), "length of dy");
    assert_eq!(w.len(), shape.weights_len(), "length of w");
    let tiles = machine.tiles();
    let (input, output, lanes) = (shape.input_len(), shape.output_len(), tiles.lanes);
    let weights =
        want_dx.then(|| grad_input::pack_weights(w, shape, tiles.backward_filters, tiles.backward_channels));

    let run = |dy: &[f32], groups: &[SavedGroup], mut dx: Option<&mut [f32]>| {
        let mut scratch = Scratch::take(shape, &tiles, want_dx);
        let (mut dw, mut db) = (vec![0.0; w.len()], vec![0.0; shape.filters]);
        for (index, (images, group)) in dy.chunks(lanes * output).zip(groups).enumerate() {
            to_lanes(images, output, &mut scratch.dy);
            machine.run(BackwardGroup {
                shape,
                x: &group.x,
                winners: cast_slice(&group.winners),
                weights: weights.as_deref(),
                scratch: &mut scratch,
                dw: &mut dw,
                db: &mut db,
            });
            if let Some(dx) = &mut dx {
                let images = images.len() / output;
                from_lanes(&scratch.dx, input, &mut dx[index * lanes * input..][..images * input]);
            }
        }
        (dw, db)
    };
    let per_part = saved.groups.len().div_ceil(PARTS).max(1);
    let parts = dy.chunks(per_part * lanes * output).zip(saved.groups.chunks(per_part));
    let (dx, partial): (_, Vec<_>) = if want_dx {
        let mut dx = buffers::take(shape.images * input);
        let parts = parts.zip(dx.chunks_mut(per_part * lanes * input));
        let partial = map(parts, |((dy, groups), dx)| run(dy, groups, Some(dx)));
        (Some(dx), partial)
    } else {
        (None, map(parts, |(dy, groups)| run(dy, groups, None)))
    };
    let (dw, db): (Vec<_>, Vec<_>) = partial.into_iter().unzip();
    (dx, sum(&dw, w.len()), sum(&db, shape.filters))
}

/// The sum of equally long parts, in their order.
fn sum(parts: &[Vec<f32>], len: usize) -> Vec<f32> {
    let mut total = vec![0.0; len];
    share(total.chunks_mut(SUM_CHUNK).enumerate(), |(chunk, total)| {
        for part in parts {
            for (total, value) in total.iter_mut().zip(&part[chunk * SUM_CHUNK..]) {
                *total += value;
            }
        }
    });
    total
}
