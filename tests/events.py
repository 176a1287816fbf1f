#!/usr/bin/env python3
"""Reads the events of a run by TensorBoard itself and compares them with its metrics.jsonl. Exits 1 if they differ, 77 if it cannot.

    cloth train SOURCE TARGET -o RUN --tensorboard
    tests/events.py RUN

Needs the package `tensorboard` (pip install tensorboard).
"""
import json
import math
import pathlib
import sys

try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ImportError as error:
    print(f"no tensorboard ({error}): pip install tensorboard")
    sys.exit(77)


def main():
    run = pathlib.Path(sys.argv[1])
    events = EventAccumulator(str(run / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    read = {
        (scalar.step, tag): scalar.value
        for tag in events.Tags()["scalars"]
        for scalar in events.Scalars(tag)
    }
    seen = sum(len(events.Scalars(tag)) for tag in events.Tags()["scalars"])

    wanted = {}
    for line in (run / "metrics.jsonl").read_text().splitlines():
        line = json.loads(line)
        step = line.pop("iteration")
        for name, value in line.items():
            tag = "accuracy/source" if name == "source_accuracy" else f"loss/{name}"
            wanted[step, tag] = value
    wrong = [key for key in wanted.keys() | read.keys() if not same(wanted.get(key), read.get(key))]
    if wrong or seen != len(wanted):
        sys.exit(f"{len(wrong)} scalars differ, such as {wrong[:5]}; {seen} read, {len(wanted)} written")
    print(f"{seen} scalars of {len(events.Tags()['scalars'])} tags, as in metrics.jsonl")


def same(a, b):
    return a is not None and b is not None and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)


if __name__ == "__main__":
    main()
