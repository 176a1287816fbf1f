//! What reports contain, and what they must not contain.

use std::fs;

use crate::html::Page;
use crate::support::{CLASSES, Dir, Labels, csv, rows};

const SECTIONS: [&str; 6] =
    ["Before and after", "Training", "Classes", "Transport plan", "Confidence", "How to reproduce this run"];

#[test]
fn train_makes_a_report_with_every_section() {
    let dir = Dir::with_data();
    let ran = dir.train("source.csv", "target.csv", "run", &["--seed", "5"]).done();
    assert!(ran.stdout.contains("Report: run/report.html"), "{}", ran.stdout);
    let page = Page::parse(&dir.text("run/report.html"));
    for part in SECTIONS {
        assert!(page.text.contains(part), "no {part:?}");
    }
    for part in [
        "150 labelled rows of source",
        "120 unlabelled rows of target",
        "seed 5",
        "40 iterations",
        "Judged without target labels",
        "How far apart are the domains?",
        "learning_rate",
        "cloth train ",
        "data and configuration, SHA-256",
    ] {
        assert!(page.text.contains(part), "no {part:?}");
    }
    assert!(!page.text.contains("Scored with labels"));

    let run = &page.runs[0];
    assert_eq!(run["classes"], serde_json::json!(CLASSES));
    assert_eq!(run["map"]["n_source"], 150);
    let curves: Vec<&str> =
        run["curves"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    let losses = ["w", "l_c", "l_d", "l_gs", "l_gt", "l_t", "l_ent", "l_hmm", "l_str", "source_accuracy"];
    let shares =
        ["l_c", "l_gs", "l_gt", "l_t", "l_ent", "l_hmm", "l_str"].map(|loss| format!("share_{loss}"));
    let wanted: Vec<&str> = losses.into_iter().chain(shares.iter().map(String::as_str)).collect();
    assert_eq!(curves, wanted);
    assert_eq!(run["plan"]["by"], "T");
    assert!(run["confidence"]["source"].is_array() && run["confusion"].is_null());
}

#[test]
fn the_transport_cost_is_part_of_what_is_measured() {
    let dir = Dir::with_data();
    let mut firsts = Vec::new();
    for (run, more) in
        [("amortised", "reduction=mean"), ("summed", "reduction=sum"), ("sinkhorn", "transport=sinkhorn")]
    {
        let setting = format!("method.cloth.{more}");
        let more = ["--set", &setting, "--set", "train.evaluate_every=1", "--no-report"];
        dir.train("source.csv", "target.csv", run, &more).done();
        let metrics = dir.text(&format!("{run}/metrics.jsonl"));
        let lines = metrics.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let costs: Vec<f64> = lines
            .map(|line| {
                let (w, l_t) = (line["w"].as_f64().unwrap(), line["l_t"].as_f64().unwrap());
                // l_t is W plus the cross-entropy of T on the source, which is at least 0.
                assert!(w >= 0.0 && w <= l_t + 1e-4, "{line}");
                w
            })
            .collect();
        assert_eq!(costs.len(), 40);
        firsts.push(costs[0]);
    }
    // Before the first update all weights are the same, and W does not depend on the reduction over rows.
    assert!((firsts[0] / firsts[1] - 1.0).abs() < 1e-4, "{firsts:?}");
}

#[test]
fn a_report_loads_nothing_and_is_the_same_every_time() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &[]).done();
    let html = dir.text("run/report.html");
    let page = Page::parse(&html);
    for tag in &page.tags {
        for (name, value) in &tag.attributes {
            let inside = value.starts_with('#') || value.starts_with("data:");
            assert!(
                inside || !["src", "href", "srcset", "action", "poster", "data"].contains(&name.as_str()),
                "{tag:?}"
            );
            assert!(!value.contains("url(") && !name.starts_with("on"), "{tag:?}");
        }
        assert!(
            !["link", "iframe", "object", "embed", "base", "form"].contains(&tag.name.as_str()),
            "{tag:?}"
        );
    }
    assert!(!html.contains("@import") && !html.contains("url("), "a style loads something");
    let policy =
        page.tags.iter().find(|tag| tag.get("http-equiv") == Some("Content-Security-Policy")).unwrap();
    assert!(policy.get("content").unwrap().starts_with("default-src 'none';"), "{policy:?}");
    assert!(html.len() < 1_500_000, "{} bytes", html.len());

    for (threads, from) in [("1", "run"), ("2", "run"), ("0", "./run")] {
        dir.run(["report", from, "-o", "again.html", "--threads", threads]).done();
        assert!(dir.text("again.html") == html, "{threads} threads");
    }
    // By default, the report in the run directory is replaced.
    dir.run(["report", "run"]).done();
    assert!(dir.text("run/report.html") == html);
}

#[test]
fn names_from_files_stay_names() {
    let hostile = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(2)>",
        "\"><b onclick='alert(3)'>&amp;{{ 7 * 7 }}",
    ];
    let dir = Dir::new();
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let mut source = csv(&rows(150, 1, 0.0), Labels::True);
    for (class, name) in CLASSES.iter().zip(hostile) {
        source = source.replace(&format!(",{class}\n"), &format!(",{}\n", quoted(name)));
    }
    let path = "<b>&copy;'.csv";
    dir.write(path, &source);
    dir.write("target.csv", csv(&rows(120, 2, 1.0), Labels::None));
    dir.train(path, "target.csv", "r'u\"n<i>", &[]).done();
    dir.run(["eval", "r'u\"n<i>", path]).done();
    dir.run(["report", "r'u\"n<i>", "-o", "report.html"]).done();
    let page = Page::parse(&dir.text("report.html"));
    let mut names: Vec<&str> = hostile.to_vec();
    names.sort_unstable();
    assert_eq!(page.runs[0]["classes"], serde_json::json!(names));
    for name in hostile {
        assert!(page.text.contains(name), "no {name:?}");
    }
    assert!(page.text.contains("<b>&copy;'"));
    assert!(!page.tags.iter().any(|tag| tag.name == "i" && tag.get("class").is_none()));
    assert!(
        !page
            .tags
            .iter()
            .any(|tag| tag.name == "img" || tag.attributes.iter().any(|(name, _)| name.starts_with("on")))
    );
    assert!(page.scripts.iter().all(|script| !script.contains("alert(")));
}

#[test]
fn labels_that_come_later_are_shown_and_change_nothing_else() {
    let dir = Dir::with_data();
    dir.write("labelled.csv", csv(&rows(120, 2, 1.0), Labels::True));
    dir.write("wrong.csv", csv(&rows(120, 2, 1.0), Labels::Wrong));
    dir.train("source.csv", "target.csv", "run", &[]).done();
    let before = dir.read("run/model.safetensors");

    dir.run(["eval", "run", "labelled.csv"]).done();
    dir.run(["report", "run"]).done();
    let kept = Page::parse(&dir.text("run/report.html"));
    for part in
        ["Scored with labels", "Balanced accuracy", "Confusion", "Calibration", "Recall", "labelled.csv"]
    {
        assert!(kept.text.contains(part), "no {part:?}");
    }
    dir.run(["report", "run", "--labels", "labelled.csv", "-o", "given.html"]).done();
    assert!(dir.text("given.html") == dir.text("run/report.html"));

    dir.run(["report", "run", "--labels", "wrong.csv", "-o", "wrong.html"]).done();
    let wrong = Page::parse(&dir.text("wrong.html"));
    assert!(
        wrong.text.contains("Most confident mistakes")
            && wrong.runs[0]["confusion"] != kept.runs[0]["confusion"]
    );
    for same in ["map", "plan", "confidence", "curves"] {
        assert_eq!(wrong.runs[0][same], kept.runs[0][same], "{same}");
    }
    assert_eq!(dir.read("run/model.safetensors"), before);
    dir.run(["report", "run", "--labels", "target.csv"]).failed(&["target.csv", "label"]);
}

#[test]
fn several_runs_are_compared() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "a", &["--no-report"]).done();
    assert!(!dir.path("a/report.html").exists());
    let plain =
        ["train", "source.csv", "target.csv", "-o", "b", "--method", "source_only", "--no-report", "--json"];
    let json = dir.run(plain.iter().chain(&["--set", "train.iterations=30"])).done().json(&["report"]);
    assert!(json["report"].is_null());
    let json = dir.run(["report", "a", "b", "--json"]).done().json(&["report", "runs"]);
    assert_eq!((&json["report"], json["runs"].as_array().unwrap().len()), (&"report.html".into(), 2));
    assert!(json["runs"][0]["proxy_a_distance"]["before"].is_number(), "{json}");
    assert!(
        json["runs"][1]["agreement"].is_null() && json["runs"][1]["signs"][0]["text"].is_string(),
        "{json}"
    );
    // A directory stands for the runs in it.
    std::fs::create_dir(dir.path("both")).unwrap();
    for run in ["a", "b"] {
        std::fs::rename(dir.path(run), dir.path("both").join(run)).unwrap();
    }
    let json = dir.run(["report", "both", "-o", "both.html", "--json"]).done().json(&["runs"]);
    assert_eq!(json["runs"].as_array().unwrap().len(), 2);
    dir.run(["report", "nowhere"]).failed(&["cannot read nowhere"]);
    std::fs::create_dir(dir.path("empty")).unwrap();
    dir.run(["report", "empty"])
        .failed(&["empty: found neither a run nor a bench, wanted a directory made by"]);

    let page = Page::parse(&dir.text("report.html"));
    assert!(page.text.contains("2 runs compared") && page.text.contains("source_only"));
    assert!(page.text.contains("This method has no transport network"));
    let ids = |id: &str| page.tags.iter().filter(|tag| tag.get("id") == Some(id)).count();
    assert_eq!((page.runs.len(), ids("run-1"), ids("run-2")), (2, 1, 1));
    let all: Vec<&str> = page.tags.iter().filter_map(|tag| tag.get("id")).collect();
    let mut unique = all.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), all.len(), "an id is there twice");
}

#[test]
fn what_is_missing_is_said_and_the_rest_is_shown() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &["--no-report"]).done();
    dir.write("target.csv", csv(&rows(120, 9, 1.0), Labels::None));
    let ran = dir.run(["report", "run"]).done();
    assert!(ran.stderr.contains("have changed since it was trained"), "{}", ran.stderr);
    assert!(Page::parse(&dir.text("run/report.html")).text.contains("have changed since it was trained"));

    fs::remove_file(dir.path("target.csv")).unwrap();
    let ran = dir.run(["report", "run"]).done();
    assert!(ran.stderr.contains("cannot be read"), "{}", ran.stderr);
    let page = Page::parse(&dir.text("run/report.html"));
    assert!(page.text.contains("Some parts cannot be shown") && page.text.contains("Training"));
    assert!(page.runs[0]["map"].is_null() && page.runs[0]["curves"].as_array().unwrap().len() > 5);

    fs::remove_file(dir.path("run/model.safetensors")).unwrap();
    fs::remove_file(dir.path("run/summary.json")).unwrap();
    dir.run(["report", "run"]).done();
    assert!(dir.text("run/report.html").contains("training has not finished"));

    dir.run(["report", "nowhere"]).failed(&["cannot read nowhere"]);
    dir.run(["report", "run", "-o", "no/such/report.html"]).failed(&["no/such/report.html", "directory"]);
    dir.run(["report", "run", "-o", "run"]).failed(&["a directory", "a file to write"]);
}

/// A directory has the name of the report.
#[test]
fn a_report_that_fails_does_not_fail_the_run() {
    let dir = Dir::with_data();
    dir.write("run/report.html/note.txt", "mine");
    let ran = dir.train("source.csv", "target.csv", "run", &["--json"]).done();
    assert!(
        ran.stderr.contains("the run is complete, but its report could not be written"),
        "{}",
        ran.stderr
    );
    assert!(ran.json(&["model"])["report"].is_null());
    assert!(dir.path("run/model.safetensors").exists());
}

#[test]
fn mistaken_images_are_shown() {
    let dir = Dir::new();
    for i in 0..24usize {
        let class = ["left", "right"][i % 2];
        let pixel = |p: usize| if (p % 20 < 10) == (i % 2 == 0) { 200 } else { 20 };
        let image = [b"P5\n20 20\n255\n".to_vec(), (0..400).map(pixel).collect()].concat();
        dir.write(&format!("source/{class}/{i}.pgm"), &image);
        dir.write(&format!("target/{}/{i}.pgm", ["right", "left"][i % 2]), &image);
    }
    let small =
        ["--set", "generator.filters=[4, 4]", "--set", "data.image_size=20", "--set", "train.iterations=30"];
    dir.train("source", "target", "run", &small).done();
    dir.run(["eval", "run", "target"]).done();
    dir.run(["report", "run"]).done();
    let page = Page::parse(&dir.text("run/report.html"));
    let pictures: Vec<&str> =
        page.tags.iter().filter(|tag| tag.name == "img").map(|tag| tag.get("alt").unwrap()).collect();
    assert!(!pictures.is_empty() && pictures.iter().all(|name| name.ends_with(".pgm")), "{pictures:?}");
    assert!(
        page.tags
            .iter()
            .filter_map(|tag| tag.get("src"))
            .all(|src| src.starts_with("data:image/png;base64,"))
    );
}
