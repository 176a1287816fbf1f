//! Optimal transport on slices of numbers, independent of networks and tensors.
//!
//! A [`TransportProblem`] has the cost of each pair of a row and a column, and the mass of each row and column. Every
//! solver takes a problem and returns a [`TransportPlan`]:
//!
//! | solver | problem | time |
//! |---|---|---|
//! | [`exact`] | as many rows as columns, all of equal mass | n³ |
//! | [`sinkhorn`] | any; the plan is blurred by an entropy | rows × columns, each iteration |
//! | [`sinkhorn_relaxed`] | any; column masses are a penalty, not a constraint | the same |
//!
//! ```
//! use cloth::ot::{SinkhornOptions, TransportProblem, exact, sinkhorn};
//! // Two rows, two columns, each row next to its own column.
//! let problem = TransportProblem::uniform_rows(&[0.0, 9.0, 9.0, 0.0], &[0.5, 0.5])?;
//! let blurred = sinkhorn(&problem, SinkhornOptions::default().with_epsilon(0.1))?;
//! assert_eq!(exact(&problem)?.masses, [0.5, 0.0, 0.0, 0.5]);
//! assert!(blurred.converged && (blurred.masses[0] - 0.5).abs() < 1e-6);
//! # Ok::<(), cloth::Error>(())
//! ```

mod assignment;
mod exact;
mod plan;
mod problem;
mod relaxed;
mod scaling;
mod sinkhorn;
#[cfg(test)]
mod tests;

pub use assignment::assignment;
pub use exact::exact;
pub use plan::TransportPlan;
pub use problem::TransportProblem;
pub use relaxed::{RelaxedOptions, sinkhorn_relaxed};
pub use sinkhorn::{SinkhornOptions, sinkhorn};
