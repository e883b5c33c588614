"""Writes ind.tiny.*, a citation network in the form of Planetoid for tests.

90 nodes of three classes; a node has words of its class and some of any, and most
of its neighbours are of its class. The first 15 nodes are those of y, the 45 behind
them validate, the last 30 are those of test.index. Needs numpy and scipy.
"""
import pickle, random
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.sparse as sp

random.seed(5)
nodes, words, classes = 90, 24, 3
label = [v % classes for v in range(nodes)]
x = np.zeros((nodes, words), dtype=np.float32)
for v in range(nodes):
    for _ in range(4):
        x[v, 8 * label[v] + random.randrange(8)] = 1
    x[v, random.randrange(words)] = 1
graph = defaultdict(list)
for v in range(nodes):
    for _ in range(2):
        same = random.random() < 0.85
        u = random.choice([u for u in range(nodes) if u != v and (label[u] == label[v]) == same])
        graph[v].append(u)
        graph[u].append(v)
y = np.eye(classes, dtype=np.int32)[label]
test = list(range(60, nodes))
random.shuffle(test)
parts = {
    "x": sp.csr_matrix(x[:15]), "allx": sp.csr_matrix(x[:60]), "tx": sp.csr_matrix(x[test]),
    "y": y[:15], "ally": y[:60], "ty": y[test], "graph": graph,
}
here = Path(__file__).parent
for name, part in parts.items():
    (here / f"ind.tiny.{name}").write_bytes(pickle.dumps(part, protocol=3))
(here / "ind.tiny.test.index").write_text("".join(f"{v}\n" for v in test))
