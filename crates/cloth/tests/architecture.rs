//! The layers of the library: which module may use which, and what no layer may know.
//!
//! The list is the picture in ARCHITECTURE.md, too. `CLOTH_UPDATE=1 cargo test --test architecture` draws it again.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// From the bottom up. A module uses modules of lower layers and its own parts, nothing else.
const LAYERS: &[(&str, &[&str])] = &[
    ("leaves", &["error", "words", "rng", "hash", "threads", "buffers", "device"]),
    ("basics", &["linalg", "atomic", "testing"]),
    ("numbers and rows", &["data", "kernel", "graph", "ot", "whiten"]),
    ("networks and losses", &["nets", "loss"]),
    ("updates", &["optim"]),
    ("settings", &["config"]),
    ("methods and models", &["method", "model"]),
    ("runs", &["train", "eval", "predictions", "demo"]),
    ("judgement", &["trust"]),
    ("experiments", &["bench"]),
    ("reports", &["report"]),
];

/// The same inside `method`: what methods share knows no single method, and only the list knows them all.
const METHOD_LAYERS: &[(&str, &[&str])] = &[
    ("description", &["losses", "recipe", "step"]),
    ("shared parts", &["shared"]),
    (
        "methods",
        &[
            "adda",
            "cdan",
            "cloth",
            "cmd",
            "dan",
            "dann",
            "deep_coral",
            "deepjdot",
            "homm",
            "mcc",
            "shot",
            "source_only",
            "spl",
        ],
    ),
    ("list", &["list"]),
];

/// One module that names another, and where.
struct Edge {
    from: Vec<String>,
    to: Vec<String>,
    place: String,
}

fn crate_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn source_files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
}

/// The sources, each with its path below `src` and its module's path.
fn sources() -> Vec<(String, Vec<String>, String)> {
    let root = crate_root().join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            let module = name.trim_end_matches(".rs").trim_end_matches("/mod").split('/');
            let module = module.filter(|part| *part != "lib").map(str::to_owned).collect();
            (name, module, without_comments(&std::fs::read_to_string(&path).unwrap()))
        })
        .collect()
}

fn without_comments(text: &str) -> String {
    let kept = text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line });
    kept.collect::<Vec<_>>().join("\n")
}

/// What a file says outside of its tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap()
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else { return vec![tree.to_owned()] };
    let (prefix, inner) = (&tree[..open], &tree[open + 1..tree.rfind('}').unwrap()]);
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (i, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(expand).map(|part| format!("{prefix}{part}")).collect()
}

/// The module that a path names, seen from `module`; none outside of this crate.
fn resolve(path: &str, module: &[String], depth_of_tests: usize) -> Option<Vec<String>> {
    let mut parts = path.split("::").map(str::trim).peekable();
    // A `mod tests` inside a file is one level deeper.
    let mut here = module.to_vec();
    here.extend(std::iter::repeat_n("tests".to_owned(), depth_of_tests));
    match parts.next()? {
        "crate" => here.clear(),
        "self" => {}
        "super" => {
            here.pop();
            while parts.next_if(|part| *part == "super").is_some() {
                here.pop();
            }
        }
        _ => return None,
    }
    here.extend(parts.map(str::to_owned));
    Some(here)
}

/// Every `use` and every path that begins with `crate::`.
fn edges() -> Vec<Edge> {
    let sources = sources();
    let root = &sources.iter().find(|(name, ..)| name == "lib.rs").unwrap().2;
    let reexported = reexports(root);
    let mut edges = Vec::new();
    for (name, module, text) in sources.iter().filter(|(name, ..)| name != "lib.rs") {
        let mut add = |at: usize, path: &str| {
            let in_tests = usize::from(without_tests(text).len() <= at);
            let Some(mut to) = resolve(path, module, in_tests) else { return };
            if let Some(home) = to.first().and_then(|first| reexported.get(first)) {
                to.insert(0, home.clone());
            }
            let line = text[..at].matches('\n').count() + 1;
            edges.push(Edge { from: module.clone(), to, place: format!("src/{name}:{line}: {path}") });
        };
        for (at, _) in text.match_indices("use ") {
            let before = text[..at].rsplit('\n').next().unwrap().trim();
            if !(before.is_empty() || before.starts_with("pub")) {
                continue;
            }
            let tree = &text[at + 4..at + text[at..].find(';').unwrap()];
            expand(tree).iter().for_each(|path| add(at, path));
        }
        for (at, _) in text.match_indices("crate::").filter(|(at, _)| !text[..*at].ends_with('$')) {
            let end = text[at..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap();
            add(at, text[at..at + end].trim_end_matches(':'));
        }
    }
    edges
}

/// What stands at the crate's root, by the module that it comes from.
fn reexports(root: &str) -> BTreeMap<String, String> {
    let mut homes = BTreeMap::from([("parameters".to_owned(), "config".to_owned())]);
    for (at, _) in root.match_indices("pub use ") {
        for path in expand(&root[at + 8..at + root[at..].find(';').unwrap()]) {
            if let Some((module, name)) = path.split_once("::") {
                homes.insert(name.to_owned(), module.to_owned());
            }
        }
    }
    homes
}

fn height(layers: &[(&str, &[&str])], module: &str) -> Option<usize> {
    layers.iter().position(|(_, modules)| modules.contains(&module))
}

#[test]
fn every_module_has_a_layer() {
    let modules: BTreeSet<String> =
        sources().into_iter().filter_map(|(_, module, _)| module.into_iter().next()).collect();
    let listed: BTreeSet<String> =
        LAYERS.iter().flat_map(|(_, modules)| *modules).map(|module| (*module).to_owned()).collect();
    assert_eq!(modules, listed);
}

#[test]
fn no_module_uses_one_of_its_own_layer_or_above() {
    let edges = edges();
    assert!(edges.len() > 500, "only {} edges were found", edges.len());
    let wrong = edges.iter().filter(|edge| {
        let (from, to) = (&edge.from[0], edge.to.first());
        to.is_some_and(|to| match (height(LAYERS, from), height(LAYERS, to)) {
            (Some(_), None) => false,
            (from_height, to_height) => from != to && to_height >= from_height,
        })
    });
    let wrong: Vec<&str> = wrong.map(|edge| edge.place.as_str()).collect();
    assert!(wrong.is_empty(), "these point the wrong way:\n{}", wrong.join("\n"));
}

#[test]
fn what_methods_share_knows_no_single_method() {
    let wrong: Vec<String> = edges()
        .into_iter()
        .filter(|edge| edge.from.len() > 1 && edge.from[0] == "method" && edge.to.len() > 1)
        .filter(|edge| edge.to[0] == "method" && edge.from[1] != edge.to[1] && edge.from[1] != "tests")
        .filter(|edge| {
            let heights = (height(METHOD_LAYERS, &edge.from[1]), height(METHOD_LAYERS, &edge.to[1]));
            matches!(heights, (Some(from), Some(to)) if to > from)
        })
        .map(|edge| edge.place)
        .collect();
    assert!(wrong.is_empty(), "these point the wrong way:\n{}", wrong.join("\n"));
}

#[test]
fn the_test_sees_edges_of_every_kind() {
    assert_eq!(expand("a::{b, c::{d, e},}"), ["a::b", "a::c::d", "a::c::e"]);
    let module = ["method".to_owned(), "shared".to_owned(), "pass".to_owned()];
    let resolved = |path, tests| resolve(path, &module, tests).unwrap().join("::");
    assert_eq!(resolved("super::super::mcc::Mcc", 0), "method::mcc::Mcc");
    assert_eq!(resolved("super::super::super::mcc", 1), "method::mcc");
    assert_eq!(resolved("crate::loss::l_c", 0), "loss::l_c");
    assert!(resolve("std::fs", &module, 0).is_none());
    assert_eq!(reexports("pub use config::Config;\n")["Config"], "config");
}

#[test]
fn no_layer_around_the_methods_names_a_single_one() {
    // The program's own name is a column.
    let allowed = [("bench/tables/csv.rs", "cloth")];
    let around = ["config/", "bench/", "train/", "report/"];
    let mut wrong = Vec::new();
    for (name, _, text) in sources() {
        if !around.iter().any(|layer| name.starts_with(layer)) || name.contains("tests") {
            continue;
        }
        for method in cloth::Methods::builtin().names() {
            let quoted = format!("\"{method}\"");
            if without_tests(&text).contains(&quoted) && !allowed.contains(&(name.as_str(), method)) {
                wrong.push(format!("src/{name}: {quoted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "these know a method:\n{}", wrong.join("\n"));
}

#[test]
fn the_library_has_no_word_of_the_command_line() {
    // Marks in documents that were rendered before.
    let allowed = ["<!-- cloth bench:"];
    let commands = ["train", "predict", "eval", "inspect", "bench", "report", "demo", "methods"];
    let mut wrong = Vec::new();
    for (name, _, text) in sources().into_iter().filter(|(name, ..)| !name.contains("tests")) {
        for (number, line) in without_tests(&text).lines().enumerate() {
            let flag =
                line.split("--").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
            let line = allowed.iter().fold(line.to_owned(), |line, mark| line.replace(mark, ""));
            let command = commands.iter().any(|command| line.contains(&format!("cloth {command}")));
            if flag || command {
                wrong.push(format!("src/{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "these speak of the command line:\n{}", wrong.join("\n"));
}

/// The layers as ARCHITECTURE.md shows them: what is higher uses what is lower.
fn picture() -> String {
    let width = LAYERS.iter().map(|(name, _)| name.len()).max().unwrap();
    let mut lines = vec![format!("{:width$}   cloth-cli: arguments, progress, messages", "command")];
    for (name, modules) in LAYERS.iter().rev() {
        let modules: Vec<&str> = modules.iter().copied().filter(|module| *module != "testing").collect();
        lines.push(format!("{name:width$}   {}", modules.join(", ")));
    }
    lines.join("\n")
}

#[test]
fn the_picture_in_the_document_is_the_list_of_layers() {
    let path = crate_root().join("../../ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- layers -->\n```text\n", "\n```\n<!-- /layers -->");
    let (before, rest) = text.split_once(begin).expect("ARCHITECTURE.md has a picture");
    let (drawn, after) = rest.split_once(end).expect("the picture has an end");
    if std::env::var_os("CLOTH_UPDATE").is_some() {
        std::fs::write(&path, format!("{before}{begin}{}{end}{after}", picture())).unwrap();
    } else {
        assert_eq!(drawn, picture(), "draw it again with CLOTH_UPDATE=1");
    }
}
