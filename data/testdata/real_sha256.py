"""Fingerprints of the real data sets as PyTorch Geometric reads them.

    python real_sha256.py DATA_FOLDER > real_sha256.json

TU sets go through torch_geometric.io.read_tu_data; COLLAB, in DGCNN text, through a plain
reader below with the same rules. Sets without node features get the one-hot degree, sets
without edge features ones, as in the EHGNN code. A fingerprint is the SHA-256 over all
graphs of n, m, label and the m arcs (source, target) as int32, then the node rows and the
edge rows as float32, all little-endian. Arcs are sorted, each undirected edge is two.
"""

import hashlib
import json
import os
import sys
import tempfile
import zipfile

import numpy as np
import torch
import torch_geometric
from torch_geometric.io import read_tu_data


class Sum:
    def __init__(self):
        self.h = hashlib.sha256()

    def add(self, n, label, arcs, x, e):
        self.h.update(np.array([n, len(arcs), label], "<i4").tobytes())
        for rows, kind in ((arcs, "<i4"), (x, "<f4"), (e, "<f4")):
            self.h.update(np.ascontiguousarray(rows, dtype=kind).tobytes())


def one_hot(ids, width):
    return np.eye(width, dtype=np.float32)[ids]


def tu(path, node_codes=0, edge_codes=0):
    name = os.path.basename(path)[:-4]
    with tempfile.TemporaryDirectory() as tmp:
        zipfile.ZipFile(path).extractall(tmp)
        folder = os.path.join(tmp, name)
        d, at, _ = read_tu_data(folder, name)
        sizes = np.bincount(np.loadtxt(f"{folder}/{name}_graph_indicator.txt", dtype=int))[1:]
        lowest = {
            what: np.loadtxt(f"{folder}/{name}_{what}_labels.txt", dtype=int).min()
            for what, codes in (("node", node_codes), ("edge", edge_codes))
            if codes
        }
    arcs = d.edge_index.numpy().T
    first = np.concatenate([[0], np.cumsum(sizes)])
    ends = at["edge_index"].numpy()
    if d.x is not None:
        x = d.x.numpy()
    else:
        source = arcs[:, 0] + np.repeat(first[:-1], np.diff(ends))
        degree = np.bincount(source, minlength=first[-1])
        x = one_hot(degree, degree.max() + 1)
    e = d.edge_attr.numpy() if d.edge_attr is not None else np.ones((len(arcs), 1), np.float32)
    if node_codes:  # the label itself is the column
        x = one_hot(x.argmax(1) + lowest["node"], node_codes)
    if edge_codes:
        e = one_hot(e.argmax(1) + lowest["edge"], edge_codes)
    s = Sum()
    for g in range(len(sizes)):
        v, a = slice(first[g], first[g + 1]), slice(ends[g], ends[g + 1])
        s.add(sizes[g], int(d.y[g]), arcs[a], x[v], e[a])
    return s.h.hexdigest()


def dgcnn(path):
    name = os.path.basename(path)[:-4]
    text = iter(zipfile.ZipFile(path).read(f"{name}/{name}.txt").decode().splitlines())
    graphs = []
    for _ in range(int(next(text))):
        n, label = map(int, next(text).split())
        arcs = set()
        for v in range(n):
            row = np.array(next(text).split(), dtype=int)
            assert len(row) == row[1] + 2
            arcs.update((v, int(u)) for u in row[2:] if u != v)
        graphs.append((n, label, np.array(sorted(arcs), dtype=np.int32)))
    width = 1 + max(np.bincount(a[:, 0]).max() for _, _, a in graphs)
    s = Sum()
    for n, label, a in graphs:
        x = one_hot(np.bincount(a[:, 0], minlength=n), width)
        s.add(n, label, a, x, np.ones((len(a), 1), np.float32))
    return s.h.hexdigest()


def main(data):
    sums = {}
    for name in ("MUTAG", "PROTEINS", "DD", "IMDB-BINARY", "IMDB-MULTI"):
        sums[f"tu/{name}.zip"] = tu(f"{data}/tu/{name}.zip")
    sums["dgcnn/COLLAB.zip"] = dgcnn(f"{data}/dgcnn/COLLAB.zip")
    for part in ("train", "val", "test"):
        sums[f"zinc12k/ZINC_{part}.zip"] = tu(f"{data}/zinc12k/ZINC_{part}.zip", 28, 5)
    made = {"script": "real_sha256.py", "torch_geometric": torch_geometric.__version__, "torch": torch.__version__, "numpy": np.__version__}
    json.dump({"made_by": made, "sha256": sums}, sys.stdout, indent=2)
    print()


main(sys.argv[1])
