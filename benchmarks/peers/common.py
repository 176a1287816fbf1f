"""What the peers share: arguments, the numbers of the step, exported weights and batches, the check and the clock."""
import argparse
import itertools
import json
import resource
import sys
import time

from safetensors.numpy import load_file

ROWS = 128  # of each domain in a batch
Q = 3
ALPHA = BETA = GAMMA = 0.1
RATE, BETA1, BETA2, EPSILON = 1e-4, 0.9, 0.999, 1e-8
AVERAGE = 0.999
NAMES = ["l_d", "l_c", "l_gs", "l_gt", "l_t", "l_ent", "l_hmm"]
CHECKED = 10


def arguments(modes):
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=modes)
    parser.add_argument("config", choices=["A", "B", "C"])
    parser.add_argument("action", choices=["check", "turns"])
    parser.add_argument("--data", required=True, help="the file that `step CONFIG export` wrote")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--warmup", type=float, default=1)
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


class Problem:
    """The first weights and the batches that cloth exported.

    Dense weights are [in, out], convolutions [out, in, 5, 5]. A batch is x_d, y_d, x_g, y_g; images are NCHW.
    """

    def __init__(self, args):
        tensors = load_file(args.data)
        self.weights = {name: w for name, w in tensors.items() if name[:2] not in ("x_", "y_")}
        self.classes = self.weights["c.b"].size
        self.layers = sum(name.startswith("g.") for name in self.weights) // 2
        self.lenet = self.weights["g.0.w"].ndim == 4
        for name in [name for name in tensors if name.startswith("x_")]:
            if self.lenet:
                tensors[name] = tensors[name].reshape(-1, 1, 32, 32)
        self.batches = [
            tuple(tensors[f"{name}.{i}"] for name in ("x_d", "y_d", "x_g", "y_g")) for i in range(1, CHECKED + 1)
        ]

    def channels_last(self):
        """The same network and batches for images in NHWC: convolutions as HWIO."""
        if not self.lenet:
            return
        weights = self.weights
        for name in ("g.0.w", "g.1.w"):
            weights[name] = weights[name].transpose(2, 3, 1, 0).copy()
        filters = weights["g.1.b"].size
        dense = weights["g.2.w"].reshape(filters, 5, 5, -1)  # its input was flattened from CHW
        weights["g.2.w"] = dense.transpose(1, 2, 0, 3).reshape(filters * 25, -1).copy()
        turn = lambda x: x.transpose(0, 2, 3, 1).copy()
        self.batches = [(turn(x_d), y_d, turn(x_g), y_g) for x_d, y_d, x_g, y_g in self.batches]


def average_kept(t):
    """How much of the average is kept at update t: early averages forget fast."""
    return min(AVERAGE, (1 + t) / (10 + t))


def measure(args, step, batches, weights, averages):
    """Checks `step`, or times it once for each line of the input, and prints JSON.

    `step(*batch)` makes one iteration, waits for its end and returns the losses in the order of NAMES;
    `weights()` and `averages()` are lists of numpy arrays.
    """
    if args.action == "check":
        before = [w.copy() for w in weights()]
        losses = [dict(zip(NAMES, (loss.item() for loss in step(*batch)))) for batch in batches]
        moved = lambda after: sum(float(abs(a - b).sum()) for a, b in zip(after, before)) / sum(b.size for b in before)
        print(json.dumps({"losses": losses, "weights_moved": moved(weights()), "average_moved": moved(averages())}))
        return

    turn = itertools.cycle(batches)

    def iterate(seconds):
        """The milliseconds of each iteration."""
        times, start = [], time.perf_counter()
        while not times or time.perf_counter() - start < seconds:
            batch, before = next(turn), time.perf_counter()
            step(*batch)
            times.append(1e3 * (time.perf_counter() - before))
        return times

    for _ in range(5):
        step(*next(turn))  # compiles
    iterate(args.warmup)
    print("ready", flush=True)
    for _ in sys.stdin:
        iterate(args.seconds / 10)  # fills the caches
        times = sorted(iterate(args.seconds))
        at = lambda share: times[round((len(times) - 1) * share)]
        result = {"median_ms": at(0.5), "p10_ms": at(0.1), "p90_ms": at(0.9), "iterations": len(times)}
        result["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(result), flush=True)
