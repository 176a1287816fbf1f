//! Several runs at once: errors, interruption and the time left.

use super::*;

#[test]
fn runs_side_by_side_give_the_same_as_one_after_the_other() {
    let home = Home::new();
    let one = make(&home.plan(|r| r.output = home.path("one")), 1);
    let two = make(&home.plan(|r| r.output = home.path("two")), 3);
    assert_eq!(one, two);
}

#[test]
fn the_first_error_stops_the_others_and_is_the_one_returned() {
    let home = Home::new();
    let plan = home.plan(|_| {});
    let jobs: Vec<&Job> = plan.jobs.iter().collect();
    let mut started = 0;
    let result = run_all(
        &jobs,
        1,
        |job, _| if job.row == "cloth" { Ok(None) } else { Err("no") },
        |progress| {
            started += usize::from(matches!(progress, Progress::Started(_)));
            Flow::Continue
        },
    );
    // The first job is stopped, as if somebody had interrupted it: nothing after it is started.
    assert_eq!((result, started), (Ok(false), 1));
    // One of two workers fails at once; the other is told to stop, finishes its run and starts nothing more.
    let record = make(&plan, 1).runs[0].clone();
    let (second, seen) = (jobs[1], std::sync::atomic::AtomicUsize::new(0));
    let result = run_all(
        &jobs,
        2,
        |job, tell| {
            seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            if job == second {
                return Err(job.name());
            }
            while tell(Update::Iteration { iteration: 1, iterations: 30 }) == Flow::Continue {
                std::thread::yield_now();
            }
            Ok(Some(record.clone()))
        },
        |_| Flow::Continue,
    );
    assert_eq!((result, seen.into_inner()), (Err(second.name()), 2));
}

#[test]
fn whoever_watches_can_stop_it() {
    let home = Home::new();
    let plan = home.plan(|_| {});
    let jobs: Vec<&Job> = plan.jobs.iter().collect();
    let made = run_all(
        &jobs,
        2,
        |job, tell| {
            run(job, &Methods::builtin(), &mut |event| Update::of(event).map_or(Flow::Continue, &mut *tell))
        },
        |progress| if matches!(progress, Progress::Update(..)) { Flow::Stop } else { Flow::Continue },
    );
    assert!(!made.unwrap());
    assert!(Results::gather(&plan).unwrap().runs.len() < plan.jobs.len());
    make(&plan, 2);
}

#[test]
fn the_time_left_follows_from_what_was_seen() {
    let home = Home::new();
    let plan = home.plan(|_| {});
    let jobs: Vec<&Job> = plan.jobs.iter().collect();
    let mut estimate = Estimate::new(&jobs, 2);
    assert_eq!(estimate.seconds_left(), None);
    // Of 8 runs of 30 iterations, 4 are of each row; an iteration takes 1 s.
    estimate.iteration(0, 5, 10.0);
    assert_eq!(estimate.seconds_left(), None, "one moment tells no rate");
    estimate.iteration(0, 15, 20.0);
    assert_eq!(estimate.seconds_left(), Some((15.0 + 7.0 * 30.0) / 2.0));
    // source_only turns out to take half as long.
    estimate.learn("source_only", 15.0, 30);
    assert_eq!(estimate.seconds_left(), Some((15.0 + 3.0 * 30.0 + 4.0 * 15.0) / 2.0));
}
