//! Every loss against values and gradients of an independent float64 implementation.
//!
//! `golden/losses.json` has one case with logits of ±600 and one with a class missing from the batch. The bound is
//! 1e-5, relative to the largest entry of each gradient.
#![allow(clippy::unwrap_used)]

use burn::tensor::{Device, Tensor, TensorData};
use cloth::linalg::log_sum_exp;
use cloth::loss::{
    Discriminator::MultiClass, GtForm, MomentOptions, MomentScale, TargetWeights, TransportOptions, l_c, l_d,
    l_ent, l_gs, l_gt, l_hmm, l_t,
};
use cloth::ot::{SinkhornOptions, TransportProblem, sinkhorn};
use serde_json::Value;

const BOUND: f64 = 1e-5;

fn cases() -> Vec<Value> {
    let text = include_str!("golden/losses.json");
    match serde_json::from_str(text).unwrap() {
        Value::Array(cases) => cases,
        Value::Object(mut whole) => whole["cases"].take().as_array().unwrap().clone(),
        other => panic!("neither list nor object: {other}"),
    }
}

fn device() -> Device {
    Device::flex().autodiff()
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    serde_json::from_value(value.clone()).unwrap()
}

fn tensor(case: &Value, name: &str) -> Tensor<2> {
    let rows = matrix(&case["inputs"][name]);
    let values: Vec<f32> = rows.concat().iter().map(|&v| v as f32).collect();
    Tensor::from_data(TensorData::new(values, [rows.len(), rows[0].len()]), &device()).require_grad()
}

fn assert_close(found: f64, wanted: f64, scale: f64, what: &str) {
    assert!((found - wanted).abs() <= BOUND * scale.max(1e-30), "{what}: found {found}, wanted {wanted}");
}

/// Checks one loss of one case: its value, and its gradient with respect to every input that golden has one for.
fn check(case: &Value, name: &str, inputs: &[(&str, Tensor<2>)], loss: Tensor<1>) -> usize {
    let seed = &case["seed"];
    let wanted = case["value"][name].as_f64().unwrap();
    assert_close(
        f64::from(loss.clone().into_scalar::<f32>()),
        wanted,
        wanted.abs(),
        &format!("case {seed}, {name}"),
    );
    let gradients = loss.backward();
    let golden = case["grad"][name].as_object().unwrap();
    for (input, wanted) in golden {
        let (_, x) = inputs.iter().find(|(name, _)| name == input).unwrap();
        let found: Vec<f32> = x.grad(&gradients).unwrap().into_data().try_into_vec().unwrap();
        let wanted = matrix(wanted).concat();
        let scale = wanted.iter().fold(0f64, |a, v| a.max(v.abs()));
        for (i, (&f, &w)) in found.iter().zip(&wanted).enumerate() {
            assert_close(f64::from(f), w, scale, &format!("case {seed}, d {name} / d {input}[{i}]"));
        }
    }
    golden.len()
}

#[test]
fn all_values_and_gradients() {
    let mut gradients = 0;
    let cases = cases();
    assert!(cases.len() >= 5);
    for case in &cases {
        let labels: Vec<u32> = serde_json::from_value(case["y_s"].clone()).unwrap();
        let q = case["q"].as_u64().unwrap() as u32;
        let inputs = ["z_s", "z_t", "c_s", "t_s", "t_t", "d_s", "d_t"].map(|name| (name, tensor(case, name)));
        let [z_s, z_t, c_s, t_s, t_t, d_s, d_t] = inputs.clone().map(|(_, x)| x);
        let mut check = |name: &str, loss| gradients += check(case, name, &inputs, loss);

        check("l_c", l_c(c_s, &labels, 0.0));
        check("l_d", l_d(d_s.clone(), d_t.clone(), &labels, MultiClass));
        check("l_gs", l_gs(d_s));
        check("l_gt", l_gt(d_t.clone(), GtForm::Paper));
        check("l_gt_non_saturating", l_gt(d_t.clone(), GtForm::NonSaturating));
        check("l_t", l_t(t_s, t_t.clone(), d_t, &labels, TransportOptions::default()));
        check("l_ent", l_ent(t_t.clone(), None));
        for (name, weights, scale) in [
            ("l_hmm_paper", TargetWeights::Paper, MomentScale::One),
            ("l_hmm_paper_scaled", TargetWeights::Paper, MomentScale::InverseWidth),
            ("l_hmm_normalised", TargetWeights::Normalised, MomentScale::One),
            ("l_hmm_normalised_scaled", TargetWeights::Normalised, MomentScale::InverseWidth),
        ] {
            let options = MomentOptions::default().with_q(q).with_weights(weights).with_scale(scale);
            check(name, l_hmm(z_s.clone(), z_t.clone(), t_t.clone(), &labels, options));
        }
    }
    assert_eq!(gradients, 22 * cases.len(), "golden has a gradient that nothing checked");
}

#[test]
fn sinkhorn_s_plans_and_costs() {
    for case in &cases() {
        let golden = &case["sinkhorn"];
        let m = case["m"].as_u64().unwrap() as usize;
        let cost: Vec<f64> = matrix(&case["inputs"]["d_t"])
            .iter()
            .flat_map(|row| {
                let total = log_sum_exp(row.iter().copied());
                row[..m].iter().map(move |v| total - v).collect::<Vec<_>>()
            })
            .collect();
        let pi: Vec<f64> = serde_json::from_value(golden["pi"].clone()).unwrap();
        let problem = TransportProblem::uniform_rows(&cost, &pi).unwrap();
        let options = SinkhornOptions::default().with_max_iterations(200_000).with_tolerance(1e-12);
        let plan = sinkhorn(&problem, options.with_epsilon(golden["eps"].as_f64().unwrap())).unwrap();
        let seed = &case["seed"];
        let wanted = golden["transport_cost"].as_f64().unwrap();
        assert_close(plan.cost, wanted, wanted, &format!("case {seed}, cost"));
        for (i, (&f, &w)) in plan.masses.iter().zip(&matrix(&golden["plan"]).concat()).enumerate() {
            assert_close(f, w, 1.0, &format!("case {seed}, plan[{i}]"));
        }
    }
}
