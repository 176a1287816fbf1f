use super::*;
use crate::eval::{Evaluation, Shift};
use crate::report::run::{ClassRow, Curve, Histogram, Map, Method, ShownPlan, Side, View};
use crate::report::{BenchReport, RunReport};
use crate::train::Summary;

#[test]
fn json_cannot_leave_its_script() {
    let hostile = "</script><!--<script>\u{2028}&amp; \"quoted\"";
    let json = script_json(&[hostile]);
    assert!(!json.contains(['<', '>', '&', '\u{2028}']), "{json}");
    assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [hostile]);
}

#[test]
fn nothing_that_is_embedded_ends_its_script_or_style() {
    for script in SCRIPTS.iter().chain(&[CHARTS]) {
        assert!(!script.contains("</script") && !script.contains("<!--"));
    }
    assert!(!STYLE.contains("</style"));
}

/// A run with `points` points on its maps and `n_classes` classes; its values are arbitrary.
fn run(points: usize, n_classes: usize) -> RunReport {
    let noise = |i: usize| (i as u32).wrapping_mul(2_654_435_761) as f32 / u32::MAX as f32;
    let classes: Vec<String> = (0..n_classes).map(|m| format!("class number {m}")).collect();
    let places = |salt: usize| (0..points).map(|i| [noise(i + salt), noise(3 * i + salt)]).collect();
    let shift = Shift { proxy_a_distance: 1.25, domain_error: 0.1875 };
    let rows = 400usize;
    let view = View {
        shift: Some(crate::report::run::Shifts { before: shift, after: shift }),
        target: Histogram { counts: [5; crate::report::run::BINS], mean: 0.9 },
        source: None,
        agreement: Some(0.97),
        collapse: None,
        classes: classes
            .iter()
            .map(|name| ClassRow {
                name: name.clone(),
                source_rows: 100,
                source_share: 1.0 / n_classes as f64,
                target_share: 1.0 / n_classes as f64,
                called: 100,
                confidence: Some(0.9),
            })
            .collect(),
        map: Some(Map {
            n_source: points / 2,
            rows: (0..points as u32).collect(),
            class_of: (0..points).map(|i| (i % n_classes) as u32).collect(),
            confidence: (0..points).map(noise).collect(),
            before: places(1),
            after: places(2),
        }),
        plan: ShownPlan {
            by_t: true,
            rows: (0..rows as u32).collect(),
            called: (0..rows).map(|i| (i * n_classes / rows) as u32).collect(),
            shares: (0..rows * n_classes).map(noise).collect(),
        },
    };
    let side =
        |name: &str| Side { name: name.into(), path: format!("/data/{name}.npz"), rows: None, sha256: None };
    let curve = |name: &str| Curve {
        name: name.into(),
        meaning: String::new(),
        points: (0..500).map(|i| (10 * i, f64::from(noise(i)))).collect(),
    };
    RunReport {
        name: "run".into(),
        path: "/runs/run".into(),
        method: Method { name: "cloth".into(), summary: String::new(), adapts: true },
        seed: 0,
        source: side("source"),
        target: side("target"),
        iterations: 5000,
        summary: Some(Summary {
            iterations: 5000,
            selected_iteration: 4000,
            source_accuracy: Some(0.75),
            target_confidence: 0.9,
            warnings: vec!["iteration 3: C predicts `a` for 95 % of the target rows".into()],
            fingerprint: "0".repeat(16),
            seconds: 100.0,
            resumed_after: 1000,
            assessment: None,
        }),
        curves: ["w", "l_c", "l_d", "l_gs", "l_gt", "l_t", "l_ent", "l_hmm", "l_str"].map(curve).to_vec(),
        view: Ok(view),
        remarks: vec!["the target has only 3 rows".into()],
        evaluation: None,
        classes,
        config: "seed = 0\n".into(),
        version: "0.1.0".into(),
        model_sha256: None,
        commands: vec!["cloth report run".into()],
    }
}

#[test]
fn twenty_thousand_points_fit_into_three_megabytes() {
    let html = Report { runs: vec![run(20_000, 65)], ..Report::default() }.html();
    assert!(html.len() < 3_000_000, "{} bytes", html.len());
    let small = Report { runs: vec![run(100, 3)], ..Report::default() }.html();
    // A point takes four bytes on each map, its row four, its class two, its confidence one; base64 makes four of
    // three.
    let each = (html.len() - small.len()) as f64 / 20_000.0;
    assert!(each < 4.0 / 3.0 * 15.0 + 8.0, "{each} bytes a point");
}

#[test]
fn what_the_signs_say_stands_first() {
    let html = Report { runs: vec![run(100, 3)], ..Report::default() }.html();
    let at = |part: &str| html.find(part).unwrap_or_else(|| panic!("no {part:?}"));
    assert!(at("things to look at") < at("Before and after"));
    for part in [
        "Training gave 1 warning, the last: iteration 3",
        "Accuracy on source validation rows is 75.0\u{a0}%",
        "the last 4,000 of them in 1 min 40 s; the weights of iteration 4,000 were kept",
        "the target has only 3 rows",
    ] {
        at(part);
    }
}

#[test]
fn runs_compete_on_the_same_target_only() {
    let scored = |target: &str, accuracy: f64| {
        let score = crate::eval::Score {
            accuracy,
            balanced_accuracy: accuracy,
            calibration_error: 0.0,
            calibration: Vec::new(),
            n: 10,
            per_class: Vec::new(),
            confusion: Vec::new(),
        };
        let evaluation = Evaluation {
            labelled: "/data/labelled.npz".into(),
            head: crate::model::Head::C,
            score,
            mistakes: Vec::new(),
        };
        let mut run = run(10, 3);
        run.target.path = target.to_owned();
        RunReport { evaluation: Some(evaluation), ..run }
    };
    let best =
        |runs: &[RunReport]| compare::Compare::new(runs).rows.iter().map(|row| row.best).collect::<Vec<_>>();
    // The hard target's best is below the easy one's worst.
    let runs = [scored("easy", 0.9), scored("hard", 0.5), scored("hard", 0.6), scored("easy", 0.95)];
    assert_eq!(best(&runs), [false, false, true, true]);
    assert_eq!(best(&runs[..2]), [false, false], "who is alone wins nothing");
}

/// The example of `cloth bench`.
fn bench() -> BenchReport {
    let text = include_str!("../../bench/tests/results.json");
    BenchReport::new(std::path::Path::new("/runs/bench"), serde_json::from_str(text).unwrap())
}

#[test]
fn a_bench_has_its_best_in_bold_and_the_paper_s_cells_apart() {
    let html = Report { benches: vec![bench()], ..Report::default() }.html();
    for part in [
        "<title>Toy (train.iterations=100) · cloth</title>",
        "cloth has the best mean: 71.9 %",
        "<td class=\"n best\">71.9 <span class=\"std\">± 13.3</span></td>",
        "<tr class=\"theirs\"><th scope=\"row\">CLOTH (paper)</th><td class=\"n\">90.0</td>",
        "<td class=\"n\">50.0 <span class=\"std\">(1 failed)</span></td>",
        "Target labels were used for scoring, and to choose in the column ORACLE.",
        "cloth bench toy.toml --data DIR --seeds 2",
        "<option value=\"0\">mean over the tasks</option>",
    ] {
        assert!(html.contains(part), "no {part:?}");
    }
    assert!(!html.contains("data-chart=\"sweep\"") && !html.contains("data-chart=\"course\""));
}

#[test]
fn names_in_a_bench_are_text() {
    let mut bench = bench();
    let hostile = "</script><b onclick=alert(1)>";
    bench.results.rows[0] = hostile.to_owned();
    bench.results.averages[0].row = hostile.to_owned();
    bench.results.stamp.title = hostile.to_owned();
    let html = Report { benches: vec![bench], ..Report::default() }.html();
    assert!(!html.contains("<b onclick"));
}

#[test]
fn a_study_of_one_number_has_its_curve() {
    let mut results = bench().results;
    let names = ["q = 1", "q = 2", "q = 3"].map(str::to_owned).to_vec();
    let runs: Vec<_> = results.runs.iter().filter(|run| run.row == "cloth").cloned().collect();
    results.runs = names
        .iter()
        .flat_map(|name| {
            runs.iter().map(move |run| crate::bench::Record { row: name.clone(), ..run.clone() })
        })
        .collect();
    results.rows = names;
    let bench = BenchReport::new(std::path::Path::new("/runs/order"), results);
    assert_eq!((bench.sweeps.len(), bench.sweeps[0].at.join(" ").as_str()), (1, "1 2 3"));
    let html = Report { benches: vec![bench], ..Report::default() }.html();
    assert!(html.contains("data-chart=\"sweep\" data-sweep=\"0\""));
}

#[test]
fn a_study_of_a_loss_has_its_course() {
    let mut results = bench().results;
    results.stamp.shows = crate::bench::Shows::Curve;
    for run in &mut results.runs {
        let means = (0..20).map(|part| (part > 0).then(|| 1.0 / f64::from(part))).collect();
        run.curve = Some(crate::bench::Curve { loss: "l_t".to_owned(), means });
    }
    let html = Report { benches: vec![BenchReport::new("/b".as_ref(), results)], ..Report::default() }.html();
    assert!(html.contains("data-chart=\"course\""));
    assert!(html.contains(r#""name":"cloth A→B","at":["5 %","#), "the numbers of the chart");
    assert!(html.contains(r#""values":[null,1.0,0.5,"#));
}
