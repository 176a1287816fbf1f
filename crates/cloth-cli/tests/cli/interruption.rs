//! An interrupted run can be resumed, with the same result as without the interruption.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use crate::support::{Dir, FAST, Labels, csv, rows};

/// Many short iterations, with a checkpoint after each.
const LONG: &[&str] = &["--set", "train.iterations=300", "--set", "train.checkpoint_seconds=0"];

fn start(dir: &Dir) -> Child {
    let args = ["train", "source.csv", "target.csv", "-o", "run", "-q"].iter().chain(FAST).chain(LONG);
    dir.command().args(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn resume(dir: &Dir) -> Child {
    dir.command()
        .args(["train", "--resume", "run", "-q"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a new checkpoint has been written.
fn wait_for_checkpoint(dir: &Dir, child: &mut Child) {
    let written = || dir.path("run/checkpoint.safetensors").metadata().and_then(|file| file.modified()).ok();
    let before = written();
    let started = Instant::now();
    while written() == before {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was interrupted");
        assert!(started.elapsed() < Duration::from_secs(60), "no checkpoint");
        sleep(Duration::from_millis(1));
    }
}

fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Trains the same run without an interruption.
fn whole(dir: &Dir) {
    dir.run(["train", "source.csv", "target.csv", "-o", "whole"].iter().chain(FAST).chain(&LONG[..2])).done();
}

#[track_caller]
fn assert_same_as_whole(dir: &Dir) {
    assert!(dir.read("run/model.safetensors") == dir.read("whole/model.safetensors"), "models differ");
    assert_eq!(dir.text("run/metrics.jsonl"), dir.text("whole/metrics.jsonl"));
}

#[test]
fn killed_and_resumed_is_the_same_as_never_killed() {
    let dir = Dir::with_data();
    whole(&dir);
    let mut child = start(&dir);
    for _ in 0..3 {
        wait_for_checkpoint(&dir, &mut child);
        let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos();
        sleep(Duration::from_micros(u64::from(moment % 60_000)));
        // The run may have finished in the meantime, which is fine, too.
        let _ = child.kill();
        child.wait().unwrap();
        child = resume(&dir);
    }
    assert!(child.wait().unwrap().success());
    assert_same_as_whole(&dir);
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_says_how_to_go_on_and_exits_with_130() {
    let dir = Dir::with_data();
    whole(&dir);
    for name in ["-INT", "-TERM"] {
        let _ = std::fs::remove_dir_all(dir.path("run"));
        let args = ["train", "source.csv", "target.csv", "-o", "run", "--json", "--tensorboard=logs"];
        let args = args.iter().chain(FAST).chain(LONG);
        let mut child =
            dir.command().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for_checkpoint(&dir, &mut child);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        assert!(stderr.contains("and saved"), "{stderr}");
        assert!(stderr.contains("cloth train --resume run --tensorboard=logs\n"), "{stderr}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(json["stopped"] == true && json["model"].is_null(), "{json}");
        let early = dir.run(["predict", "run", "target.csv"]);
        early.failed(&["a run that has not finished", "cloth train --resume run"]);

        let ran = dir.run(["train", "--resume", "run"]).done();
        assert!(ran.stderr.contains("resuming after iteration"), "{}", ran.stderr);
        assert!(ran.stdout.contains("iterations, the last "), "{}", ran.stdout);
        assert_same_as_whole(&dir);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_while_rows_are_read_ends_it_at_once() {
    use std::os::unix::process::ExitStatusExt;
    let dir = Dir::with_data();
    assert!(Command::new("mkfifo").arg(dir.path("slow.csv")).status().unwrap().success());
    let args = ["train", "source.csv", "slow.csv", "-o", "run", "-q"];
    let mut child = dir.command().args(args).spawn().unwrap();
    sleep(Duration::from_millis(200));
    // Not -INT: a process that a script starts in the background ignores it.
    signal(&child, "-TERM");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
        }
        sleep(Duration::from_millis(5));
    };
    assert_eq!(status.signal(), Some(15), "{status}");
}

#[test]
fn a_finished_run_says_so() {
    let dir = Dir::with_data();
    let first = dir.train("source.csv", "target.csv", "run", &["--json"]).done().json(&["run"]);
    let model = dir.read("run/model.safetensors");
    let again = dir.run(["train", "--resume", "run", "--json"]).done();
    assert!(again.stderr.contains("run had already finished"), "{}", again.stderr);
    let mut again = again.json(&["run"]);
    again["seconds"] = first["seconds"].clone();
    assert_eq!(again, first);
    assert!(dir.read("run/model.safetensors") == model);
    // No iteration was made now, and the time of the earlier ones is not known.
    let stdout = dir.run(["train", "--resume", "run"]).done().stdout;
    assert!(stdout.lines().any(|line| line.ends_with(" iterations")), "{stdout}");
}

#[test]
fn a_run_is_resumed_as_it_was_started() {
    let dir = Dir::with_data();
    for flags in
        [["--seed", "1"], ["--set", "seed=1"], ["--method", "cloth"], ["-o", "other"], ["--label", "y"]]
    {
        let ran = dir.run(["train", "--resume", "run"].iter().chain(&flags));
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
    }
    dir.run(["train", "--resume", "nowhere"]).failed(&["cannot read nowhere"]);
    fs::create_dir(dir.path("empty")).unwrap();
    dir.run(["train", "--resume", "empty"])
        .failed(&["empty: found no config.toml, wanted the directory of a training run"]);

    dir.train("source.csv", "target.csv", "run", &[]).done();
    dir.write("target.csv", csv(&rows(120, 9, 1.0), Labels::None));
    dir.run(["train", "--resume", "run"]).failed(&["checkpoint", "other data"]);
}

/// `cloth predict … | head -1` is not an error.
#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let dir = Dir::with_data();
    dir.write("many.csv", csv(&rows(20_000, 2, 1.0), Labels::None));
    dir.train("source.csv", "target.csv", "run", &[]).done();
    for args in [
        &["predict", "run", "many.csv"][..],
        &["eval", "run", "source.csv"],
        &["methods"],
        &["completions", "bash"],
    ] {
        let mut child =
            dir.command().arg("-q").args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}
