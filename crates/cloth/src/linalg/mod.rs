//! Linear algebra on row-major slices, for methods and reports.
//!
//! The module is independent of domains and networks. The order of sums does not depend on the number of threads.

pub mod eigen;

mod argmax;
mod cholesky;
mod dot;
mod labelled;
mod log_sum_exp;
mod nearest;
mod rows;

pub use argmax::{argmax, argmin};
pub use cholesky::{cholesky, forward_substituted, inverse_transposed};
pub use dot::dot;
pub use labelled::{ClassSums, LabelledRows};
pub use log_sum_exp::log_sum_exp;
pub use nearest::{Near, nearest_rows};
pub use rows::unit_rows;
