"""Labels of edges: ehgnn, LightGBM and PyTorch Geometric on the same splits and inputs.

Every program sees, of each edge: its features and those of its ends, all structure columns that
ehgnn computes (columns/), and the labels of training edges around it, never its own
(../../docs/edges.md). LightGBM and GINE get the labels as columns that edgecolumns.py computes; of
molecules LightGBM gets the features of atoms up to two bonds away besides. GINE (PyTorch
Geometric), and ehgnn-roles written the usual way (roles), train on the whole graph at once; each
step hides a fifth of the training labels and learns from these edges.

With --generate, one epoch on a drawn graph is timed instead: a step and a validation.
"""

import argparse
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

import edgecolumns
import edgefurther
from edgemodels import EdgeGINE, EdgeRoles
from edgescores import best_threshold, macro_f1, roc_auc
from machine import ForeignCPU, reset_peak_rss, rss_bytes

# How each set is read, as `ehgnn reproduce edges` reads it, and epochs of what trains on the
# whole graph, whose epoch is one step.
SETS = {
    "bitcoin_alpha": dict(ignore=["rating", "time"], epochs=100, scores=["roc_auc", "macro_f1"]),
    "wn18rr": dict(epochs=100, scores=["hit@1", "mrr"]),
    "alfabet_bde": dict(number=True, undirected=True, ignore=["group"], epochs=1000, scores=["mae"]),
}
TRAIN, VALID, TEST = 0, 1, 2


# Scores


def scores(table, out, part, valid_out):
    """Scores of outputs: [edges,classes], or numbers, of the edges of a part."""
    rows = table.rows(part)
    label = table.label[rows]
    if table.classes == 0:
        return {"mae": float(np.abs(out - label).mean()), "rmse": float(np.sqrt(np.square(out - label).mean()))}
    if table.classes == 2:
        rare = int(np.argmin(np.bincount(table.label[table.rows(TRAIN)].astype(int), minlength=2)))
        threshold = best_threshold(valid_out[:, rare], table.label[table.rows(VALID)] == rare)
        predicted = np.where(out[:, rare] >= threshold, rare, 1 - rare)
        return {"roc_auc": float(roc_auc(out[:, rare], label == rare)), "macro_f1": macro_f1(predicted, label, 2)}
    # Other true classes of the same two nodes are taken out.
    known = {}
    for (u, v), c in zip(table.ends.tolist(), table.label.astype(int).tolist()):
        known.setdefault((u, v), set()).add(c)
    reciprocal, hits = [], []
    for z, e in zip(out, rows):
        own = int(table.label[e])
        others = [c for c in range(table.classes) if c != own and c not in known[tuple(table.ends[e])]]
        rank = 1 + np.sum(z[others] > z[own]) + np.sum(z[others] == z[own]) / 2
        reciprocal.append(1 / rank)
        hits.append(rank <= 1)
    return {"hit@1": float(np.mean(hits)), "mrr": float(np.mean(reciprocal))}


# LightGBM


def lightgbm(table, args, seed):
    import lightgbm as lgb

    x = {p: table.columns(p, args.transductive, args.labels, args.further, seed) for p in (TRAIN, VALID, TEST)}
    y = {p: table.label[table.rows(p)] for p in x}
    kinds = {0: [("regression", "l1"), ("regression_l1", "l1")], 2: [("binary", "auc")]}.get(
        table.classes, [("multiclass", "multi_logloss")])
    best, seconds, rounds = None, 0.0, 0
    for objective, metric in kinds:  # of several, that which is best on validation
        params = dict(objective=objective, metric=metric, learning_rate=0.05, num_leaves=31, min_data_in_leaf=10,
                      feature_fraction=0.8, bagging_fraction=0.8, bagging_freq=1, seed=seed, deterministic=True,
                      num_threads=args.threads, verbosity=-1)
        if table.classes > 2:
            params["num_class"] = table.classes
        data = lgb.Dataset(x[TRAIN], y[TRAIN])
        begin = time.perf_counter()
        booster = lgb.train(params, data, args.rounds, valid_sets=[lgb.Dataset(x[VALID], y[VALID], reference=data)],
                            callbacks=[lgb.early_stopping(50, verbose=False)])
        seconds += time.perf_counter() - begin
        rounds += booster.current_iteration()
        value = next(iter(booster.best_score["valid_0"].values()))
        value = value if metric == "auc" else -value
        if best is None or value > best[0]:
            best = value, booster
    out = {p: best[1].predict(x[p]) for p in (VALID, TEST)}
    if table.classes == 2:
        out = {p: np.stack([1 - v, v], 1) for p, v in out.items()}
    return dict(test=scores(table, out[TEST], TEST, out[VALID]), seconds=seconds, epoch_seconds=seconds / rounds)


# PyTorch


class Trainer:
    """Full-batch training: AdamW 0.005, cosine after five epochs of warm-up, norm clipped to 1."""

    def __init__(self, kind, table, args, seed, epochs):
        torch.manual_seed(seed)
        self.table, self.args = table, args
        self.views = {p: edgecolumns.View(table, p, args.transductive, args.labels) for p in (TRAIN, VALID, TEST)}
        width = self.views[TRAIN].columns(None).shape[1]
        self.model = kind(table.nodes.shape[1], width, max(table.classes, 1), args.hidden, args.layers, table.directed)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.005, weight_decay=1e-4)
        warm = min(5, epochs / 20)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda k: min(1, (k + 1) / max(warm, 1)) * (0.5 + 0.5 * np.cos(np.pi * min(1, k / max(epochs, 1)))))
        known = table.label[table.rows(TRAIN)]
        self.mean, self.scale = (known.mean(), known.std()) if table.classes == 0 else (0.0, 1.0)

    def step(self):
        self.model.train()
        view = self.views[TRAIN]
        learn = view.scored[torch.rand(len(view.scored)) < 0.2] if self.args.labels else view.scored
        out = self.model(view.nodes, view.ends, view.pair, view.columns(learn if self.args.labels else None))[learn]
        label = torch.as_tensor(self.table.label[view.edges[learn]])
        if self.table.classes:
            loss = torch.nn.functional.cross_entropy(out, label.long())
        else:
            loss = torch.nn.functional.mse_loss(out[:, 0], ((label - self.mean) / self.scale).float())
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1)
        self.optimizer.step()
        self.schedule.step()

    @torch.no_grad()
    def predict(self, part):
        self.model.eval()
        view = self.views[part]
        out = self.model(view.nodes, view.ends, view.pair, view.columns(None))[view.scored].double().numpy()
        if self.table.classes == 0:
            return out[:, 0] * self.scale + self.mean
        return out


def full_batch(kind, table, args, seed):
    epochs = args.epochs or args.set.get("epochs", 100)
    trainer = Trainer(kind, table, args, seed, epochs)
    name, best, times = args.set["scores"][0], None, []
    for _ in range(epochs):
        begin = time.perf_counter()
        trainer.step()
        valid = trainer.predict(VALID)
        times.append(time.perf_counter() - begin)
        value = scores(table, valid, VALID, valid)[name] * (-1 if name == "mae" else 1)
        if best is None or value > best[0]:
            best = value, {k: v.clone() for k, v in trainer.model.state_dict().items()}
    trainer.model.load_state_dict(best[1])
    test = scores(table, trainer.predict(TEST), TEST, trainer.predict(VALID))
    return dict(test=test, seconds=sum(times), epoch_seconds=min(times))


# ehgnn


def run_ehgnn(args, path, *flags, seed=42):
    """Trains and returns the document of `ehgnn train --json`, and the peak memory of the process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [args.ehgnn, "train", path, "--out", folder + "/run", "--json", "--quiet", "--threads", args.threads,
                   "--seed", seed, *flags, *args.flags.split()]
        out = open(folder + "/out", "w+")
        process = subprocess.Popen([str(c) for c in command], stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))}: exit {process.returncode}")
        out.seek(0)
        return json.load(out), usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def ignored(args):
    """Columns that are not read, but for those that ehgnn leaves out by itself."""
    return [c for c in args.set.get("ignore", []) if c != "group"]


def ehgnn(table, args, seed):
    flags = ["--part", "part", "--label-context", "on" if args.labels else "off",
             "--task", "edge-regression" if table.classes == 0 else "edge-classification"]
    flags += ["--edges", "undirected"] * (not table.directed) + ["--transductive"] * args.transductive
    flags += ["--ignore", ",".join(ignored(args))] * bool(ignored(args))
    if args.epochs:
        flags += ["--epochs", args.epochs]
    run, _ = run_ehgnn(args, table.path, "--model", args.model, *flags, seed=seed)
    return dict(test={k: run["test"][k] for k in args.set["scores"]}, seconds=run["seconds"], epoch_seconds=run["seconds"] / run["epochs"])


KINDS = {"gine": EdgeGINE, "roles": EdgeRoles}
PROGRAMS = {"ehgnn": ehgnn, "lightgbm": lightgbm, **{name: functools.partial(full_batch, kind) for name, kind in KINDS.items()}}


def compare(args):
    rows = []
    for name in args.datasets:
        args.set = SETS[name]
        table = edgecolumns.read((pathlib.Path(args.data) / "edges" / name).resolve(), args.set.get("number", False), args.set.get("undirected", False))
        table.read_columns(args.transductive, ignored(args))
        for program in args.programs:
            runs, foreign = [], ForeignCPU()
            for seed in range(args.seed, args.seed + args.seeds):
                print(f"{program} on {name}, seed {seed}", file=sys.stderr)
                runs.append(PROGRAMS[program](table, args, seed))
            rows.append({
                "dataset": name, "program": program, "protocol": "transductive" if args.transductive else "inductive",
                "labels": args.labels, "seeds": args.seeds,
                "test": {k: [r["test"][k] for r in runs] for k in args.set["scores"]},
                "seconds": min(r["seconds"] for r in runs), "epoch_seconds": min(r["epoch_seconds"] for r in runs),
                "foreign_cpu_share": foreign.share() if program != "ehgnn" else None,
            })
    return rows


# One epoch on a drawn graph


def generate(folder, edges, seed):
    """Writes a table of edges whose label depends on both ends and a feature."""
    rng = np.random.default_rng(seed)
    n = max(edges // 10, 2)
    ends = np.stack([(n * rng.random(edges) ** 1.5).astype(int), rng.integers(0, n, edges)], 1)
    effect, x = rng.normal(size=n), rng.normal(size=edges)
    label = effect[ends[:, 0]] + effect[ends[:, 1]] + x + rng.normal(size=edges) > 1.5
    part = rng.choice(3, edges, p=[0.6, 0.2, 0.2])
    with open(folder / "edges.csv", "w") as f:
        f.write("source,target,x,label,part\n")
        f.writelines(f"{u},{v},{a:.4f},{'yes' if y else 'no'},{p}\n" for (u, v), a, y, p in zip(ends.tolist(), x.tolist(), label.tolist(), part.tolist()))


def time_generated(args):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        generate(folder, args.generate, args.seed)
        result = {"edges": args.generate, "hidden": args.hidden, "threads": args.threads}
        if "ehgnn" in args.programs:
            run, peak = run_ehgnn(args, folder, "--model", args.model, "--part", "part", "--hidden", args.hidden, "--epochs", 1, "--label-context", "on")
            result["ehgnn"] = {"epoch_seconds": run["seconds"], "peak_rss_bytes": peak}
        table = edgecolumns.read(folder)
        table.read_columns(args.transductive, [])
        for name in [p for p in args.programs if p in KINDS]:
            trainer = Trainer(KINDS[name], table, args, args.seed, 1)
            reset_peak_rss()
            foreign, begin = ForeignCPU(), time.perf_counter()
            trainer.step()
            trainer.predict(VALID)
            result[name] = {"epoch_seconds": time.perf_counter() - begin, "peak_rss_bytes": rss_bytes("VmHWM"), "foreign_cpu_share": foreign.share()}
            if "ehgnn" in result:
                result[name]["ratio"] = result[name]["epoch_seconds"] / result["ehgnn"]["epoch_seconds"]
            del trainer
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ehgnn", default="bin/ehgnn", help="the binary")
    parser.add_argument("--data", default="../shared/data", help="data folder with edges/")
    parser.add_argument("--datasets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument("--transductive", action="store_true", help="training sees that held-out edges exist")
    parser.add_argument("--no-labels", dest="labels", action="store_false", help="no labels of other edges as inputs")
    parser.add_argument("--further", nargs="+", default=[], choices=list(edgefurther.KINDS), help="further columns of LightGBM, for signs")
    parser.add_argument("--generate", type=int, metavar="EDGES", help="time one epoch on a drawn graph instead")
    parser.add_argument("--model", default="ehgnn-roles", help="of ehgnn")
    parser.add_argument("--flags", default="", help="further flags of ehgnn train, as one text")
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--layers", type=int, default=2, help="of GINE and roles")
    parser.add_argument("--epochs", type=int, help="of ehgnn, GINE and roles (default: their own)")
    parser.add_argument("--rounds", type=int, default=2000, help="of LightGBM, at most")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    if args.generate:
        result = time_generated(args)
        print(json.dumps(result, indent=None if args.json else 2))
        return
    rows = compare(args)
    if args.json:
        print(json.dumps(rows, indent=2))
        return
    print("| data | protocol | program | score | test | s a training | s an epoch or round |\n| --- | --- | --- | --- | --- | --- | --- |")
    for r in rows:
        for score, values in r["test"].items():
            spread = f" ± {np.std(values, ddof=1):.4f}" if len(values) > 1 else ""
            print(f"| {r['dataset']} | {r['protocol']}{'' if r['labels'] else ', no labels'} | {r['program']} | {score} | "
                  f"{np.mean(values):.4f}{spread} | {r['seconds']:.1f} | {r['epoch_seconds']:.3f} |")


if __name__ == "__main__":
    main()
