//! The command that repeats a bench, with DIR for the directory of the data.

use std::path::Path;

use cloth::bench::{Request, Task};

use crate::text::quoted;

pub(super) fn command(request: &Request) -> String {
    let word = |text: &str| quoted(Path::new(text));
    let suite = request.suite.file.as_ref().unwrap_or(&request.suite.name);
    let mut words = vec![format!("cloth bench {} --data DIR", word(suite))];
    let study = request.study.as_ref().map(|study| study.file.as_ref().unwrap_or(&study.name));
    words.extend(study.map(|study| format!("--study {}", word(study))));
    if !request.methods.is_empty() {
        words.push(format!("--methods {}", request.methods.join(",")));
    }
    if !request.tasks.is_empty() {
        // Rewritten as `A-B`: a shell would take the `>` of an arrow for a redirection.
        let asked = |task: &&Task| request.tasks.iter().any(|text| task.is(text));
        let tasks: Vec<String> = request.suite.tasks.iter().filter(asked).map(Task::plain).collect();
        words.push(format!("--tasks {}", word(&tasks.join(","))));
    }
    words.push(format!("--seeds {}", request.seeds));
    words.extend(request.preset.as_ref().map(|preset| format!("--preset {preset}")));
    words.extend(request.settings.iter().map(|setting| format!("--set {}", word(setting))));
    words.extend(request.features.as_ref().map(|features| format!("--features {}", word(features))));
    words.extend(request.oracle.then(|| "--oracle".to_owned()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use cloth::bench::Suite;

    use super::*;

    const TOY: &str = r#"
        name = "toy"
        title = "Toy"
        tasks = [["A", "B"], ["B", "A"]]
        domains = [{ name = "A", files = ["a"] }, { name = "B", files = ["b"] }]
    "#;

    #[test]
    fn the_command_makes_the_same_again() {
        let mut request = Request::new(Suite::parse(TOY, "toy.toml").expect("a suite"), "somewhere", "out");
        assert_eq!(command(&request), "cloth bench toy --data DIR --seeds 5");
        request.methods = vec!["cloth".into(), "mcc".into()];
        request.settings = vec!["train.learning_rate=0.01".into()];
        request.features = Some("two words".into());
        // A shell would take the `>` for a redirection.
        (request.tasks, request.seeds, request.oracle) = (vec!["b->a".into()], 1, true);
        assert_eq!(
            command(&request),
            "cloth bench toy --data DIR --methods cloth,mcc --tasks B-A --seeds 1 \
             --set train.learning_rate=0.01 --features 'two words' --oracle"
        );
    }
}
