"""Writes columns.json: small random multigraphs and the columns that the prototype makes of them.

python make.py PROTOTYPE, the folder with f.py, g.py and manyclass.py, with numpy, scipy and pandas. The prototype's means are
those of all training labels; here its training labels are the known ones.
"""
import json, sys, types
import numpy as np
sys.path.insert(0, sys.argv[1])
import f as F, g as G
text = open(sys.argv[1] + "/manyclass.py").read()
space = {"np": np, "G": G, "F": F}
exec(text[text.index("def als_c"):text.index("n=sys.argv[1]")], space)


class Fixed(np.random.RandomState):
    """Starts that Go makes, too: sin(0.7·(i+1)) for entry i of the sources, and of the targets."""
    def __new__(cls, *a):
        return super().__new__(cls)
    def randn(self, *dims):
        return np.sin(0.7 * (np.arange(np.prod(dims)) + 1)).reshape(dims)


np.random.RandomState = Fixed
out = []
for case, (classes, nodes, edges, seed) in enumerate([(2, 12, 90, 1), (5, 15, 120, 2), (0, 14, 100, 3), (2, 40, 60, 4)]):
    r = np.random.default_rng(seed)
    d = types.SimpleNamespace()
    d.name, d.task, d.V, d.N = "", "c" if classes else "r", nodes, edges
    d.s, d.t = r.integers(0, nodes - 1, edges), r.integers(1, nodes, edges)  # loops, parallel edges, and nodes of one role
    d.K = classes or 1
    label = r.integers(0, classes, edges) if classes else np.round(r.normal(3, 2, edges), 3)
    d.Y = np.eye(classes)[label] if classes else label[:, None].astype(float)
    known = r.random(edges) < 0.7
    d.tr = known
    key, back = d.s.astype(np.int64) * nodes + d.t, d.t.astype(np.int64) * nodes + d.s
    up, inv = np.unique(np.concatenate([key, back]), return_inverse=True)
    d.pi, d.ri, d.NP = inv[:edges], inv[edges:], len(up)
    rows = np.where(~known)[0]
    blocks = [F.labcols(d, known, rows)]
    if classes > 2:
        blocks.append(space["als_c"](d, known, rows, r=8))
    else:
        blocks += [G.als(d, known, rows), G.paths(d, known, rows)]
    out.append(dict(classes=classes, nodes=nodes, ends=np.stack([d.s, d.t], 1).ravel().tolist(), label=label.tolist(), known=known.tolist(),
                    rows=rows.tolist(), columns=np.concatenate(blocks, 1).round(7).tolist()))
json.dump(out, open("columns.json", "w"), separators=(",", ":"))
