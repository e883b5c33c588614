"""LightGBM on tables of edges, on the columns of ehgnn's default model and on columns made by hand.

    ehgnn reproduce tables --columns --out runs/tables
    env/bin/python edgetables.py --columns runs/tables/columns --seeds 5 --out runs/tables/lightgbm.jsonl
    ehgnn reproduce tables --out runs/tables --others runs/tables/lightgbm.jsonl

lightgbm-hand has columns of the kind that an analyst makes in an hour, the same for all tables: those
of the table and of both nodes, hour and weekday, numbers of edges, and mean labels of training edges at
both ends, of the pair and of its reverse; for training rows from the other four fifths. lightgbm-ours
has the columns that ehgnn's learners read, and where there are snapshots it takes these, or hidden
labels, by validation. Rounds are chosen by early stopping on the validation part. Each result is of a
process of its own, so that seconds and memory are its own.
"""

import argparse
import csv
import datetime
import json
import multiprocessing
import pathlib
import resource
import time

import numpy as np

import edgescores

TRAIN, VALID, TEST = 0, 1, 2
FOLDS = 5
SHRINK = 2.0  # rows that the mean of all counts as in the mean of some


def fit(train, valid, about, seed, threads, categories=(), repeats=1):
    """A booster on rows and labels with its validation loss."""
    import lightgbm as lgb

    classes = len(about["classes"] or [])
    objective = "regression" if classes == 0 and about["metric"] == "rmse" else {0: "regression_l1", 2: "binary"}.get(classes, "multiclass")
    metric = {"regression": "l2", "regression_l1": "l1", "binary": "binary_logloss", "multiclass": "multi_logloss"}[objective]
    params = dict(objective=objective, metric=metric, learning_rate=0.05, num_leaves=31, min_data_in_leaf=20 * repeats,
                  feature_fraction=0.8, bagging_fraction=0.8, bagging_freq=1, seed=seed, deterministic=True,
                  num_threads=threads, verbosity=-1)
    rounds = 2000
    if objective == "multiclass":
        params["num_class"], rounds = classes, max(200, 2000 // classes)
    data = lgb.Dataset(train[0], train[1], categorical_feature=list(categories))
    booster = lgb.train(params, data, rounds, valid_sets=[lgb.Dataset(valid[0], valid[1], reference=data)],
                        callbacks=[lgb.early_stopping(100, verbose=False)])
    return next(iter(booster.best_score["valid_0"].values())), booster


def predict(booster, x, edges):
    """Predictions for edges; an undirected edge has two rows, whose mean counts."""
    out = booster.predict(x)
    return out.reshape(len(out) // edges, edges, *out.shape[1:]).mean(0)


def score(about, table, predicted):
    """Scores of predictions, by part, of the table's labels."""
    out, classes = {}, about["classes"] or []
    label = {part: table.label[table.rows(part)] for part in (VALID, TEST)}
    rare = int(np.argmin(np.bincount(table.label[table.rows(TRAIN)].astype(int), minlength=2))) if len(classes) == 2 else 0
    if len(classes) == 2:
        one = {part: p if rare == 1 else 1 - p for part, p in predicted.items()}
        threshold = edgescores.best_threshold(one[VALID], label[VALID] == rare)
    for part, name in ((VALID, "valid"), (TEST, "test")):
        if not classes:
            out[name] = edgescores.of_numbers(predicted[part], label[part])
        elif len(classes) == 2:
            out[name] = edgescores.of_two(one[part], label[part], rare, threshold)
        else:
            out[name] = edgescores.of_classes(predicted[part], label[part].astype(int), [table.known[table.pair(e)] for e in table.rows(part)])
    return out


class Table:
    """edges.csv and nodes.csv of a data set."""

    def __init__(self, about):
        folder = pathlib.Path(about["path"])
        with open(folder / "edges.csv", newline="") as f:
            self.edges = list(csv.DictReader(f))
        self.nodes = {}
        if (folder / "nodes.csv").exists():
            with open(folder / "nodes.csv", newline="") as f:
                self.nodes = {row.pop("id"): row for row in csv.DictReader(f)}
        self.undirected = about["undirected"]
        self.part = np.array([int(e["part"]) for e in self.edges])
        classes = {name: k for k, name in enumerate(about["classes"] or [])}
        text = [e["label"] for e in self.edges]
        self.label = np.array([float(classes.get(t, np.nan)) if classes else float(t or "nan") for t in text])
        self.known = {}
        for e in range(len(text)):
            if classes and self.label[e] == self.label[e]:
                self.known.setdefault(self.pair(e), set()).add(int(self.label[e]))

    def pair(self, e):
        u, v = self.edges[e]["source"], self.edges[e]["target"]
        return (min(u, v), max(u, v)) if self.undirected else (u, v)

    def rows(self, part):
        return np.flatnonzero((self.part == part) & ~np.isnan(self.label))


def seconds_of(text):
    """A time as seconds since 1970, None where it is no date or Unix time."""
    try:
        return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc).timestamp()
    except ValueError:
        pass
    try:
        t = float(text)
    except ValueError:
        return None
    return t if 1e9 <= t <= 2e9 else None


def encoded(rows):
    """Columns of rows of texts: numbers, or codes of categories with a list of which columns these are."""
    names, columns, categories = list(rows[0]) if rows else [], [], []
    for name in names:
        text = [r[name] for r in rows]
        try:
            columns.append([float(t) if t else np.nan for t in text])
        except ValueError:
            categories.append(len(columns))
            columns.append(np.unique(text, return_inverse=True)[1].astype(float))
    return np.array(columns).T.reshape(len(rows), len(columns)), categories


def by_hand(table, about):
    """The columns made by hand of all edges, and which are categories."""
    skipped = {"source", "target", "label", "part", "group", *(about["ignore"] or [])}
    time_name = about["time"] or ("time" if "time" in table.edges[0] and "time" not in skipped else None)
    own = [{k: v for k, v in e.items() if k not in skipped and k != time_name} for e in table.edges]
    unique = {k for k in own[0] if len({r[k] for r in own}) == len(own) and not is_number(own[0][k])}
    own = [{k: v for k, v in r.items() if k not in unique} for r in own]
    x, categories = encoded(own)
    blocks = [x]
    if table.nodes:
        for end in ("source", "target"):
            n, of = encoded([table.nodes[e[end]] for e in table.edges])
            categories += [sum(b.shape[1] for b in blocks) + c for c in of]
            blocks.append(n)
    if time_name:
        raw = [e[time_name] for e in table.edges]
        stamps = [seconds_of(t) for t in raw]
        if None not in stamps:
            t = np.array(stamps)
            blocks.append(np.stack([t % 86400 / 3600, t // 86400 % 7, t], 1))
        else:
            blocks.append(encoded([{"t": t} for t in raw])[0])
    ids = {}
    ends = np.array([[ids.setdefault(e[c], len(ids)) for c in ("source", "target")] for e in table.edges])
    return np.concatenate([*blocks, around(table, ends, about)], 1), categories


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def around(table, ends, about):
    """Numbers and mean labels of training edges at the ends, of the pair and of its reverse. Training rows count those
    of the other four fifths alone."""
    classes, n = len(about["classes"] or []), int(ends.max()) + 1
    y = np.nan_to_num(table.label)
    value = y[:, None] if classes == 0 else (y == 1)[:, None] if classes == 2 else np.eye(classes)[y.astype(int)]
    fold = np.where(table.part == TRAIN, np.random.default_rng(0).integers(0, FOLDS, len(y)), FOLDS)
    u, v = ends.T
    keys = [(u, u), (v, v), (v, u), (u, v), (u * n + v, u * n + v), (v * n + u, u * n + v)]
    out = None
    for k in range(FOLDS + 1):
        known = (table.part == TRAIN) & ~np.isnan(table.label) & (fold != k)
        mean, parts = value[known].mean(0), []
        for at, of in keys:
            names, code = np.unique(np.concatenate([at[known], of]), return_inverse=True)
            at_code, of_code = code[: known.sum()], code[known.sum() :]
            count = np.bincount(at_code, minlength=len(names)).astype(float)
            sums = np.stack([np.bincount(at_code, value[known][:, c], len(names)) for c in range(value.shape[1])], 1)
            parts += [count[of_code][:, None], (sums[of_code] + SHRINK * mean) / (count[of_code][:, None] + SHRINK)]
        x = np.concatenate(parts, 1)
        out = x if out is None else np.where((fold == k)[:, None], x, out)
    return out


def hand(about, seed, threads):
    table = Table(about)
    x, categories = by_hand(table, about)
    part = lambda p: (x[table.rows(p)], table.label[table.rows(p)])
    _, booster = fit(part(TRAIN), part(VALID), about, seed, threads, categories)
    return score(about, table, {p: booster.predict(part(p)[0]) for p in (VALID, TEST)})


def ours(about, seed, threads):
    folder, table = pathlib.Path(about["folder"]), Table(about)
    load = lambda name: (np.load(folder / f"{name}.npy"), np.load(folder / f"{name}_label.npy").ravel())
    families = np.array(about["families"])
    valid, test = load("valid"), load("test")
    edges = {VALID: len(valid[1]), TEST: len(test[1])}
    rows = lambda part: np.tile(part[1], len(part[0]) // len(part[1]))
    best = None
    for name in ("train", "snapshots"):
        if not (folder / f"{name}.npy").exists():
            continue
        keep = np.flatnonzero(families != "history") if name == "train" else np.arange(len(families))
        train = load(name)
        repeats = max(1, round(len(train[1]) / len(table.rows(TRAIN))))
        if len(about["classes"] or []) > 12:  # several draws of many classes take hours
            train, repeats = (train[0][: len(train[1]) // repeats], train[1][: len(train[1]) // repeats]), 1
        loss, booster = fit((train[0][:, keep], train[1]), (valid[0][:, keep], rows(valid)), about, seed, threads, repeats=repeats)
        if best is None or loss < best[0]:
            best = loss, booster, keep
    _, booster, keep = best
    out = {VALID: predict(booster, valid[0][:, keep], edges[VALID]), TEST: predict(booster, test[0][:, keep], edges[TEST])}
    if not about["classes"]:
        out = {p: about["mean"] + about["scale"] * v for p, v in out.items()}
    return score(about, table, out)


ROWS = {"lightgbm-hand": hand, "lightgbm-ours": ours}


def job(row, about, seed, threads, queue):
    begin = time.perf_counter()
    result = ROWS[row](about, seed, threads)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    queue.put(dict(dataset=about["dataset"], model=row, seed=seed, **result, seconds=time.perf_counter() - begin, peak_bytes=peak))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", required=True, help="folder that `ehgnn reproduce tables --columns` wrote")
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--datasets", nargs="+", help="some of the folder (default: all)")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", default="lightgbm.jsonl", help="file of results; those that it has are not computed again")
    args = parser.parse_args()
    out = pathlib.Path(args.out)
    lines = out.read_text().splitlines() if out.exists() else []
    done = {(r["dataset"], r["model"], r["seed"]) for r in map(json.loads, filter(None, lines))}
    context = multiprocessing.get_context("spawn")
    for folder in sorted(pathlib.Path(args.columns).iterdir()):
        about = json.loads((folder / "columns.json").read_text()) | {"folder": str(folder)}
        if args.datasets and about["dataset"] not in args.datasets:
            continue
        for row in args.rows:
            for seed in range(42, 42 + args.seeds):
                if (about["dataset"], row, seed) in done:
                    continue
                queue = context.SimpleQueue()
                process = context.Process(target=job, args=(row, about, seed, args.threads, queue))
                process.start()
                process.join()
                if process.exitcode:
                    raise SystemExit(f"{row} on {about['dataset']} failed")
                result = queue.get()
                with open(out, "a") as f:
                    f.write(json.dumps(result) + "\n")
                print(f"{about['dataset']:16} {row:14} seed {seed} {result['seconds']:7.1f} s {json.dumps(result['test'])}", flush=True)


if __name__ == "__main__":
    main()
