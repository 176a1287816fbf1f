#!/usr/bin/env python3
"""Trains and scores every transfer task of a suite, and prints a Markdown table.

    benchmarks/tasks.py office31 --data DIR [--methods cloth source_only] [--seeds 5] [--jobs 2] [--set key=value]

DIR holds one file a domain, such as DIR/amazon.npz with `x` and `y`. Target labels are read by `cloth eval` only,
after training. Finished runs in --out are not made again, so a killed measurement goes on where it was.
Needs Python 3.9 and nothing else.
"""
import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess

SUITES = {
    "office31": {"A": "amazon", "W": "webcam", "D": "dslr"},
    "officehome": {"Ar": "art", "Cl": "clipart", "Pr": "product", "Re": "realworld"},
}


def tasks(suite):
    names = SUITES[suite]
    return [(s, t) for s in names for t in names if s != t]


def cloth(args, *words):
    command = [args.cloth, "--quiet", "--threads", "1", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout)


def accuracy(args, method, source, target, seed):
    """Accuracy in percent of one run, trained now or found in --out."""
    names = SUITES[args.suite]
    run = args.out / args.suite / method / f"{source}-{target}-{seed}"
    score = run / "score.json"
    if not score.exists():
        data = [args.data / f"{names[d]}.npz" for d in (source, target)]
        if (run / "config.toml").exists():
            cloth(args, "train", "--resume", run, "--no-report")
        else:
            extra = [word for setting in args.set for word in ("--set", setting)]
            cloth(args, "train", *data, "-o", run, "--method", method, "--seed", str(seed), "--no-report", *extra)
        score.write_text(json.dumps(cloth(args, "eval", run, data[1])))
    return 100 * json.loads(score.read_text())["accuracy"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="directory of the domains' files")
    parser.add_argument("--methods", nargs="+", default=["source_only", "cloth"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, each on one thread")
    parser.add_argument("--set", action="append", default=[], help="passed on to `cloth train`")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs/benchmarks"))
    parser.add_argument("--cloth", default="target/release/cloth", help="the command")
    args = parser.parse_args()

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        cells = {
            (method, task): [pool.submit(accuracy, args, method, *task, seed) for seed in range(args.seeds)]
            for method in args.methods
            for task in tasks(args.suite)
        }
    print("| method |", " | ".join(f"{s}→{t}" for s, t in tasks(args.suite)), "| mean |")
    print("|---" * (len(tasks(args.suite)) + 2) + "|")
    for method in args.methods:
        by_task = [[run.result() for run in cells[method, task]] for task in tasks(args.suite)]
        over_tasks = [statistics.mean(runs) for runs in zip(*by_task)]
        cell = lambda runs: f"{statistics.mean(runs):.1f} ± {statistics.pstdev(runs):.1f}"
        print(f"| {method} |", " | ".join(map(cell, by_task)), f"| **{cell(over_tasks)}** |")


if __name__ == "__main__":
    main()
