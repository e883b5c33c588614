"""Tables of labelled edges, and columns of what is known of each edge."""

import csv
import pathlib
import subprocess
import tempfile

import numpy as np
import torch

import edgefurther

FOLDS = 5


class Table:
    """Edges as read: ends [m,2], label [m] (a class, or a number), part [m] (0, 1 or 2), features
    of nodes [n,k]. Edges without a label have nan."""

    def __init__(self, path, ends, label, classes, part, nodes, directed):
        self.path, self.ends, self.label, self.classes, self.part = path, ends, label, classes, part
        self.nodes, self.directed = nodes, directed

    def read_columns(self, transductive, ignore):
        """Has ehgnn write what it reads of each edge of each part: fixed[part] [edges seen,columns]."""
        with tempfile.TemporaryDirectory() as folder:
            command = ["go", "run", "./bench/peer/columns", "-data", self.path, "-out", folder, "-ignore", ",".join(ignore)]
            flags = {"-number": self.classes == 0, "-undirected": not self.directed, "-transductive": transductive}
            subprocess.run([*command, *(f for f, on in flags.items() if on)], check=True, cwd=pathlib.Path(__file__).parents[2])
            self.fixed = [np.load(f"{folder}/{part}.npy") for part in ("train", "valid", "test")]

    def rows(self, part):
        return np.flatnonzero((self.part == part) & ~np.isnan(self.label))

    def columns(self, part, transductive, labels, further=(), seed=0):
        """All columns of the scored edges of a part, in the order of the table, with the further kinds of
        edgefurther. Labels of training edges are hidden for them a fifth at a time: were only an edge's
        own left out, trees would read it off what the others lack. A forest has no messages, so features
        of the nodes at both ends, and of theirs, are columns, too."""
        view = View(self, part, transductive, labels)
        x = self.nodes
        scored = view.scored.numpy()

        def known(hide):
            found = view.columns(None if hide is None else torch.as_tensor(hide)).numpy()
            return np.concatenate([found, edgefurther.columns(view, hide, further)], 1) if further else found

        if part > 0 or not labels:
            parts = [known(None)]
        else:
            fold = np.random.default_rng(seed).integers(0, FOLDS, len(scored))
            for k in range(FOLDS):
                some = known(scored[fold == k])
                if k == 0:
                    parts = [some]
                parts[0][scored[fold == k]] = some[scored[fold == k]]
        u, v = view.ends.numpy()
        a = x
        for hop in range(3 if x.shape[1] > 1 else 0):
            if hop:
                b = np.zeros_like(x)
                np.add.at(b, u, a[v])
                np.add.at(b, v, a[u])
                a = b
            parts += [a[u], a[v]] if self.directed else [a[u] + a[v], np.abs(a[u] - a[v])]
        return np.concatenate(parts, 1)[scored]


class View:
    """The graph that a model sees for a part: all edges, or those of the part and of earlier ones."""

    def __init__(self, table, part, transductive, labels):
        keep = np.ones(len(table.part), bool) if transductive else table.part <= part
        self.table, self.labels = table, labels
        self.edges = np.flatnonzero(keep)
        self.ends = torch.as_tensor(table.ends[keep].T.copy())
        self.nodes = torch.as_tensor(table.nodes)
        self.scored = torch.as_tensor(np.flatnonzero((table.part[keep] == part) & ~np.isnan(table.label[keep])))
        known = (table.part[keep] == 0) & ~np.isnan(table.label[keep])
        label = table.label[keep]
        self.mean = float(label[known].mean()) if table.classes == 0 else 0.0
        self.scale = float(label[known].std()) if table.classes == 0 else 1.0
        self.shown = torch.as_tensor(known)
        self.label = torch.as_tensor(np.where(known, (label - self.mean) / self.scale, 0))
        self.fixed = torch.as_tensor(table.fixed[part])
        n, (u, v) = len(table.nodes), self.ends
        self.pair = torch.unique(torch.stack([u * n + v, v * n + u]), return_inverse=True)[1]
        if labels:
            self.look()

    def look(self):
        n, (u, v) = len(self.table.nodes), self.ends
        # Groups of edges that an edge looks at: of what they share with it (at) and where they look (of).
        if self.table.directed:
            self.groups = [(u, u, n, 1), (v, v, n, 1), (v, u, n, 0), (u, v, n, 0),
                           (self.pair[0], self.pair[0], int(self.pair.max()) + 1, 1), (self.pair[0], self.pair[1], int(self.pair.max()) + 1, 0)]
        else:
            both = torch.cat([u, v])
            self.groups = [(both, u, n, 1), (both, v, n, 1)]

    def columns(self, hide):
        """Fixed columns and, where labels are inputs, what shown labels say; hide are edges whose
        labels are hidden. Of classes: counts and smoothed shares in each group, the edge itself left
        out. Of numbers: the shrunk mean of each group."""
        if not self.labels:
            return self.fixed.float()
        shown = self.shown.clone()
        if hide is not None:
            shown[hide] = False
        k = self.table.classes
        if k:
            one = torch.zeros(len(shown), k)
            one[shown, self.label[shown].long()] = 1
            prior = (one.sum(0) + 1) / (one.sum() + k)
        else:
            one = torch.stack([torch.where(shown, self.label, 0.0), shown.double()], 1).float()
        columns = [self.fixed]
        for at, of, size, own in self.groups:
            rows = one if len(at) == len(one) else torch.cat([one, one])
            count = torch.zeros(size, one.shape[1]).index_add_(0, at, rows)[of] - own * one
            if k:
                total = count.sum(1, keepdim=True)
                columns += [count.log1p(), 0.5 * ((count + 2 * prior) / (total + 2) / prior).log(), 0.5 * total.log1p()]
            else:
                columns += [count[:, :1] / (count[:, 1:] + 4), 0.5 * count[:, 1:].clamp(min=0).log1p()]
        if not self.table.directed:  # neither end comes first
            half = (len(columns) - 1) // 2
            columns = [self.fixed] + [c for a, b in zip(columns[1:1 + half], columns[1 + half:]) for c in (a + b, (a - b).abs())]
        return torch.cat([c.float() for c in columns], 1)


def encode(rows, names):
    """Columns of texts as numbers: standardised, or one-hot where a value is no number."""
    out = []
    for name in names:
        texts = [r[name] for r in rows]
        try:
            x = np.array([float(t) for t in texts], np.float32)
            out.append(((x - x.mean()) / (x.std() or 1))[:, None])
        except ValueError:
            code = np.unique(texts, return_inverse=True)[1]
            out.append(np.eye(code.max() + 1, dtype=np.float32)[code])
    return np.concatenate(out, 1) if out else np.zeros((len(rows), 0), np.float32)


def read(folder, number=False, undirected=False):
    """Reads edges.csv and, if there, nodes.csv."""
    folder = pathlib.Path(folder)
    with open(folder / "edges.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    nodes, ids = None, {}
    if (folder / "nodes.csv").exists():
        with open(folder / "nodes.csv", newline="") as f:
            table = list(csv.DictReader(f))
        ids = {r["id"]: i for i, r in enumerate(table)}
        nodes = encode(table, [c for c in table[0] if c != "id"])
    ends = np.array([[ids.setdefault(r[c], len(ids)) for c in ("source", "target")] for r in rows])
    texts = [r["label"] for r in rows]
    if number:
        label, classes = np.array([float(t) if t else np.nan for t in texts]), 0
    else:
        names, code = np.unique(texts, return_inverse=True)
        label, classes = code.astype(float), len(names)
    if nodes is None:
        nodes = np.ones((len(ids), 1), np.float32)
    return Table(str(folder), ends, label, classes, np.array([int(r["part"]) for r in rows]), nodes, not undirected)
