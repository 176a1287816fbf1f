//! The tables of an example, to the letter.

use super::*;

fn example() -> Results {
    serde_json::from_str(include_str!("../tests/results.json")).unwrap()
}

#[test]
fn markdown() {
    assert_eq!(
        section(&example()),
        "\
## Toy (train.iterations=100)

Target accuracy in percent, mean ± standard deviation over 2 seeds.

| method | A→B | B→A | mean | ORACLE mean |
|---|---:|---:|---:|---:|
| cloth | **81.2 ± 8.8** | **62.5 ± 17.7** | **71.9 ± 13.3** | **75.0 ± 8.8** |
| source_only | 50.0 (1 failed) | 25.0 ± 0.0 | 37.5 |  |
| *CLOTH (paper)* | *90.0* | *80.5* | *85.2* |  |
| *ETD (paper)* | *70.0* | *60.0* | *66.0* |  |

Means over the tasks: accuracy, its mean over classes and calibration error in percent; seconds per run.

| method | accuracy | class mean | ECE | seconds |
|---|---:|---:|---:|---:|
| cloth | **71.9 ± 13.3** | **71.9 ± 13.3** | **12.5 ± 0.0** | 4.0 ± 0.0 |
| source_only | 37.5 | 37.5 | **12.5** | 0.9 ± 0.2 |

- 1 run failed: a loss became NaN or infinite.
- Features: 8 features, csv.
- Seeds: 0 to 1.
- Preset: default with train.iterations=100.
- Selection: always the last iteration.
- Scored on the target rows used for adaptation.
- Target labels used: for scoring, and to choose in the column ORACLE.
- ORACLE: the best evaluation of each run by target accuracy. It needs the labels that are to be predicted, so it is a bound and not a result.
- Rows marked (paper) are the paper's own numbers, Table 9. Its features are ResNet-50, so they give context but are not directly comparable.
- Means printed in the paper that differ from the mean of its cells: ETD: the cells' mean is 65.0.
- Made by cloth 0.1.0.

    cloth bench toy.toml --data DIR --seeds 2 --set train.iterations=100 --oracle
"
    );
}

#[test]
fn csv_has_a_line_for_each_cell() {
    let text = (csv::FORMAT.write)(&example());
    let lines: Vec<&str> = text.lines().collect();
    let conditions = "toy,,default,train.iterations=100,\"8 features, csv\",0 1,last,\
                      \"for scoring, and to choose in the column ORACLE\",0.1.0";
    let cells: Vec<String> =
        lines.iter().filter_map(|line| line.strip_suffix(conditions)).map(str::to_owned).collect();
    assert_eq!(
        lines[0],
        "table,row,from,column,value,std,n,suite,study,preset,settings,features,seeds,selection,target_labels,cloth"
    );
    assert_eq!(
        cells[..7],
        [
            "1,cloth,cloth,A→B,81.250000,8.838835,2,",
            "1,cloth,cloth,B→A,62.500000,17.677670,2,",
            "1,cloth,cloth,mean,71.875000,13.258252,2,",
            "1,cloth,cloth,ORACLE mean,75.000000,8.838835,2,",
            "1,source_only,cloth,A→B,50.000000,,1,",
            "1,source_only,cloth,B→A,25.000000,0.000000,2,",
            "1,source_only,cloth,mean,37.500000,,1,",
        ]
    );
    assert!(cells.contains(&"2,cloth,cloth,ECE,12.500000,0.000000,2,".to_owned()));
    assert!(
        lines.contains(&"1,CLOTH,paper,B→A,80.5,,,toy,,,,ResNet-50,,,,"),
        "the paper's cells have other conditions"
    );
    assert_eq!(lines.len(), 1 + 7 + 2 * 3 + 2 * 4);
}

#[test]
fn latex() {
    let text = (latex::FORMAT.write)(&example());
    assert!(text.starts_with("% Toy (train.iterations=100)\n% 1 run failed"), "{text}");
    assert!(
        text.contains(
            "\
\\begin{tabular}{lrrrr}
\\hline
method & A$\\rightarrow$B & B$\\rightarrow$A & mean & ORACLE mean \\\\
\\hline
cloth & \\textbf{81.2 $\\pm$ 8.8} & \\textbf{62.5 $\\pm$ 17.7} & \\textbf{71.9 $\\pm$ 13.3} & \\textbf{75.0 $\\pm$ 8.8} \\\\
source\\_only & 50.0 (1 failed) & 25.0 $\\pm$ 0.0 & 37.5 &  \\\\
\\emph{CLOTH (paper)} & \\emph{90.0} & \\emph{80.5} & \\emph{85.2} &  \\\\
\\emph{ETD (paper)} & \\emph{70.0} & \\emph{60.0} & \\emph{66.0} &  \\\\
\\hline
\\end{tabular}
"
        ),
        "{text}"
    );
}

#[test]
fn latex_takes_any_name_and_any_note() {
    let mut results = example();
    results.stamp.study_note = Some("one\ntwo".to_owned());
    let name = r"v^1~\x {a}";
    results.averages[0].row = name.to_owned();
    let text = (latex::FORMAT.write)(&results);
    assert!(text.contains("% one two\n"), "{text}");
    assert!(text.contains(r"v\textasciicircum{}1\textasciitilde{}\textbackslash{}x \{a\}"), "{text}");
}

#[test]
fn what_the_paper_does_not_have_is_said() {
    let mut results = example();
    assert!(!section(&results).contains("structure loss"));
    results.stamp.additions = structure_loss(true);
    assert!(section(&results).contains("- CLOTH has its structure loss, which the paper does not have"));
}

#[test]
fn without_an_oracle_there_is_no_column_for_one() {
    let mut results = example();
    results.averages.iter_mut().for_each(|averages| averages.oracle = None);
    assert!(!section(&results).contains("ORACLE mean") && !section(&results).contains("- ORACLE"));
}

#[test]
fn settings_of_the_suite_are_said_if_there_are_any() {
    let mut results = example();
    assert!(!section(&results).contains("Settings of the suite"));
    let settings = ["data.augment=0.6", "method.shot.beta=0.1", "train.iterations=1500"];
    results.stamp.suite_settings = settings.map(str::to_owned).to_vec();
    let notes = "- Settings of the suite, for all methods: data.augment=0.6, train.iterations=1500.\n\
                 - Settings of the suite, for single methods: method.shot.beta=0.1.\n";
    assert!(section(&results).contains(notes));
}

#[test]
fn the_heading_tells_two_tables_of_one_suite_apart() {
    let mut results = example();
    let heading = |results: &Results| section(results).lines().next().unwrap().to_owned();
    results.stamp.preset = "paper".to_owned();
    assert_eq!(heading(&results), "## Toy (paper preset, train.iterations=100)");
    results.stamp.settings.clear();
    assert_eq!(heading(&results), "## Toy (paper preset)");
    results.stamp.preset = "default".to_owned();
    assert_eq!(heading(&results), "## Toy");
}

#[test]
fn names_that_mean_something_to_a_format_are_only_names() {
    let mut results = example();
    let odd = "[1] α\n& b|c (paper)";
    let old = std::mem::replace(&mut results.rows[0], odd.to_owned());
    results.averages[0].row = odd.to_owned();
    results.cells.iter_mut().filter(|cell| cell.row == old).for_each(|cell| cell.row = odd.to_owned());
    results.stamp.title = "Two\nlines".to_owned();
    results.tasks[0] = "A|A→B".to_owned();
    let [markdown, csv, latex] = FORMATS else { panic!("another format to test") };
    let [markdown, csv, latex] = [markdown, csv, latex].map(|format| (format.write)(&results));
    assert!(markdown.starts_with("## Two lines (train.iterations=100)\n"), "{markdown}");
    assert!(markdown.contains("\n| [1] α & b\\|c (paper) |"), "{markdown}");
    assert!(markdown.contains("\n| method | A\\|A→B |"), "{markdown}");
    assert!(csv.contains("\n1,\"[1] α\n& b|c (paper)\",cloth,"), "{csv}");
    assert!(latex.starts_with("% Two lines (train.iterations=100)\n%"), "{latex}");
    assert!(latex.contains("\n{}[1] $\\alpha$ \\& b|c (paper) &"), "{latex}");
}

#[test]
fn what_is_not_complete_says_so() {
    let mut results = example();
    results.planned = 20;
    assert!(section(&results).contains("- INCOMPLETE: 8 of 20 runs were made.\n"));
}

#[test]
fn there_are_no_means_over_tasks_before_a_row_has_them_all() {
    let mut results = example();
    for averages in &mut results.averages {
        averages.metrics.clear();
        averages.seconds = None;
    }
    assert_eq!(tables(&results).len(), 1);
    assert!(!section(&results).contains("Means over the tasks"));
}

#[test]
fn a_study_of_time_shows_parameters_and_times_beside_the_paper_s() {
    let mut results = example();
    results.stamp.shows = Shows::Time;
    results.stamp.iterations = 1000;
    results.tasks.truncate(1);
    results.paper[0].row = Some("cloth".to_owned());
    (results.paper[0].parameters, results.paper[0].batch, results.paper[0].total) =
        (Some(500), Some(0.0625), Some(90.0));
    let text = section(&results);
    assert!(
        text.contains(
            "\
| variant and task | parameters | seconds per batch | seconds in total |
|---|---:|---:|---:|
| cloth A→B | 300 | 0.03125 ± 0.00000 | 31.2 ± 0.0 |
| *cloth A→B (paper)* | *500* | *0.06250* | *90.0* |
"
        ),
        "{text}"
    );
}

#[test]
fn a_study_of_a_loss_shows_it_over_training() {
    let mut results = example();
    results.stamp.shows = Shows::Curve;
    for run in results.runs.iter_mut().filter(|run| run.row == "cloth") {
        let means =
            (0..20).map(|part| (part != 1).then_some(2.0 - 0.0625 * part as f64 + run.seed as f64)).collect();
        run.curve = Some(crate::bench::Curve { loss: "l_t".to_owned(), means });
    }
    let text = section(&results);
    assert!(text.contains("l_t over training"), "{text}");
    assert!(
        text.contains(
            "\
| of the run | cloth A→B | cloth B→A | source_only A→B | source_only B→A |
|---|---:|---:|---:|---:|
| 5 % | 2.500 ± 0.707 | 2.500 ± 0.707 |  |  |
| 10 % |  |  |  |  |
"
        ),
        "{text}"
    );
    assert!(text.contains("| 100 % | 1.312 ± 0.707 |"), "{text}");
}

#[test]
fn a_study_with_the_structure_loss_and_one_without_it_have_headings_that_say_so() {
    let mut results = example();
    results.stamp.settings.clear();
    results.stamp.study = Some("order".to_owned());
    results.stamp.study_title = Some("The order of the moments".to_owned());
    results.stamp.additions = structure_loss(true);
    assert_eq!(title(&results), "The order of the moments: Toy (with the structure loss)");
    results.stamp.additions = structure_loss(false);
    results.stamp.settings = vec!["train.warmup=5".to_owned(), "method.cloth.structure=0".to_owned()];
    assert_eq!(title(&results), "The order of the moments: Toy (without the structure loss, train.warmup=5)");
    // The study of the structure loss has both in its rows.
    results.stamp.settings.clear();
    results.stamp.additions = structure_loss(true);
    results.stamp.study_title = Some("What the structure loss is worth".to_owned());
    assert_eq!(title(&results), "What the structure loss is worth: Toy");
}

fn structure_loss(active: bool) -> Vec<crate::bench::StampedAddition> {
    let recipe = crate::Methods::builtin().find("cloth").unwrap().clone();
    let additions = recipe.additions().into_iter();
    additions
        .map(|addition| crate::bench::StampedAddition {
            without: addition.without("cloth"),
            name: addition.name.into_owned(),
            note: addition.note.into_owned(),
            active,
        })
        .collect()
}
