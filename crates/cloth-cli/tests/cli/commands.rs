//! What each subcommand does on good input.

use std::fs;

use cloth::Methods;

use crate::support::{CLASSES, Dir, FAST, Labels, csv, npz, rows};

#[test]
fn train_predict_and_eval() {
    let dir = Dir::with_data();
    dir.write("labelled.csv", csv(&rows(90, 3, 1.0), Labels::True));
    let ran = dir.train("source.csv", "target.csv", "run", &["--seed", "7"]).done();
    for part in [
        "cloth with seed 7",
        "source.csv\n          150 rows, 3 classes",
        "target.csv\n          120 rows",
        "40 iterations",
        "Accuracy on the target, estimated without labels",
        "run/model.safetensors",
        "cloth predict run target.csv",
        "cloth eval run",
    ] {
        assert!(ran.stdout.contains(part), "no {part:?} in\n{}", ran.stdout);
    }
    for file in ["config.toml", "metrics.jsonl", "model.safetensors", "checkpoint.safetensors"] {
        assert!(dir.path("run").join(file).exists(), "{file}");
    }
    assert!(dir.text("run/config.toml").contains("learning_rate"), "every default is written down");

    let predictions = dir.run(["predict", "run", "target.csv"]).done().stdout;
    let mut lines = predictions.lines();
    assert_eq!(lines.next(), Some("row,prediction,confidence"));
    assert_eq!(lines.count(), 120);
    let model = dir.run(["predict", "run/model.safetensors", "target.csv"]).done().stdout;
    assert_eq!(model, predictions, "a run and its model file are the same");

    let score = dir.run(["eval", "run", "labelled.csv", "--json"]).done().json(&[
        "accuracy",
        "balanced_accuracy",
        "n",
        "per_class",
        "calibration_error",
        "confusion",
    ]);
    assert_eq!(score["n"], 90);
    assert!(score["accuracy"].as_f64().unwrap() > 0.9, "{score}");
    assert_eq!(score["per_class"][1]["class"], "bee");

    let report = dir.run(["eval", "run", "labelled.csv"]).done().stdout;
    for part in
        ["accuracy", "balanced accuracy", "calibration error", "recall", "precision", "bee", "Confusion"]
    {
        assert!(report.contains(part), "no {part:?} in\n{report}");
    }
}

#[test]
fn train_in_json() {
    let dir = Dir::with_data();
    let ran = dir.train("source.csv", "target.csv", "run", &["--json", "--seed", "3"]).done();
    let json = ran.json(&[
        "run",
        "model",
        "seed",
        "iterations",
        "seconds",
        "selected_iteration",
        "method",
        "source_accuracy",
        "target_confidence",
        "target_proportions",
        "warnings",
        "stopped",
    ]);
    assert_eq!(json["run"], "run");
    assert_eq!(json["model"], "run/model.safetensors");
    assert_eq!((json["seed"].as_u64(), json["iterations"].as_u64()), (Some(3), Some(40)));
    assert_eq!(json["stopped"], false);
    let shares = CLASSES.map(|class| json["target_proportions"][class].as_f64().unwrap());
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{json}");
    // The same counts as `cloth predict` gives.
    let predicted = dir.run(["predict", "run", "target.csv", "--json"]).done().json(&["classes"]);
    assert_eq!(json["target_called"], predicted["classes"], "{predicted}");
}

#[test]
fn predictions_in_every_format() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &[]).done();
    for extension in ["csv", "parquet", "npy", "jsonl"] {
        let out = format!("out.{extension}");
        let ran = dir.run(["predict", "run", "target.csv", "-o", &out, "--proba"]).done();
        assert_eq!(ran.stdout, "");
        assert!(ran.stderr.contains("120 rows written to"), "{}", ran.stderr);
        assert!(!dir.read(&out).is_empty());
    }
    assert!(dir.text("out.csv").starts_with("row,prediction,confidence,p_ant,p_bee,p_cat\n"));
    let json = dir.run(["predict", "run", "target.csv", "--json"]).done();
    let json = json.json(&["rows", "output", "classes", "mean_confidence"]);
    assert_eq!((json["rows"].as_u64(), json["output"].is_null()), (Some(120), true));
    let counts = CLASSES.map(|class| json["classes"][class].as_u64().unwrap());
    assert_eq!(counts.iter().sum::<u64>(), 120);
}

#[test]
fn predictions_by_either_head() {
    let dir = Dir::with_data();
    dir.train("source.csv", "target.csv", "run", &[]).done();
    let by = |head| dir.run(["predict", "run", "target.csv", "--head", head]).done().stdout;
    assert_ne!(by("c"), by("t"));
    assert_eq!(by("guarded"), dir.run(["predict", "run", "target.csv"]).done().stdout);
    dir.train("source.csv", "target.csv", "alone", &["--set", "train.guard=false"]).done();
    assert_eq!(by("c"), dir.run(["predict", "alone", "target.csv"]).done().stdout);
    dir.run([
        "train",
        "source.csv",
        "target.csv",
        "-o",
        "so",
        "--method",
        "source_only",
        "--set",
        "train.iterations=5",
    ])
    .done();
    dir.run(["predict", "so", "target.csv", "--head", "t"]).failed(&["source_only", "no transport network"]);
}

#[test]
fn a_check_that_fails_exits_with_1() {
    let dir = Dir::with_data();
    dir.write("wrong.csv", csv(&rows(90, 3, 1.0), Labels::Wrong));
    dir.train("source.csv", "target.csv", "run", &[]).done();
    let ran = dir.run(["eval", "run", "wrong.csv", "--min-accuracy", "0.9", "--json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("below --min-accuracy 90.0 %"), "{}", ran.stderr);
    ran.json(&["accuracy"]);
    dir.run(["eval", "run", "wrong.csv", "--min-accuracy", "0"]).done();
    assert_eq!(dir.run(["eval", "run", "wrong.csv", "--min-accuracy", "90"]).code, 2);
}

#[test]
fn runs_find_their_own_names() {
    let dir = Dir::with_data();
    let train =
        || dir.run(["train", "source.csv", "target.csv", "--json", "--set", "train.iterations=2"]).done();
    assert_eq!(train().json(&[])["run"], "runs/source-target-cloth-seed0");
    assert_eq!(train().json(&[])["run"], "runs/source-target-cloth-seed0-2");
    assert_eq!(train().json(&[])["run"], "runs/source-target-cloth-seed0-3");
}

#[test]
fn later_layers_of_settings_win() {
    let dir = Dir::with_data();
    dir.write("my.toml", "seed = 5\n[train]\niterations = 3\nlearning_rate = 0.5\n");
    let more = ["--preset", "paper", "--config", "my.toml", "--set", "train.learning_rate=0.25"];
    let args = ["train", "source.csv", "target.csv", "-o", "run", "--set", "train.batch_size=16"];
    dir.run(args.iter().chain(&more).chain(&["--seed", "6"])).done();
    let config = dir.text("run/config.toml");
    for line in
        ["seed = 6", "iterations = 3", "learning_rate = 0.25", "schedule = \"constant\"", "batch_size = 16"]
    {
        assert!(config.contains(line), "no {line:?} in\n{config}");
    }
    // The config.toml of a run is a configuration file, and names the method.
    dir.run([
        "train",
        "source.csv",
        "target.csv",
        "-o",
        "so",
        "--method",
        "source_only",
        "--set",
        "train.iterations=3",
    ])
    .done();
    let ran =
        dir.run(["train", "source.csv", "target.csv", "-o", "again", "--config", "so/config.toml", "--json"]);
    assert_eq!(ran.done().json(&[])["method"], "source_only");
    assert_eq!(dir.read("so/model.safetensors"), dir.read("again/model.safetensors"));
}

#[test]
fn labels_under_any_name() {
    let dir = Dir::with_data();
    let renamed = dir.text("source.csv").replace("label\n", "3rd kind\n");
    dir.write("named.csv", &renamed);
    dir.train("named.csv", "target.csv", "run", &["--label", "3rd kind"]).done();
    // The run has saved the name of the label.
    dir.run(["eval", "run", "named.csv"]).done();
    dir.run(["eval", "run/model.safetensors", "named.csv"]).failed(&["no label among the columns"]);
    dir.run(["eval", "run/model.safetensors", "named.csv", "--label", "3rd kind"]).done();
}

#[test]
fn ignored_columns_and_small_classes_are_noted() {
    let dir = Dir::with_data();
    let mut text = String::new();
    for (i, line) in dir.text("source.csv").lines().enumerate() {
        text += &format!("{},{line}\n", if i == 0 { "remark".to_owned() } else { format!("text {i}") });
    }
    text += "one,0,0,0,0,0,0,0,0,dodo\n";
    dir.write("source.csv", text);
    let ran = dir.train("source.csv", "target.csv", "run", &[]).done();
    for part in ["ignored in the source: remark", "1 class with a single source row: dodo", "dodo has 1"] {
        assert!(ran.stderr.contains(part), "no {part:?} in\n{}", ran.stderr);
    }
    let quiet = dir.train("source.csv", "target.csv", "quiet", &["-q"]).done();
    assert_eq!(quiet.stderr, "");
}

#[test]
fn inspect_says_what_was_understood() {
    let dir = Dir::with_data();
    let ran = dir.run(["inspect", "source.csv", "target.csv"]).done();
    for part in [
        "Source: source.csv",
        "csv",
        "150 of 8 features",
        "column \"label\"",
        "3 (ant: 50, bee: 50, cat: 50)",
        "Target: target.csv",
        "proxy A-distance",
        "mlp 8-",
        "method",
        "normalisation",
    ] {
        assert!(ran.stdout.contains(part), "no {part:?} in\n{}", ran.stdout);
    }
    let json = dir.run(["inspect", "source.csv", "target.csv", "--json"]).done();
    let json = json.json(&["source", "target", "classes", "shift", "train", "remarks", "problems"]);
    assert_eq!(json["source"]["rows"], 150);
    assert_eq!(json["target"]["label"], serde_json::Value::Null);
    assert!(json["shift"]["proxy_a_distance"].is_number());
    dir.run(["inspect", "source.csv"]).done();
    // Methods that train differently are described differently.
    let of = |method| dir.run(["inspect", "source.csv", "target.csv", "--method", method]).done().stdout;
    let (spl, source_only) = (of("spl"), of("source_only"));
    assert!(spl.contains("with 11 rounds over all rows") && !spl.contains("mlp"), "{spl}");
    assert!(
        source_only.contains(" source rows\n") && !source_only.contains("target rows\n"),
        "{source_only}"
    );
}

/// A pipe can be read only once: a second read would wait for ever.
#[cfg(unix)]
#[test]
fn inspect_reads_each_file_once() {
    let dir = Dir::with_data();
    let from_files = dir.run(["inspect", "source.csv", "target.csv"]).done().stdout;
    // Rows that cannot be trained on are also read only once.
    dir.write("gap.csv", dir.text("source.csv") + ",0,0,0,0,0,0,0,ant\n");
    let of_gaps = dir.run(["inspect", "gap.csv"]).stdout;
    let pipe = |name: &str| {
        let (text, path) = (dir.text(name), dir.path(name));
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        std::thread::spawn(move || std::fs::write(path, text));
    };
    let inspect = |names: &[&str]| {
        let mut command = dir.command();
        let mut child =
            command.arg("inspect").args(names).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let patience = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while child.try_wait().unwrap().is_none() {
            if std::time::Instant::now() > patience {
                child.kill().unwrap();
                panic!("it waits for a second reading");
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    ["source.csv", "target.csv", "gap.csv"].into_iter().for_each(pipe);
    assert_eq!(inspect(&["source.csv", "target.csv"]), from_files);
    assert_eq!(inspect(&["gap.csv"]), of_gaps);
    assert!(of_gaps.contains("151 of 8 features") && of_gaps.contains("1 row with NaN"), "{of_gaps}");
}

#[test]
fn inspect_tells_the_rows_of_a_file_whose_labels_are_no_good() {
    let dir = Dir::with_data();
    dir.write("gap.csv", dir.text("source.csv") + "0,0,0,0,0,0,0,0,\n");
    for (file, problem) in
        [("gap.csv", "line 152, column \"label\": found no label"), ("target.csv", "found no label among")]
    {
        let ran = dir.run(["inspect", file, "target.csv"]);
        assert_eq!(ran.code, 1);
        let rows = if file == "gap.csv" { "151 of 8 features" } else { "120 of 8 features" };
        for part in [rows, problem, "Would stop `cloth train`", "Target: target.csv"] {
            assert!(ran.stdout.contains(part), "no {part:?} in\n{}", ran.stdout);
        }
    }
}

#[test]
fn inspect_counts_missing_values_and_lists_what_would_stop_training() {
    let dir = Dir::with_data();
    let mut text = dir.text("source.csv");
    text += ",0,0,0,0,0,0,0,ant\ninf,0,0,0,0,0,0,,bee\n";
    dir.write("source.csv", text);
    let ran = dir.run(["inspect", "source.csv", "target.csv"]);
    assert_eq!(ran.code, 1);
    for part in [
        "2 rows with NaN",
        "1 with an infinite value",
        "Would stop `cloth train`",
        "row 151, column \"f0\"",
        "help: ",
    ] {
        assert!(ran.stdout.contains(part), "no {part:?} in\n{}", ran.stdout);
    }
    let json = dir.run(["inspect", "source.csv", "--json"]).json(&["problems"]);
    assert_eq!(
        (json["source"]["nan_rows"].as_u64(), json["source"]["infinite_rows"].as_u64()),
        (Some(2), Some(1))
    );
    assert_eq!(json["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn arrays_work_as_tables_do() {
    let dir = Dir::new();
    dir.write("source.npz", npz(&rows(150, 1, 0.0)));
    dir.write("target.npz", npz(&rows(120, 2, 1.0)));
    let ran = dir.train("source.npz", "target.npz", "run", &[]).done();
    assert!(
        ran.stderr.contains("target labels in") && ran.stderr.contains("target.npz ignored"),
        "{}",
        ran.stderr
    );
    let ran = dir.run(["predict", "run", "target.npz", "-o", "out.csv"]).done();
    assert!(ran.stderr.contains("labels in target.npz ignored"), "{}", ran.stderr);
    dir.run(["eval", "run", "target.npz"]).done();
}

#[test]
fn images_of_any_size_work() {
    let dir = Dir::new();
    for i in 0..24usize {
        // Bright on the left or on the right; 20 × 20 in the source, 36 × 24 in the target.
        let class = ["left", "right"][i % 2];
        let image = |width: usize, height: usize| {
            let bright = |x: usize| (x < width / 2) == (i % 2 == 0);
            let pixel = |p: usize| if bright(p % width) { 200 + i as u8 } else { 20 + i as u8 };
            [format!("P5\n{width} {height}\n255\n").into_bytes(), (0..width * height).map(pixel).collect()]
                .concat()
        };
        dir.write(&format!("source/{class}/{i}.pgm"), image(20, 20));
        dir.write(&format!("target/some/{i}.pgm"), image(36, 24));
    }
    let small =
        ["--set", "generator.filters=[4, 4]", "--set", "data.image_size=20", "--set", "train.iterations=10"];
    let trained = dir.train("source", "target", "run", &small).done();
    let ran = dir.run(["predict", "run", "target"]).done();
    assert!(ran.stdout.starts_with("row,name,prediction,confidence\n0,some/0.pgm,"), "{}", ran.stdout);
    dir.run(["eval", "run", "source"]).done();
    // Neighbours by their pixels tell nothing of images: no judgement, and that is said.
    assert!(trained.stderr.contains("accuracy on images is not estimated"), "{}", trained.stderr);
    assert!(!dir.path("run/plain").exists());
    dir.run(["validate", "run"]).failed(&["found a run on", "cloth eval"]);
    assert_eq!(ran.stdout, dir.run(["predict", "run", "target", "--head", "c"]).done().stdout);
}

#[test]
fn methods_are_listed_and_shown() {
    let dir = Dir::with_data();
    let list = dir.run(["methods"]).done().stdout;
    for part in ["alpha = ", "generator.last_activation = 'tanh'", "paper: "] {
        assert!(list.contains(part), "no {part:?} in\n{list}");
    }
    let json = dir.run(["methods", "--json"]).done().json(&["methods", "presets"]);
    assert_eq!(json["methods"].as_array().unwrap().len(), Methods::builtin().names().len());
    for (entry, listed) in Methods::builtin().iter().zip(json["methods"].as_array().unwrap()) {
        assert!(
            list.contains(&format!("\n  {}: {}\n", entry.name(), entry.summary())),
            "{}\n{list}",
            entry.name()
        );
        assert_eq!(listed["name"], entry.name());
        assert!(listed["defaults"].is_object());
    }
    dir.run(["methods", "cloth", "--json"]).done().json(&["name", "config"]);
    assert!(dir.run(["methods", "paper"]).done().stdout.contains("[method.cloth]"));
    // The output is a valid configuration file.
    dir.write("my.toml", dir.run(["methods", "cloth"]).done().stdout);
    dir.run(["train", "source.csv", "target.csv", "--config", "my.toml"].iter().chain(FAST)).done();
    dir.run(["methods", "clth"]).failed(&["`clth`", "one of cloth, source_only"]);
}

#[test]
fn completions_for_every_shell() {
    let dir = Dir::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(dir.run(["completions", shell]).done().stdout.contains("inspect"), "{shell}");
    }
}

#[test]
fn a_typo_in_a_subcommand_gets_a_suggestion() {
    let ran = Dir::new().run(["trian"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("'train'"), "{}", ran.stderr);
}

#[test]
fn the_demo_needs_nothing_and_cloth_wins() {
    let dir = Dir::new();
    let ran = dir.run(["demo", "--json"]).done();
    let json = ran.json(&["source_only", "cloth", "run", "seed", "seconds"]);
    let (before, after) = (json["source_only"].as_f64().unwrap(), json["cloth"].as_f64().unwrap());
    assert!(after > before + 0.02, "{json}");
    for (method, accuracy) in [("source_only", before), ("cloth", after)] {
        let estimated = json["estimated_accuracy"][method].as_f64().unwrap();
        assert!((estimated - accuracy).abs() < 0.1, "{json}");
    }
    assert_eq!(json["run"], "runs/demo");
    // Its runs can predict and be resumed like any others, although their data are not files.
    let rows = cloth::demo::handwritten();
    let text: Vec<String> = rows
        .chunks(64)
        .take(5)
        .map(|row| row.iter().map(f32::to_string).collect::<Vec<_>>().join(","))
        .collect();
    dir.write("digits.csv", text.join("\n") + "\n");
    assert_eq!(dir.run(["predict", "runs/demo/cloth", "digits.csv"]).done().stdout.lines().count(), 6);
    let model = dir.read("runs/demo/cloth/model.safetensors");
    let again = dir.run(["train", "--resume", "runs/demo/cloth"]).done();
    assert!(again.stderr.contains("had already finished"), "{}", again.stderr);
    assert_eq!(dir.read("runs/demo/cloth/model.safetensors"), model);
    fs::remove_dir_all(dir.path("runs")).unwrap();
}
