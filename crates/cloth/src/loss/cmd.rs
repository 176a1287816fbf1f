//! Central moment discrepancy.

use burn::tensor::Tensor;

/// Keeps the gradient of a norm finite where the norm is zero.
const TINY: f32 = 1e-12;

/// Central moment discrepancy, Zellinger et al., *Central Moment Discrepancy (CMD) for Domain-Invariant Representation
/// Learning*, ICLR 2017, for latent values between a and b.
///
/// ```text
/// cmd = 1/|b − a| ‖E z_s − E z_t‖ + Σ_{k=2..K} 1/|b − a|^k ‖c_k(z_s) − c_k(z_t)‖,   c_k(z) = E (z − E z)^k
/// ```
///
/// # Shapes
/// - `z_s`: `[b_s, p]`, `z_t`: `[b_t, p]`
/// - `order`: K; `span`: |b − a|
/// - returns `[1]`
pub fn cmd(z_s: Tensor<2>, z_t: Tensor<2>, order: u32, span: f64) -> Tensor<1> {
    let (z_s, z_t) = (z_s.div_scalar(span as f32), z_t.div_scalar(span as f32));
    let (mean_s, mean_t) = (z_s.clone().mean_dim(0), z_t.clone().mean_dim(0));
    let (centred_s, centred_t) = (z_s - mean_s.clone(), z_t - mean_t.clone());
    let mut total = distance(mean_s, mean_t);
    let (mut power_s, mut power_t) = (centred_s.clone(), centred_t.clone());
    for _ in 2..=order {
        power_s = power_s * centred_s.clone();
        power_t = power_t * centred_t.clone();
        total = total + distance(power_s.clone().mean_dim(0), power_t.clone().mean_dim(0));
    }
    total
}

fn distance(a: Tensor<2>, b: Tensor<2>) -> Tensor<1> {
    (a - b).square().sum().add_scalar(TINY).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gradient, noise, scalar, tensor};

    #[test]
    fn one_neuron_by_hand() {
        // Source 0 and 4, target 1 and 1, |b − a| = 4: means ½ and ¼, c_2 = 4/16 and 0, c_3 = 0 and 0.
        let loss = scalar(cmd(tensor([[0.0], [4.0]]), tensor([[1.0], [1.0]]), 3, 4.0));
        assert!((loss - (0.25 + 0.25)).abs() < 1e-5, "{loss}");
    }

    #[test]
    fn equal_sides_give_nothing_and_a_finite_gradient() {
        let z = noise(6, 4, 38);
        assert!(scalar(cmd(z.clone(), z.clone(), 5, 2.0)) < 1e-5);
        let dead = tensor([[0.0; 4]; 6]).require_grad();
        let slope = dead.grad(&cmd(dead.clone(), dead.clone(), 5, 2.0).backward()).unwrap();
        assert!(slope.into_data().try_into_vec::<f32>().unwrap().iter().all(|g| g.is_finite()));
    }

    #[test]
    fn a_sigmoid_is_a_tanh_of_twice_the_span() {
        // 1/(1 + e^−2x) = (tanh x + 1)/2: the same units, so the same discrepancy.
        let (x_s, x_t) = (noise(5, 3, 39) * 2.0, noise(6, 3, 40) * 3.0);
        let sigmoid = |x: &Tensor<2>| (x.clone().tanh() + 1.0) / 2.0;
        let of_sigmoids = scalar(cmd(sigmoid(&x_s), sigmoid(&x_t), 5, 1.0));
        assert!((scalar(cmd(x_s.tanh(), x_t.tanh(), 5, 2.0)) - of_sigmoids).abs() < 1e-5);
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        let z_t = noise(5, 3, 41) * 2.0;
        gradient(noise(4, 3, 42), |z| cmd(z, z_t.clone(), 5, 2.0));
        gradient(noise(4, 3, 42), |z| cmd(z_t.clone(), z, 5, 2.0));
    }
}
