//! What is planned, and what is refused.

use super::*;

#[test]
fn a_plan_has_every_run_the_first_seed_first_and_settings_in_their_order() {
    let home = Home::new();
    let plan = home.plan(|request| {
        request.settings = vec!["train.learning_rate=0.01".into(), "method.cloth.structure=0".into()];
    });
    let names: Vec<String> =
        plan.jobs.iter().map(|job| format!("{} {} {}", job.task, job.row, job.seed)).collect();
    assert_eq!(
        names,
        [
            "A→B cloth 0",
            "A→B source_only 0",
            "B→A cloth 0",
            "B→A source_only 0",
            "A→B cloth 1",
            "A→B source_only 1",
            "B→A cloth 1",
            "B→A source_only 1"
        ]
    );
    let config = &plan.jobs[0].config;
    assert_eq!((config.train.iterations, config.train.learning_rate), (30, 0.01), "suite and --set");
    assert_eq!(config.data.label, "7", "the last column of a file without a header");
    assert_eq!(config.method.params["cloth"]["structure"].as_float(), Some(0.0));
    assert_eq!(plan.stamp.features, "6 features, csv");
    let arrow = home.plan(|request| {
        (request.tasks, request.seeds) = (vec!["b->a".into()], 1);
        request.command = Some("make toy".into());
    });
    assert_eq!(arrow.tasks.iter().map(Task::plain).collect::<Vec<_>>(), ["B-A"]);
    assert_eq!((plan.stamp.command.as_str(), arrow.stamp.command.as_str()), ("", "make toy"));
    let paper = home.plan(|request| request.preset = Some("paper".into()));
    assert_eq!(paper.jobs[0].config.generator.hidden, [6], "the paper's network comes with its preset");
    assert_eq!(paper.jobs[0].config.train.iterations, 30, "a suite is laid over the preset");
    let user = home.plan(|request| {
        request.preset = Some("paper".into());
        request.settings = vec!["generator.hidden=[4]".into()];
    });
    assert_eq!(user.jobs[0].config.generator.hidden, [4]);
}

#[test]
fn what_a_suite_sets_for_one_method_is_set_and_said_where_that_method_runs() {
    let home = Home::new();
    let plan = |methods: &[&str]| {
        home.plan(|request| {
            request.suite.settings.push("method.mcc.temperature=3.5".to_owned());
            request.methods = methods.iter().map(|&name| name.to_owned()).collect();
        })
    };
    let said =
        |plan: &BenchPlan| plan.stamp.suite_settings.contains(&"method.mcc.temperature=3.5".to_owned());
    let both = plan(&["mcc", "source_only"]);
    assert!(said(&both) && !said(&plan(&["source_only"])));
    for job in &both.jobs {
        let section = &job.config.method.params[&job.config.method.name];
        let set = section.get("temperature").and_then(toml::Value::as_float);
        assert_eq!(set, (job.row == "mcc").then_some(3.5));
    }
}

#[test]
fn of_a_setting_that_is_given_twice_the_last_is_said() {
    let plan = Home::new().plan(|request| {
        let settings = ["train.iterations=20", "train.warmup=2", "train.iterations=10"];
        request.settings = settings.map(str::to_owned).to_vec();
    });
    assert_eq!(plan.stamp.settings, ["train.warmup=2", "train.iterations=10"]);
    assert!(plan.jobs.iter().all(|job| job.config.train.iterations == 10));
}

#[test]
fn a_study_varies_its_base_and_its_variants_win() {
    let home = Home::new();
    let plan = home.plan(|request| {
        request.methods.clear();
        request.study = Some(Study::find("losses").unwrap());
        request.settings = vec!["method.cloth.alpha=0.7".into(), "method.cloth.structure=0".into()];
        request.seeds = 1;
    });
    assert_eq!((plan.rows.len(), plan.jobs.len()), (7, 14));
    let of = |row: usize, key: &str| {
        let job = plan.jobs.iter().find(|job| job.row == plan.rows[row].name).unwrap();
        job.config.method.params["cloth"][key].as_float().unwrap()
    };
    assert_eq!((of(0, "alpha"), of(2, "alpha"), of(6, "alpha")), (0.0, 0.7, 0.7));
    assert!((0..7).all(|row| of(row, "structure") == 0.0));
    let time = home.plan(|request| {
        request.methods.clear();
        request.study = Some(Study::find("time").unwrap());
        request.settings = vec!["train.iterations=77".into()];
    });
    assert!(time.alone());
    assert_eq!((time.stamp.iterations, time.jobs[0].config.train.iterations), (77, 30), "base and study");
    let active = |plan: &BenchPlan| plan.stamp.additions.iter().filter(|addition| addition.active).count();
    assert_eq!((active(&time), active(&plan)), (1, 0), "the structure loss");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let home = Home::new();
    let refused = |change: &dyn Fn(&mut Request)| {
        let mut request = home.request();
        change(&mut request);
        BenchPlan::make(request, &mut |_| {}).unwrap_err().to_string()
    };
    type Change<'a> = &'a dyn Fn(&mut Request);
    let cases: [(Change<'_>, &str); 7] = [
        (&|r| r.tasks = vec!["A-C".into()], "setting `bench.tasks`: found `A-C`, wanted some of A-B, B-A"),
        (&|r| r.settings = vec!["seed=3".into()], "settings: found `seed=3`, wanted `bench.seeds`"),
        (
            &|r| r.settings = vec!["method.name=\"mcc\"".into()],
            "settings: found `method.name=\"mcc\"`, wanted `bench.methods`",
        ),
        (&|r| r.seeds = 0, "seeds: found 0, wanted at least 1"),
        (&|r| r.methods = vec!["clot".into()], "setting `method.name`: found `clot`"),
        (
            &|r| r.settings = vec!["train.iteration=3".into()],
            "setting `train.iteration`: found an unknown key",
        ),
        (
            &|r| {
                r.methods = vec!["cloth".into()];
                r.settings = vec!["method.source_only.label_smoothing=0".into()];
            },
            "settings: found `method.source_only.label_smoothing=0`, but `source_only` is not run, wanted settings of cloth",
        ),
    ];
    for (change, message) in cases {
        let error = refused(change);
        assert!(error.starts_with(message), "{error}");
    }
    std::fs::remove_file(home.path("b.csv")).unwrap();
    let error = BenchPlan::make(home.request(), &mut |_| {}).unwrap_err();
    assert!(
        error.to_string().contains("no file of the domain B, wanted b.npz, b_train.npz, a_b.csv"),
        "{error}"
    );
    assert!(error.help().unwrap().contains("nowhere: it is made up"));
}

#[test]
fn a_seed_in_a_suite_or_a_study_is_refused_like_one_among_the_settings() {
    let home = Home::new();
    let refused = |change: &dyn Fn(&mut Request)| {
        let mut request = home.request();
        change(&mut request);
        BenchPlan::make(request, &mut |_| {}).unwrap_err().to_string()
    };
    let wanted = "found `seed=5`, wanted `bench.seeds`: runs are made with the seeds 0 to K − 1";
    let of_suite = refused(&|request| request.suite.settings.push("seed=5".into()));
    assert_eq!(of_suite, format!("suite `toy`: {wanted}"));
    let study = "name = \"s\"\ntitle = \"S\"\nmethod = \"cloth\"\n[[variants]]\nname = \"five\"\nset = [\"seed=5\"]\n";
    let of_study = refused(&|request| {
        request.methods.clear();
        request.study = Some(Study::parse(study, "s.toml").unwrap());
    });
    assert_eq!(of_study, format!("study, \"five\": {wanted}"));
}

#[test]
fn files_that_do_not_fit_are_found_out_before_anything_is_trained() {
    let home = Home::new();
    let refused = |text: &str| {
        std::fs::write(home.path("b.csv"), text).unwrap();
        BenchPlan::make(home.request(), &mut |_| {}).unwrap_err().to_string()
    };
    let error = refused("1,2,3\n4,5,6\n");
    assert!(error.ends_with("b.csv: found 3 features, wanted 6 features, as in the source"), "{error}");
    let named = "p,q,label\n1,2,ant\n";
    std::fs::write(home.path("a.csv"), named).unwrap();
    let error = refused("p,q,name\n1,2,ant\n");
    assert!(error.ends_with("b.csv: found no labels, wanted source labels for training, and target labels for scoring after it"), "{error}");
}

#[test]
fn a_source_that_lacks_a_class_is_found_out_before_anything_is_trained() {
    let home = Home::new();
    let all = std::fs::read_to_string(home.path("b.csv")).unwrap();
    let two: String =
        all.lines().filter(|line| !line.ends_with("2.0")).map(|line| format!("{line}\n")).collect();
    std::fs::write(home.path("b.csv"), two).unwrap();
    let error = BenchPlan::make(home.request(), &mut |_| {}).unwrap_err().to_string();
    assert!(error.ends_with("b.csv: found 2 classes, wanted 3, as in the suite"), "{error}");
    // As a target it will do: nobody knows which classes a target has.
    BenchPlan::make(Request { tasks: vec!["A-B".into()], ..home.request() }, &mut |_| {}).unwrap();
}

#[test]
fn other_settings_and_other_data_never_mix_with_old_results() {
    let home = Home::new();
    let first = home.plan(|_| {});
    let results = make(&first, 1);
    let other = home.plan(|r| r.settings = vec!["train.iterations=31".into()]);
    assert!(other.jobs.iter().all(|job| job.record().unwrap().is_none()));
    assert!(Results::gather(&other).unwrap().runs.is_empty());
    home.write("b.csv", 0.5);
    assert!(home.plan(|_| {}).jobs.iter().all(|job| job.record().unwrap().is_none()));
    home.write("b.csv", 0.4);
    assert_eq!(
        timeless(Results::gather(&home.plan(|_| {})).unwrap()),
        results,
        "and old ones are still good"
    );
    let watched = home.plan(|r| r.oracle = true);
    assert!(watched.jobs.iter().all(|job| job.record().unwrap().is_none()), "an ORACLE has to have watched");
}

#[test]
fn jobs_survive_the_way_to_another_process() {
    let home = Home::new();
    for job in home.plan(|_| {}).jobs {
        let there: Job = serde_json::from_str(&serde_json::to_string(&job).unwrap()).unwrap();
        assert_eq!(there, job);
    }
    // Every default of every method must survive as well: floats that are whole numbers are the ones to watch.
    for recipe in Methods::builtin().iter() {
        let config = recipe.layers().unwrap().build().unwrap();
        let there: crate::Config = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        assert_eq!(there.to_toml(), config.to_toml());
    }
}

#[test]
fn a_mean_of_the_paper_over_all_tasks_is_not_shown_for_some() {
    let home = Home::new();
    let mut study = Study::find("losses").unwrap();
    for variant in &mut study.variants {
        let paper = variant.paper["office31"].clone();
        variant.paper.insert("toy".into(), paper);
    }
    let paper = |tasks: Vec<String>| {
        let plan = home.plan(|request| {
            request.methods.clear();
            (request.study, request.tasks) = (Some(study.clone()), tasks);
        });
        Results::gather(&plan).unwrap().paper
    };
    assert_eq!(paper(Vec::new())[0].mean, Some(76.1));
    assert_eq!(paper(vec!["A-B".into()]), []);
}
