//! How much each loss moves the latent values: its share of the gradient at z.

use burn::tensor::Tensor;

use super::Total;
use crate::method::Losses;

/// The share of each loss in the gradient at `z`, in the order in which `add` adds the losses to their sum.
///
/// ```text
/// share_i = ‖∂(weight_i · loss_i)/∂z‖ / Σ_j ‖∂(weight_j · loss_j)/∂z‖
/// ```
///
/// A loss of which the share is 0.001 can hardly change what G learns, whatever it is worth by itself. `add` is called
/// several times and must not change anything. Shares are 0 where no loss depends on z.
pub fn gradient_shares(z: &Tensor<2>, add: impl Fn(Tensor<2>, &mut Total<'_>)) -> Vec<(&'static str, f32)> {
    let mut norms: Vec<(&'static str, f64)> = Vec::new();
    // A backward pass consumes the graph of the losses, so each loss gets a graph of its own.
    for i in 0.. {
        let leaf = z.clone().detach().require_grad();
        let mut values = Losses::new();
        let mut total = Total::new(&mut values);
        add(leaf.clone(), &mut total);
        let symbols = distinct(total.symbols());
        let Some(&symbol) = symbols.get(i) else { break };
        let Some(loss) = total.sum_of(symbol) else { break };
        // A backward pass needs a loss that depends on something.
        let loss = loss + leaf.clone().sum().mul_scalar(0.0);
        let gradient = leaf.grad(&loss.backward());
        norms.push((symbol, gradient.map_or(0.0, norm)));
    }
    let all: f64 = norms.iter().map(|(_, norm)| norm).sum();
    norms
        .into_iter()
        .map(|(symbol, norm)| (symbol, if all > 0.0 { norm / all } else { 0.0 } as f32))
        .collect()
}

fn distinct(symbols: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut found = Vec::new();
    symbols.for_each(|symbol| {
        if !found.contains(&symbol) {
            found.push(symbol);
        }
    });
    found
}

/// Euclidean norm, added up in the order of the values.
fn norm(gradient: Tensor<2>) -> f64 {
    let values: Vec<f32> = gradient.into_data().try_into_vec().expect("gradients are f32");
    values.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tensor;

    #[test]
    fn shares_by_hand() {
        // Gradients: 2 · (3, 4) with norm 10, and (1, 1) · 5 twice as two parts of one loss, with norm 10 · √2.
        let z = tensor([[3.0, 4.0]]);
        let shares = gradient_shares(&z, |z, total| {
            total.add("square", 1.0, z.clone().square().sum());
            total.add("sum", 5.0, z.clone().sum());
            total.add("constant", 100.0, tensor([[1.0]]).sum());
            total.add_quietly("sum", 5.0, z.sum());
        });
        let all = 10.0 + 10.0 * 2f32.sqrt();
        let wanted = [("square", 10.0 / all), ("sum", 10.0 * 2f32.sqrt() / all), ("constant", 0.0)];
        assert_eq!(shares.len(), wanted.len());
        for (found, wanted) in shares.iter().zip(wanted) {
            assert!(found.0 == wanted.0 && (found.1 - wanted.1).abs() < 1e-6, "{shares:?}");
        }
    }

    #[test]
    fn losses_that_do_not_move_z_have_no_share() {
        let shares = gradient_shares(&tensor([[3.0]]), |z, total| total.add("nothing", 0.0, z.sum()));
        assert_eq!(shares, [("nothing", 0.0)]);
        assert!(gradient_shares(&tensor([[3.0]]), |_, _| {}).is_empty());
    }
}
