//! The verdict on a bench, in a few sentences.

use crate::bench::{Results, Shows};
use crate::eval::Spread;
use crate::report::{Level, Sign, Verdict};
use crate::words::{plural, some};

/// Most runs listed in a sign.
const SHOWN: usize = 5;

pub(super) fn of(results: &Results) -> Verdict {
    let mut signs = Vec::new();
    let mut say = |level: Level, text: String| signs.push(Sign { level, text });
    if !results.complete() {
        let text =
            format!("Incomplete: {} of {} were made.", results.runs.len(), plural(results.planned, "run"));
        say(Level::Look, text);
    }
    let named = |wanted: &dyn Fn(&crate::bench::Record) -> bool| -> Vec<String> {
        let runs = results.runs.iter().filter(|run| wanted(run));
        runs.map(|run| format!("{} {} seed {}", run.row, run.task, run.seed)).collect()
    };
    let failed = named(&|run| run.failed.is_some());
    if !failed.is_empty() {
        say(Level::Look, format!("A loss became NaN or infinite in {}.", some(&failed, SHOWN)));
    }
    let warned = named(&|run| !run.warnings.is_empty());
    if !warned.is_empty() {
        say(
            Level::Look,
            format!("There were warnings, for example of a collapse, in {}.", some(&warned, SHOWN)),
        );
    }
    let headline = match results.stamp.shows {
        Shows::Accuracy => ranking(results, &mut say),
        Shows::Curve => None,
        Shows::Time => times(results),
    };
    let title = results.stamp.study_title.as_ref().unwrap_or(&results.stamp.title);
    Verdict::of(signs, |_, _| headline.unwrap_or_else(|| title.clone()))
}

/// The row with the best mean accuracy as headline, and its lead as signs.
fn ranking(results: &Results, say: &mut dyn FnMut(Level, String)) -> Option<String> {
    let mean =
        |row: &str| Spread::of(results.accuracies(row, None).into_iter().map(|(_, value)| 100.0 * value));
    let mut ranked: Vec<(&str, f64)> =
        results.rows.iter().filter_map(|row| Some((row.as_str(), mean(row)?.mean))).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let &(first, best) = ranked.first()?;
    let Some(&(second, next)) = ranked.get(1) else {
        return Some(format!("{first}: mean accuracy {best:.1} %"));
    };
    let (ours, theirs) = (results.accuracies(first, None), results.accuracies(second, None));
    let pairs = ours.iter().filter_map(|(seed, a)| Some((a, theirs.iter().find(|(s, _)| s == seed)?.1)));
    let pairs: Vec<bool> = pairs.map(|(a, b)| *a > b).collect();
    let ahead = pairs.iter().filter(|ahead| **ahead).count();
    let points = best - next;
    let alike = ranked.iter().take_while(|(_, mean)| format!("{mean:.1}") == format!("{best:.1}")).count();
    if alike > 1 {
        return Some(format!("{alike} rows share the best mean: {best:.1} %"));
    }
    say(
        Level::Fine,
        format!(
            "{second} is second with {next:.1} %, {points:.1} points behind; {first} is ahead of it in {ahead} of {}.",
            plural(pairs.len(), "seed")
        ),
    );
    let wins = results.tasks.iter().filter(|task| {
        let of =
            |row: &str| Spread::of(results.accuracies(row, Some(task)).into_iter().map(|(_, value)| value));
        let here = of(first).map(|spread| spread.mean);
        results.rows.iter().filter_map(|row| Some(of(row)?.mean)).all(|other| here >= Some(other))
    });
    let wins = wins.count();
    if results.tasks.len() > 1 {
        say(Level::Fine, format!("{first} is best on {wins} of {}.", plural(results.tasks.len(), "task")));
    }
    Some(format!("{first} has the best mean: {best:.1} %"))
}

/// Compares the median iteration of the fastest row with that of the slowest.
fn times(results: &Results) -> Option<String> {
    let mut took: Vec<(&str, f64)> = results
        .rows
        .iter()
        .filter_map(|row| {
            let here = results.runs.iter().filter(|run| run.row == *row);
            Some((row.as_str(), Spread::of(here.map(|run| run.timing.median_iteration))?.mean))
        })
        .collect();
    took.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (&(fast, least), &(slow, most)) = (took.first()?, took.get(1..)?.last()?);
    Some(format!("{fast} takes 1/{:.0} of the time of {slow}", most / least))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Results {
        serde_json::from_str(include_str!("../../bench/tests/results.json")).unwrap()
    }

    #[test]
    fn the_best_row_is_named_with_how_clearly_it_is() {
        let mut results = example();
        results.runs.iter_mut().for_each(|run| (run.failed, run.warnings) = (None, vec![]));
        let verdict = of(&results);
        assert_eq!(verdict.headline, "cloth has the best mean: 71.9 %");
        let texts: Vec<&str> = verdict.signs.iter().map(|sign| sign.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "source_only is second with 37.5 %, 34.4 points behind; cloth is ahead of it in 1 of 1 seed.",
                "cloth is best on 2 of 2 tasks."
            ]
        );
        assert_eq!(verdict.level, Level::Fine);
    }

    #[test]
    fn rows_that_are_alike_share_the_best_mean() {
        let mut results = example();
        results.runs.retain(|run| run.row == "cloth");
        let twins = results
            .runs
            .clone()
            .into_iter()
            .map(|run| crate::bench::Record { row: "source_only".into(), ..run });
        results.runs.extend(twins.collect::<Vec<_>>());
        assert_eq!(of(&results).headline, "2 rows share the best mean: 71.9 %");
    }

    #[test]
    fn what_went_wrong_comes_before_what_came_out() {
        let mut results = example();
        results.planned = 20;
        results.runs[0].warnings = vec!["C predicts `a` for 95 % of the target rows".to_owned()];
        let verdict = of(&results);
        assert_eq!(verdict.level, Level::Look);
        assert_eq!(verdict.signs[0].text, "Incomplete: 8 of 20 runs were made.");
        assert!(verdict.signs[1].text.starts_with("A loss became NaN or infinite in source_only"));
        assert!(verdict.signs[2].text.contains("in cloth A→B seed 0"), "{:?}", verdict.signs[2]);
    }

    #[test]
    fn times_are_compared() {
        let mut results = example();
        results.stamp.shows = Shows::Time;
        for run in &mut results.runs {
            run.timing.median_iteration = if run.row == "cloth" { 0.5 } else { 20.0 };
        }
        assert_eq!(of(&results).headline, "cloth takes 1/40 of the time of source_only");
    }
}
