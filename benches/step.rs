//! One whole iteration of CLOTH on synthetic rows: the update of D, that of C, T and G, Adam and the averages.

#[path = "../crates/cloth/examples/problem/mod.rs"]
mod problem;

use criterion::{Criterion, criterion_group, criterion_main};
use problem::Problem;

fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("step");
    for (name, about) in
        [("A", "A: 2048-1024-90, 31 classes"), ("B", "B: 2048-256, 65 classes"), ("C", "C: LeNet, 10 classes")]
    {
        let mut problem = Problem::new(name, &[]).expect("a configuration that is there");
        group.bench_function(about, |b| b.iter(|| problem.step().expect("finite losses")));
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
