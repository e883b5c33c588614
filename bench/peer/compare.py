"""Epochs or layers of ehgnn and of PyTorch Geometric, measured in turn in one run."""

import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SETS = ["MUTAG", "PROTEINS", "IMDB-BINARY", "COLLAB", "ZINC"]


def call(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit {done.returncode}")
    return json.loads(done.stdout)


def ours(args, name):
    command = [args.ehgnn, "bench", "--dataset", name, "--data-dir", args.data, "--epochs", args.epochs,
               "--threads", args.threads, "--json", "--quiet"]
    return call([str(c) for c in command])["epochs"][0]


def theirs(args, name):
    command = [sys.executable, "-W", "ignore", HERE / "epoch.py", "--dataset", name, "--data", args.data,
               "--epochs", args.epochs, "--threads", args.threads, "--json"]
    if name == "COLLAB":
        # A whole epoch takes minutes there; batches are alike.
        command += ["--max-batches", "4"]
        command[command.index("--epochs") + 1] = 1
    return call([str(c) for c in command])


def layers(args):
    """Layers and pools, each program twice in turn."""
    best = {}
    for _ in range(args.rounds):
        mine = call([args.ehgnn, "bench", "--layers", "--threads", str(args.threads), "--json", "--quiet"])["layers"]
        peer = call([sys.executable, "-W", "ignore", str(HERE / "layers.py"), "--threads", str(args.threads), "--json"])
        for side, rows in enumerate([mine, peer]):
            for r in rows:
                pair = best.setdefault(r["name"], [float("inf"), float("inf")])
                pair[side] = min(pair[side], r["seconds"])
    if args.json:
        print(json.dumps([{"layer": n, "ehgnn_seconds": a, "peer_seconds": b, "ratio": b / a} for n, (a, b) in best.items()], indent=2))
        return
    print("| layer, forward and backward | ehgnn, ms | PyTorch Geometric, ms | ratio |")
    print("| --- | --- | --- | --- |")
    for name, (a, b) in best.items():
        print(f"| {name} | {1e3 * a:.2f} | {1e3 * b:.2f} | {b / a:.1f}x |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ehgnn", default="bin/ehgnn", help="the binary")
    parser.add_argument("--data", default="../shared/data", help="data folder with tu/, dgcnn/ and zinc12k/")
    parser.add_argument("--datasets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--epochs", type=int, default=3, help="epochs per round")
    parser.add_argument("--rounds", type=int, default=2, help="rounds, each program once in turn; the least time counts")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--layers", action="store_true", help="compare layers and pools in place of epochs")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.layers:
        layers(args)
        return

    rows = []
    for name in args.datasets:
        mine, peer = [], []
        for _ in range(args.rounds):
            mine.append(ours(args, name))
            peer.append(theirs(args, name))
        best = min(mine, key=lambda r: r["epoch_seconds_min"])
        rival = min(peer, key=lambda r: r["epoch_seconds_min"])
        rows.append({
            "dataset": name,
            "ehgnn_seconds": best["epoch_seconds_min"],
            "peer_seconds": rival["epoch_seconds_min"],
            "ratio": rival["epoch_seconds_min"] / best["epoch_seconds_min"],
            "ehgnn_peak_rss_bytes": best["peak_rss_bytes"],
            "peer_peak_rss_bytes": rival["peak_rss_bytes"],
            "peer_extrapolated_from_batches": rival["extrapolated_from_batches"],
            "peer_foreign_cpu_share": rival["foreign_cpu_share_of_min"],
        })
        print(f"{name}: {rows[-1]['ehgnn_seconds']:.4f} s against {rows[-1]['peer_seconds']:.4f} s, "
              f"{rows[-1]['ratio']:.1f} times faster", file=sys.stderr)

    if args.json:
        print(json.dumps(rows, indent=2))
        return
    print("| data set | ehgnn, s an epoch | PyTorch Geometric | ratio | ehgnn peak RSS | peer peak RSS |")
    print("| --- | --- | --- | --- | --- | --- |")
    for r in rows:
        peer = f"{r['peer_seconds']:.3f}"
        if r["peer_extrapolated_from_batches"]:
            peer += f" (from {r['peer_extrapolated_from_batches']} batches)"
        print(f"| {r['dataset']} | {r['ehgnn_seconds']:.4f} | {peer} | {r['ratio']:.1f}x "
              f"| {r['ehgnn_peak_rss_bytes'] / 2**20:.0f} MiB | {r['peer_peak_rss_bytes'] / 2**20:.0f} MiB |")


if __name__ == "__main__":
    main()
