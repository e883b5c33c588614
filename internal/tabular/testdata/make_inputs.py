"""Write inputs.json: rows before and after class Prep of the prototype of the recipe.

    python make_inputs.py PROTOTYPE/run.py > inputs.json

Needs numpy alone: the class is taken from the source of run.py.
"""
import ast
import json
import sys

import numpy as np

source = open(sys.argv[1]).read()
prep = next(n for n in ast.parse(source).body if isinstance(n, ast.ClassDef) and n.name == "Prep")
scope = {"np": np}
exec(compile(ast.Module([prep], []), "run.py", "exec"), scope)

seed = 39
r = np.random.default_rng(seed)


def rows(n):
    skewed = np.exp(2 * r.normal(size=n))
    skewed[0] = 0  # the prototype takes no logarithm of distances from another least value
    counts = r.geometric(0.5, size=n) - 1.0
    counts[0] = 0
    return np.stack([
        r.normal(size=n),
        skewed,
        (r.random(n) < 0.3).astype(float),
        np.full(n, 2.5),
        counts,
        r.integers(0, 3, size=n).astype(float),
        1000 + 50 * r.normal(size=n),
        r.random(n) ** 8,
    ], 1).astype(np.float32)


train = rows(150)
train[0, 7] = 0
other = rows(25)
other[1] *= 100
other[2] *= -1
p = scope["Prep"](train.astype(float), "std log ple")
assert p.log.sum() == 2, p.log
json.dump({
    "made_by": f"make_inputs.py, numpy {np.__version__}, seed {seed}",
    "columns": train.shape[1],
    "train": train.ravel().tolist(),
    "rows": other.ravel().tolist(),
    "width": int(p(other).shape[1]),
    "inputs": [round(float(v), 7) for v in p(other.astype(float)).ravel()],
}, sys.stdout)
print()
