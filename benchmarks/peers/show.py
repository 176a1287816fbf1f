"""Results as tables for people to read."""
from measure import CORES

# What the configurations are; step.rs has them in full.
CONFIGS = {
    "A": "MLP 2048-1024-90, 31 classes",
    "B": "MLP 2048-256, 65 classes",
    "C": "LeNet 20/50-500-90 on 32×32, 10 classes",
}
# The paper's training times on A→W of Office-31, on a V100: parameters, seconds a batch, seconds in total.
PAPER = {"CLOT+HoMM": (2199104, 2.79704, 56262.49), "CLOTH": (2199104, 0.06287, 1642.59)}
BATCHES = 20_000  # for total times: about as many as the paper's


def table(head, rows):
    print("|", " | ".join(head), "|")
    print("|---" * len(head) + "|")
    for row in rows:
        print("|", " | ".join(row), "|")
    print()


def show(args, results):
    machine = results["machine"]
    print(f"{machine['cpu']}, {machine['cores']} cores; {args.threads} threads; {machine['rustc']};", end=" ")
    print(", ".join(f"{name} {version}" for name, version in machine["packages"].items()), end="\n\n")
    for peer, reason in results["missing"].items():
        print(f"**MISSING: {peer}**: {reason}\n")
    others = machine.get("taken_by_others", {"median": 0})
    if others["median"] > 0.05:
        print(f"**Not a quiet machine: others took {others['median']:.0%} of it.**\n")

    if "step" in args.only:
        peers = [peer for peer in args.peers if peer not in results["missing"]]
        print("Milliseconds an iteration. The ratio is cloth's time over the best peer's: less than 1 is faster; in", end=" ")
        print("brackets, between what half of the rounds had it.\n")
        rows = []
        for config in args.configs:
            cell = results[config]
            best = cell.get("best_peer")
            times = [f"{cell['peers'][peer]['ms']:.2f}" for peer in peers]
            times = [f"**{ms}**" if peer == best else ms for peer, ms in zip(peers, times)]
            ratio = "none"
            if best:
                by_round = sorted(cell["ratio_by_round"])
                low, high = by_round[len(by_round) // 4], by_round[3 * len(by_round) // 4]
                ratio = f"**{cell['ratio']:.2f}** ({low:.2f} to {high:.2f})"
            rows.append([f"{config}: {CONFIGS[config]}", f"{cell['cloth_ms']:.2f}", *times, ratio])
        table(["step", "cloth", *peers, "ratio"], rows)
        print("Peak memory of the process, MB.\n")
        cells = {config: results[config] for config in args.configs}
        table(
            ["step", "cloth", *peers],
            [
                [config, f"{cell['cloth_rss_mb']:.0f}", *(f"{cell['peers'][peer]['rss_mb']:.0f}" for peer in peers)]
                for config, cell in cells.items()
            ],
        )
    if "moments" in args.only:
        found = results["moments"]
        print(f"Moment losses alone, forward and backward: b = {found['b']}, p = {found['p']}, q = {found['q']},", end=" ")
        print(f"{found['classes']} classes; HoMM samples {found['entries']:,} entries.\n")
        row = [f"{found['l_hmm_ms']:.2f} ms", f"{found['homm_ms']:.0f} ms", f"{found['ratio']:.0f}×"]
        table(["l_hmm", "HoMM", "HoMM ÷ l_hmm"], [row])
        print(f"Whole steps of A with either, beside the paper's (V100). Ours in total: {BATCHES:,} batches, reckoned.\n")
        rows = []
        for name, ours in found["training"].items():
            parameters, batch, total = PAPER[name]
            cells = [f"{ours['parameters']:,}", f"{ours['batch_s']:.4f}", f"{ours['total_s']:,.0f}", f"{ours['rss_mb']:.0f}"]
            rows.append([name, *cells, f"{parameters:,}", f"{batch:.4f}", f"{total:,.0f}"])
        ours, homm = found["training"]["CLOTH"], found["training"]["CLOT+HoMM"]
        times = f"{homm['batch_s'] / ours['batch_s']:.1f}×"
        paper = [f"{b / a:.1f}×" for a, b in zip(PAPER["CLOTH"][1:], PAPER["CLOT+HoMM"][1:])]
        rows.append(["ratio", "", times, times, f"{homm['rss_mb'] / ours['rss_mb']:.1f}×", "", *paper])
        head = ["method", "parameters", "s/batch", "total s", "MB", "paper: parameters", "s/batch", "total s"]
        table(head, rows)
        for letter in "qbp":
            sweep = found[f"by_{letter}"]
            table([f"l_hmm by {letter}", *(str(cell[letter]) for cell in sweep)], [["ms", *(f"{cell['ms']:.2f}" for cell in sweep)]])
    if "task" in args.only:
        found = results["office31_task"]
        accuracy = f", accuracy {found['accuracy']:.1%}" if found["accuracy"] is not None else ""
        print(f"{found['what']}: {found['seconds']:.1f} s{accuracy}\n")
    if "jobs" in args.only:
        print(f"{CORES} independent runs, iterations a second in total.\n")
        table(
            ["step", "at once, 1 thread each", f"in turn, {CORES} threads", "ratio"],
            [
                [config, f"{cell['at_once_per_s']:.1f}", f"{cell['in_turn_per_s']:.1f}", f"{cell['ratio']:.2f}"]
                for config, cell in results["jobs"].items()
            ],
        )
