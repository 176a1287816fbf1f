//! How long a run will take, from a few of its iterations.

use std::time::{Duration, Instant};

use super::job::Job;
use super::run::Prepared;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::train::{Event, Flow};

/// A probe ends after so many iterations…
const ITERATIONS: usize = 12;
/// …or after so long, but not before so many.
const TIME: Duration = Duration::from_secs(2);
const AT_LEAST: usize = 4;

/// Seconds that a run will take, by a few iterations of it, or of both its phases if it has two, or by one of its rounds.
/// Nothing is written.
pub fn probe(job: &Job) -> Result<f64> {
    if let Some(rounds) = job.config.method.rounds() {
        return Ok(times(job)?.into_iter().fold(0.0, f64::max) * rounds as f64);
    }
    let mut second = job.clone();
    match pretrain(&mut second.config) {
        None => seconds(job),
        Some(first) => Ok(first * seconds(job)? + (1.0 - first) * seconds(&second)?),
    }
}

/// The share of the first phase, if there is one; it is then left out.
fn pretrain(config: &mut Config) -> Option<f64> {
    let section = config.method.params.get_mut(&config.method.name)?.as_table_mut()?;
    let share = section.get_mut("pretrain")?;
    std::mem::replace(share, 0.0.into()).as_float()
}

fn seconds(job: &Job) -> Result<f64> {
    Ok(extrapolated(&mut times(job)?, job.config.train.iterations))
}

/// Seconds of the first few iterations.
fn times(job: &Job) -> Result<Vec<f64>> {
    let training = Prepared::new(job)?.training;
    let (started, mut times) = (Instant::now(), Vec::new());
    let mut last = started;
    let ran = training.run(|event| {
        if let Event::Iteration { .. } = event {
            times.push(last.elapsed().as_secs_f64());
            last = Instant::now();
        }
        let enough = times.len() >= ITERATIONS || times.len() >= AT_LEAST && started.elapsed() >= TIME;
        if enough { Flow::Stop } else { Flow::Continue }
    });
    match ran {
        Ok(_) | Err(Error::NonFinite { .. }) => Ok(times),
        Err(error) => Err(error),
    }
}

/// What so many iterations take. The first does much that is not done again, so it counts once.
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

    #[test]
    fn methods_of_two_phases_are_known_by_their_settings() {
        let share = |method: &str| {
            let mut config = Config::of_method(method).unwrap();
            let share = pretrain(&mut config);
            (share, config == Config::of_method(method).unwrap())
        };
        assert_eq!(share("shot"), (Some(0.5), false));
        assert_eq!(share("cloth"), (None, true));
    }

    #[test]
    fn methods_of_rounds_are_known_by_their_settings() {
        let rounds = |method: &str| Config::of_method(method).unwrap().method.rounds();
        assert_eq!((rounds("spl"), rounds("cloth")), (Some(11), None));
    }
}
