#!/usr/bin/env python3
"""Kills a training run with SIGKILL at random moments, resumes it each time, and compares the model with that of a
run that was left alone, byte by byte. Exits 1 if they differ.

    benchmarks/kills.py SOURCE TARGET [--kills 50] [--seconds 1.5] [--set key=value]

Needs Python 3.9 and nothing else.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=1.5, help="the longest life between two kills")
    parser.add_argument("--set", action="append", default=[], help="passed on to `cloth train`")
    parser.add_argument("--cloth", default="target/release/cloth", help="the command")
    args = parser.parse_args()

    home = pathlib.Path(tempfile.mkdtemp(prefix="cloth-kills-"))
    settings = [word for setting in args.set for word in ("--set", setting)]
    train = [args.cloth, "-q", "train", "--no-report"]
    start = lambda run, *more: [*train, args.source, args.target, "-o", run, *settings, *more]
    subprocess.run(start(home / "whole"), check=True, stdout=subprocess.DEVNULL)

    run = home / "next"
    kills = finished = 0
    while kills < args.kills:
        command = [*train, "--resume", run]
        if not (run / "run.json").exists():
            run = home / f"killed-{len(list(home.iterdir()))}"
            command = start(run, "--set", "train.checkpoint_seconds=0.2")
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            child.wait(timeout=random.uniform(0.05, args.seconds))
            # It came to its end: the next kills go to a new run.
            finished += 1
            compare(home, run)
            run = home / "next"
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            kills += 1
    if (run / "run.json").exists():
        subprocess.run([*train, "--resume", run], check=True, stdout=subprocess.DEVNULL)
        compare(home, run)
        finished += 1
    print(f"{kills} kills, {finished} runs finished, every model identical to the uninterrupted one")


def compare(home, run):
    for name in ("model.safetensors", "metrics.jsonl"):
        if (run / name).read_bytes() != (home / "whole" / name).read_bytes():
            sys.exit(f"{run / name} differs from {home / 'whole' / name}")


if __name__ == "__main__":
    main()
