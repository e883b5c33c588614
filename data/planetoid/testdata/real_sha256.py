"""Fingerprints of Cora and Citeseer, read by Python's own pickle.

    python real_sha256.py DATA_FOLDER/planetoid > real_sha256.json

SciPy is not needed: a plain class takes the place of csr_matrix. The steps are those of the
code published with GCN (Kipf and Welling, ICLR 2017). A fingerprint is the SHA-256 of n, m,
the m edges (smaller node first, sorted), the classes and the three parts of the split, each
with its length before it, as int32, then the feature rows as float32, all little-endian.
"""

import hashlib
import json
import pickle
import sys

import numpy as np


class Matrix:
    def __setstate__(self, state):
        self.__dict__.update(state)

    def dense(self):
        out = np.zeros(self._shape, np.float64)
        for r in range(self._shape[0]):
            lo, hi = self.indptr[r], self.indptr[r + 1]
            np.add.at(out[r], self.indices[lo:hi], self.data[lo:hi])
        return out


class Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if name == "csr_matrix":
            return Matrix
        return super().find_class(module, name)


def part(folder, name, what):
    with open(f"{folder}/ind.{name}.{what}", "rb") as f:
        return Unpickler(f, encoding="latin1").load()


def fingerprint(folder, name):
    y, ty, ally, graph = (part(folder, name, p) for p in ("y", "ty", "ally", "graph"))
    allx, tx = (part(folder, name, p).dense() for p in ("allx", "tx"))
    test = np.loadtxt(f"{folder}/ind.{name}.test.index", dtype=int)
    n = test.max() + 1
    x = np.zeros((n, allx.shape[1]))
    labels = np.zeros((n, ally.shape[1]))
    x[: len(allx)], x[test] = allx, tx
    labels[: len(ally)], labels[test] = ally, ty
    total = x.sum(1, keepdims=True)
    x = np.divide(x, total, out=np.zeros_like(x), where=total != 0)
    edges = sorted({(min(u, v), max(u, v)) for u, vs in graph.items() for v in vs})
    h = hashlib.sha256()

    def ints(*values):
        h.update(np.asarray(values, "<i4").tobytes())

    ints(n, len(edges))
    ints(*(v for e in edges for v in e))
    ints(*labels.argmax(1))
    for ids in (range(len(y)), range(len(y), len(y) + 500), test):
        ints(len(ids), *ids)
    h.update(x.astype("<f4").tobytes())
    return h.hexdigest()


print(json.dumps({name: fingerprint(sys.argv[1], name) for name in ("cora", "citeseer")}, indent=2))
