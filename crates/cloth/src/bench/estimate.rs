//! Estimates the time that the remaining runs take.

use std::collections::HashMap;

use super::job::Job;
use super::record::Record;

/// Estimates the remaining time from the runs made so far. Times are in seconds, from an arbitrary start.
#[derive(Debug, Clone)]
pub struct Estimate {
    left: Vec<Left>,
    workers: usize,
    /// Seconds and iterations measured so far, by row.
    seen: HashMap<String, (f64, f64)>,
}

#[derive(Debug, Clone)]
struct Left {
    row: String,
    iterations: usize,
    done: usize,
    /// Time and number of the first reported iteration.
    first: Option<(f64, usize)>,
    now: f64,
    finished: bool,
}

impl Estimate {
    /// An estimate for these jobs, without measurements yet.
    pub fn new(jobs: &[&Job], workers: usize) -> Self {
        let left = |job: &&Job| Left {
            row: job.row.clone(),
            iterations: job.config.train.iterations,
            done: 0,
            first: None,
            now: 0.0,
            finished: false,
        };
        Self { left: jobs.iter().map(left).collect(), workers: workers.max(1), seen: HashMap::new() }
    }

    /// Adds a measurement: runs of this row took `seconds` for `iterations`.
    pub fn learn(&mut self, row: &str, seconds: f64, iterations: usize) {
        let (total, count) = self.seen.entry(row.to_owned()).or_default();
        *total += seconds;
        *count += iterations as f64;
    }

    /// Reports that a run has finished `iteration` at the time `now`. `job` is an index in the list of jobs.
    pub fn iteration(&mut self, job: usize, iteration: usize, now: f64) {
        let left = &mut self.left[job];
        left.first.get_or_insert((now, iteration));
        left.done = iteration;
        left.now = now;
    }

    /// Reports that a run has finished.
    pub fn finished(&mut self, job: usize, record: &Record) {
        self.left[job].finished = true;
        let row = self.left[job].row.clone();
        self.learn(&row, record.timing.seconds, record.timing.iterations);
    }

    /// Seconds and iterations by row, from finished runs and runs in progress.
    fn rates(&self) -> HashMap<&str, (f64, f64)> {
        let mut rates: HashMap<&str, (f64, f64)> =
            self.seen.iter().map(|(row, &seen)| (row.as_str(), seen)).collect();
        for left in self.left.iter().filter(|left| !left.finished) {
            if let Some((at, from)) = left.first.filter(|&(_, from)| left.done > from) {
                let (total, count) = rates.entry(&left.row).or_default();
                *total += left.now - at;
                *count += (left.done - from) as f64;
            }
        }
        rates
    }

    /// Estimated seconds until all runs are done; none before the first measurement.
    pub fn seconds_left(&self) -> Option<f64> {
        let rates = self.rates();
        let (total, count) = rates.values().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        if count == 0.0 {
            return None;
        }
        let unfinished: Vec<&Left> = self.left.iter().filter(|left| !left.finished).collect();
        let work: f64 = unfinished
            .iter()
            .map(|left| {
                // A row without measurements is assumed to be average.
                let rate = match rates.get(left.row.as_str()) {
                    Some((seconds, iterations)) if *iterations > 0.0 => seconds / iterations,
                    _ => total / count,
                };
                (left.iterations - left.done.min(left.iterations)) as f64 * rate
            })
            .sum();
        Some(work / self.workers.min(unfinished.len()).max(1) as f64)
    }
}
