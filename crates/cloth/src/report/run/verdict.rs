//! The verdict on the predictions of a run, mostly without labels, most important signs first.
//!
//! The estimates of a guarded run come first. The other thresholds here are rules of thumb: crossing one is a reason to
//! check. What the losses enforce, such as even classes, is reported only where it fails: it is no sign of success.

use super::{Shifts, View};
use crate::report::{Level, Sign, Verdict};
use crate::train::{Assessment, Effect, Estimate, Summary};
use crate::words::{count, percent, plural, some};

/// Accuracy on source validation rows below which the classes are hard even where labels are known.
const SOURCE_ACCURACY: f64 = 0.8;
/// Mean confidence on target rows below which many predictions are guesses.
const CONFIDENCE: f64 = 0.6;
/// Largest drop in mean confidence from source validation rows to target rows that is not reported.
const CONFIDENCE_GAP: f64 = 0.15;
/// Mean confidence minus accuracy, where labels are known: above the first value to check, above the second a failure.
const OVERCONFIDENCE: [f64; 2] = [0.15, 0.4];
/// Share of target rows for which C and T should predict the same class.
const AGREEMENT: f64 = 0.9;
/// Minimum target rows per class before an unpredicted class is reported.
const ROWS_PER_CLASS: usize = 10;
/// Factor between a class's estimated target share and its source share above which the class is reported.
const UNLIKE_SHARES: f64 = 3.0;
/// Most names listed in a sign.
const SHOWN: usize = 5;

/// The verdict on a view. `accuracy` is that on labelled rows, 0 to 1; none if the run was not scored.
pub(super) fn of(
    view: &View,
    summary: Option<&Summary>,
    accuracy: Option<f64>,
    adapts: bool,
    classes: &[String],
) -> Verdict {
    let mut signs = Vec::new();
    let mut say = |level: Level, text: String| signs.push(Sign { level, text });
    let assessment = summary.and_then(|summary| summary.assessment.as_ref());
    if let Some(assessment) = assessment {
        estimates(assessment, accuracy, &mut say);
    }
    if let Some(accuracy) = accuracy {
        let [much, far_too_much] = OVERCONFIDENCE;
        let level = match view.target.mean - accuracy {
            gap if gap > far_too_much => Level::Bad,
            gap if gap > much => Level::Look,
            _ => Level::Fine,
        };
        say(
            level,
            format!(
                "Accuracy on the labelled rows is {}; mean confidence on target rows is {}.",
                percent(accuracy),
                percent(view.target.mean)
            ),
        );
    }
    match view.collapse {
        Some(collapse) => say(
            Level::Bad,
            format!(
                "{} of the target rows are predicted as “{}”, which has {} of the source rows: training has probably collapsed.",
                percent(collapse.share),
                classes[collapse.class as usize],
                percent(collapse.expected)
            ),
        ),
        None => {
            if let Some(warnings) = summary.map(|s| &s.warnings).filter(|w| !w.is_empty()) {
                let last = &warnings[warnings.len() - 1];
                say(
                    Level::Look,
                    format!("Training gave {}, the last: {last}.", plural(warnings.len(), "warning")),
                );
            }
        }
    }
    if assessment.is_none() {
        confidence(view, &mut say);
    }
    unsure(view, &mut say);
    if let Some(agreement) = view.agreement.filter(|&agreement| agreement < AGREEMENT) {
        say(
            Level::Look,
            format!(
                "The classifier C and the transport network T predict the same class for {} of the target rows.",
                percent(agreement)
            ),
        );
    }
    shares(view, &mut say);
    shift(view, adapts, &mut say);
    if let Some(accuracy) = summary.and_then(|summary| summary.source_accuracy) {
        let level = if accuracy < SOURCE_ACCURACY { Level::Look } else { Level::Fine };
        say(level, format!("Accuracy on source validation rows is {}.", percent(accuracy)));
    }
    Verdict::of(signs, |level, looks| match (level, assessment, looks) {
        (Level::Bad, ..) => "Do not use these predictions".to_owned(),
        (_, Some(assessment), _) => headline(assessment),
        (Level::Note | Level::Fine, ..) => "The accuracy was not estimated".to_owned(),
        (Level::Look, _, 1) => "One thing to look at".to_owned(),
        (Level::Look, _, looks) => format!("{looks} things to look at"),
    })
}

fn headline(assessment: &Assessment) -> String {
    let effect = match assessment.verdict {
        Effect::Helped => "Adapting helped",
        Effect::Hurt => "Adapting hurt, so plain training predicts",
        Effect::Unclear => "Whether adapting helped cannot be told",
    };
    format!("{effect}: an estimated {} of the predictions are right", percent(assessment.estimate.accuracy))
}

/// The estimates of a guarded run, and whether `accuracy`, if it is known, is what they said.
fn estimates(assessment: &Assessment, accuracy: Option<f64>, say: &mut dyn FnMut(Level, String)) {
    let Estimate { accuracy: estimated, interval: [low, high] } = assessment.estimate;
    let (class, majority) = &assessment.majority;
    let level = if low <= *majority { Level::Look } else { Level::Fine };
    say(
        level,
        format!(
            "The estimated accuracy is {}, in nine of ten runs from {} to {}. That of plain training is {}, that of \
             always predicting “{class}” {}.",
            percent(estimated),
            percent(low),
            percent(high),
            percent(assessment.plain.accuracy),
            percent(*majority)
        ),
    );
    if let Some(accuracy) = accuracy {
        let (level, held) = match (low..=high).contains(&accuracy) {
            true => (Level::Fine, "within"),
            false => (Level::Look, "outside"),
        };
        say(
            level,
            format!("The accuracy on the labelled rows, {}, is {held} that range.", percent(accuracy)),
        );
    }
    let level = if assessment.verdict == Effect::Helped { Level::Fine } else { Level::Look };
    say(level, format!("Adapting: {}. What to do: {}.", assessment.reason, assessment.advice));
}

fn confidence(view: &View, say: &mut dyn FnMut(Level, String)) {
    let sure = view.target.mean;
    match &view.source {
        Some(source) => {
            let level = if sure < CONFIDENCE || source.mean - sure > CONFIDENCE_GAP {
                Level::Look
            } else {
                Level::Fine
            };
            say(
                level,
                format!(
                    "Mean confidence is {} on target rows and {} on source validation rows.",
                    percent(sure),
                    percent(source.mean)
                ),
            );
        }
        None => {
            let level = if sure < CONFIDENCE { Level::Look } else { Level::Fine };
            say(level, format!("Mean confidence is {} on target rows.", percent(sure)));
        }
    }
}

/// Reports classes with low mean confidence on the rows predicted as them.
fn unsure(view: &View, say: &mut dyn FnMut(Level, String)) {
    let mut unsure: Vec<(f64, &str)> = view
        .classes
        .iter()
        .filter_map(|class| Some((class.confidence.filter(|&sure| sure < CONFIDENCE)?, class.name.as_str())))
        .collect();
    unsure.sort_by(|a, b| a.0.total_cmp(&b.0));
    let named: Vec<String> =
        unsure.iter().map(|(sure, name)| format!("“{name}” ({})", percent(*sure))).collect();
    if !named.is_empty() {
        say(Level::Look, format!("Mean confidence is low for rows predicted as {}.", some(&named, SHOWN)));
    }
}

fn shares(view: &View, say: &mut dyn FnMut(Level, String)) {
    if view.target.rows() < ROWS_PER_CLASS * view.classes.len() || view.collapse.is_some() {
        return;
    }
    let missed: Vec<&str> = view.classes.iter().filter(|c| c.called == 0).map(|c| c.name.as_str()).collect();
    let unlike: Vec<&str> = view
        .classes
        .iter()
        .filter(|c| c.called > 0)
        .filter(|c| {
            let times = c.target_share / c.source_share;
            !(1.0 / UNLIKE_SHARES..=UNLIKE_SHARES).contains(&times)
        })
        .map(|c| c.name.as_str())
        .collect();
    if !missed.is_empty() {
        say(Level::Look, format!("No target row is predicted as {}.", some(&missed, SHOWN)));
    }
    if !unlike.is_empty() {
        say(
            Level::Look,
            format!(
                "By the model's estimate, {} less than a third or more than three times as frequent in the target as in the source: {}.",
                match unlike.len() {
                    1 => "1 class is".to_owned(),
                    n => format!("{} classes are", count(n)),
                },
                some(&unlike, SHOWN)
            ),
        );
    }
}

fn shift(view: &View, adapts: bool, say: &mut dyn FnMut(Level, String)) {
    let Some(Shifts { before, after }) = view.shift else {
        return say(
            Level::Note,
            "There are too few rows to measure the distance between the domains.".to_owned(),
        );
    };
    let (before, after) = (before.proxy_a_distance, after.proxy_a_distance);
    let text = format!(
        "The distance between the domains, from 0 (indistinguishable) to 2 (fully separable), is {before:.2} in the input space and {after:.2} in the latent space."
    );
    // Domains that are close from the start cannot come much closer, and a method that does not adapt does not try.
    let level = if adapts && before > 1.0 && after >= before { Level::Look } else { Level::Note };
    say(level, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Shift;
    use crate::report::run::{BINS, ClassRow, Histogram, ShownPlan};
    use crate::train::Collapse;

    const NAMES: [&str; 3] = ["ant", "bee", "cat"];

    /// A view without a flaw.
    fn sound() -> View {
        let distance =
            |proxy_a_distance: f64| Shift { proxy_a_distance, domain_error: 0.5 - proxy_a_distance / 4.0 };
        let histogram = |mean| Histogram { counts: [50; BINS], mean };
        let class = |name: &str| ClassRow {
            name: name.into(),
            source_rows: 10,
            source_share: 1.0 / 3.0,
            target_share: 1.0 / 3.0,
            called: 300,
            confidence: Some(0.9),
        };
        View {
            shift: Some(Shifts { before: distance(1.8), after: distance(0.4) }),
            target: histogram(0.9),
            source: Some(histogram(0.95)),
            agreement: Some(0.97),
            collapse: None,
            classes: NAMES.map(class).to_vec(),
            map: None,
            plan: ShownPlan { by_t: true, rows: vec![], called: vec![], shares: vec![] },
        }
    }

    fn set(view: &mut View, before: f64, after: f64) {
        let shift = view.shift.as_mut().unwrap();
        (shift.before.proxy_a_distance, shift.after.proxy_a_distance) = (before, after);
    }

    fn judged(change: impl FnOnce(&mut View)) -> Verdict {
        let mut view = sound();
        change(&mut view);
        of(&view, None, None, true, &NAMES.map(String::from))
    }

    #[test]
    fn labels_that_turn_up_have_the_first_word() {
        let level = |accuracy| of(&sound(), None, Some(accuracy), true, &NAMES.map(String::from)).level;
        assert_eq!([0.88, 0.7, 0.0].map(level), [Level::Fine, Level::Look, Level::Bad]);
    }

    #[test]
    fn a_run_without_a_flaw_and_without_an_estimate_is_not_praised() {
        let verdict = judged(|_| {});
        assert_eq!(
            (verdict.level, verdict.headline.as_str()),
            (Level::Fine, "The accuracy was not estimated")
        );
        assert_eq!(verdict.signs.len(), 2, "what the losses enforce is no sign of success: {verdict:?}");
    }

    fn assessed(verdict: Effect, low: f64) -> Summary {
        let estimate = |accuracy| Estimate { accuracy, interval: [low, 0.9] };
        Summary {
            iterations: 1,
            selected_iteration: 1,
            source_accuracy: Some(0.9),
            target_confidence: 0.8,
            warnings: Vec::new(),
            fingerprint: String::new(),
            seconds: 1.0,
            resumed_after: 0,
            assessment: Some(Assessment {
                verdict,
                reason: "the reason".into(),
                advice: "the advice".into(),
                estimate: estimate(0.8),
                adapted: estimate(0.8),
                plain: estimate(0.6),
                majority: ("bee".into(), 0.4),
                disagreement: 0.3,
                weight: 1.0,
                classes: Vec::new(),
                temperatures: [1.0; 2],
                signals: Vec::new(),
            }),
        }
    }

    #[test]
    fn the_estimate_leads_and_the_verdict_is_the_headline() {
        let of =
            |effect, low| of(&sound(), Some(&assessed(effect, low)), None, true, &NAMES.map(String::from));
        let helped = of(Effect::Helped, 0.7);
        assert_eq!(helped.headline, "Adapting helped: an estimated 80.0 % of the predictions are right");
        assert_eq!(helped.level, Level::Fine);
        assert!(helped.signs[0].text.contains("from 70.0 % to 90.0 %"), "{helped:?}");
        assert_eq!(of(Effect::Hurt, 0.7).level, Level::Look);
        assert!(of(Effect::Hurt, 0.7).headline.starts_with("Adapting hurt, so plain training predicts"));
        assert_eq!(of(Effect::Helped, 0.3).level, Level::Look, "no better than one class for all");
    }

    #[test]
    fn labels_say_whether_the_estimate_was_right() {
        let said = |accuracy| {
            let summary = assessed(Effect::Helped, 0.7);
            of(&sound(), Some(&summary), Some(accuracy), true, &NAMES.map(String::from))
        };
        let has = |verdict: Verdict, part: &str| verdict.signs.iter().any(|sign| sign.text.contains(part));
        assert!(has(said(0.75), "is within that range"));
        assert!(has(said(0.5), "is outside that range"));
    }

    #[test]
    fn every_sign_of_trouble_is_seen() {
        type Change = fn(&mut View);
        let changes: [(&str, Change); 8] = [
            ("Mean confidence is 55.0 % on target rows", |view| view.target.mean = 0.55),
            ("Mean confidence is 75.0 % on target rows", |view| view.target.mean = 0.75),
            ("the same class for 80.0 % of the target rows", |view| view.agreement = Some(0.8)),
            ("for rows predicted as “bee” (50.0 %)", |view| view.classes[1].confidence = Some(0.5)),
            ("No target row is predicted as cat", |view| view.classes[2].called = 0),
            ("1 class is less than a third", |view| view.classes[0].target_share = 0.1),
            ("and 1.90 in the latent space", |view| set(view, 1.8, 1.9)),
            ("Mean confidence is 50.0 % on target rows.", |view| {
                (view.source, view.target.mean) = (None, 0.5)
            }),
        ];
        for (part, change) in changes {
            let verdict = judged(change);
            assert_eq!(
                (verdict.level, verdict.headline.as_str()),
                (Level::Look, "One thing to look at"),
                "{part}"
            );
            assert!(verdict.signs[0].text.contains(part), "{part}: {:?}", verdict.signs[0]);
        }
    }

    #[test]
    fn a_collapse_comes_before_everything_else() {
        let verdict = judged(|view| {
            view.collapse = Some(Collapse { class: 1, share: 0.97, expected: 0.3 });
            view.agreement = Some(0.1);
        });
        assert_eq!((verdict.level, verdict.headline.as_str()), (Level::Bad, "Do not use these predictions"));
        assert!(verdict.signs[0].text.starts_with("97.0 % of the target rows are predicted as “bee”"));
    }

    #[test]
    fn domains_that_were_alike_or_a_method_that_does_not_adapt_are_no_reason_to_look() {
        let mut view = sound();
        set(&mut view, 1.8, 1.9);
        let sign_of_distance = |view: &View, adapts: bool| {
            let verdict = of(view, None, None, adapts, &[]);
            assert_eq!(verdict.level, Level::Fine);
            let about_it = |sign: &Sign| sign.text.contains("distance");
            verdict.signs.into_iter().find(about_it).unwrap().level
        };
        assert_eq!(sign_of_distance(&view, false), Level::Note, "it grew, and nobody tried to stop it");
        set(&mut view, 0.2, 0.3);
        assert_eq!(sign_of_distance(&view, true), Level::Note, "there was nothing to gain");
        set(&mut view, 0.2, 0.1);
        assert_eq!(sign_of_distance(&view, false), Level::Note, "adversaries make it small, right or wrong");
        view.shift = None;
        assert_eq!(sign_of_distance(&view, true), Level::Note, "nobody can tell");
    }
}
