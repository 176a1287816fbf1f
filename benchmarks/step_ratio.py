#!/usr/bin/env python3
"""Compares the training step of two builds: the time of NEW over that of OLD, by interleaved turns.

    cargo build --release --workspace --example step     # in both trees
    benchmarks/step_ratio.py OLD/target/release/examples/step NEW/target/release/examples/step [--starts 5] [--configs ABC]

Processes are stopped while it is not their turn, and started anew several times: where a process lies in memory matters.
"""
import argparse
import json
import os
import signal
import statistics
import subprocess

ROUNDS = 4  # turns of each build between two starts


def start(step, config):
    threads = str(os.cpu_count())
    words = [os.path.abspath(step), config, "turns", "--seconds", "0.4", "--warmup", "0.5", "--threads", threads]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if process.stdout.readline().strip() != "ready":
        raise SystemExit(f"{step}: found no `ready`, wanted the example `step` of crates/cloth")
    os.kill(process.pid, signal.SIGSTOP)
    return process


def turn(process):
    """The median milliseconds of an iteration."""
    os.kill(process.pid, signal.SIGCONT)
    process.stdin.write("\n")
    process.stdin.flush()
    median = json.loads(process.stdout.readline())["median_ms"]
    os.kill(process.pid, signal.SIGSTOP)
    return median


def end(process):
    os.kill(process.pid, signal.SIGCONT)
    process.stdin.close()
    process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--configs", default="ABC")
    args = parser.parse_args()
    for config in args.configs:
        times = []
        for _ in range(args.starts):
            pair = [start(args.old, config), start(args.new, config)]
            for i in range(ROUNDS):
                order = [0, 1] if i % 2 == 0 else [1, 0]
                medians = {place: turn(pair[place]) for place in order}
                times.append((medians[0], medians[1]))
            for process in pair:
                end(process)
        ratios = sorted(new / old for old, new in times)
        low, high = ratios[len(ratios) // 4], ratios[3 * len(ratios) // 4]
        old, new = (statistics.median(column) for column in zip(*times))
        middle = statistics.median(ratios)
        print(f"{config}: {old:.2f} ms, {new:.2f} ms, ratio {middle:.3f} (quartiles {low:.3f} to {high:.3f})", flush=True)


if __name__ == "__main__":
    main()
