//! Estimates the time of a run from a few of its iterations.

use std::time::{Duration, Instant};

use super::job::Job;
use super::run::Prepared;
use crate::error::{Error, Result};
use crate::method::Methods;

/// Most iterations of a probe.
const ITERATIONS: usize = 12;
/// Time after which a probe ends, once it has made [`AT_LEAST`] iterations.
const TIME: Duration = Duration::from_secs(2);
/// Fewest iterations of a probe.
const AT_LEAST: usize = 4;

/// Estimated seconds of a run, from a few iterations or one round of each of its phases. Writes no files.
pub fn probe(job: &Job, methods: &Methods) -> Result<f64> {
    let mut seconds = 0.0;
    for phase in methods.find(&job.config.method.name)?.phases(&job.config)? {
        if phase.iterations() == 0 {
            continue;
        }
        let mut times = times(job, methods, phase.first)?;
        seconds += match phase.rounds {
            Some(rounds) => times.into_iter().fold(0.0, f64::max) * rounds as f64,
            None => extrapolated(&mut times, phase.iterations()),
        };
    }
    Ok(seconds)
}

/// Seconds of a few iterations, from the iteration `first` on.
fn times(job: &Job, methods: &Methods, first: usize) -> Result<Vec<f64>> {
    let mut training = Prepared::new(job, methods)?.training.skipping_to(first);
    let (started, mut times) = (Instant::now(), Vec::new());
    let enough =
        |times: &[f64]| times.len() >= ITERATIONS || times.len() >= AT_LEAST && started.elapsed() >= TIME;
    while !enough(&times) {
        let before = Instant::now();
        match training.step() {
            Ok(Some(_)) => times.push(before.elapsed().as_secs_f64()),
            Ok(None) | Err(Error::NonFinite { .. }) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(times)
}

/// Estimated seconds of `iterations`. The first one does work that is not repeated, so it counts once.
fn extrapolated(times: &mut [f64], iterations: usize) -> f64 {
    let Some((first, rest)) = times.split_first_mut() else { return 0.0 };
    rest.sort_by(f64::total_cmp);
    let usual = rest.get(rest.len() / 2).unwrap_or(first);
    *first + usual * (iterations - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_iteration_counts_once_and_the_median_of_the_others_often() {
        assert_eq!(extrapolated(&mut [5.0, 1.0, 9.0, 2.0], 11), 25.0);
        assert_eq!(extrapolated(&mut [5.0], 2), 10.0);
        assert_eq!(extrapolated(&mut [], 100), 0.0);
    }
}
