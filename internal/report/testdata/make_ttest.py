"""Writes ttest.json, the tests that package report compares with:
python make_ttest.py > ttest.json, with SciPy and NumPy. Means and deviations have
two decimals, as in printed tables; the deviation's divisor is n-1."""
import json
import numpy as np
import scipy
from scipy.stats import ttest_ind, ttest_ind_from_stats

rng = np.random.default_rng(1)


def printed(a, b):
    t, p = ttest_ind_from_stats(*a, *b, equal_var=True, alternative="two-sided")
    return {"a": a, "b": b, "df": a[2] + b[2] - 2, "t": float(t), "p": float(p)}


def sample(runs):
    return [round(rng.uniform(60, 64), 2), round(rng.uniform(0.1, 3), 2), runs]


def values(n, m):
    a, b = np.round(rng.normal(70, 1, n), 2).tolist(), np.round(rng.normal(70.5, 2, m), 2).tolist()
    t, p = ttest_ind(a, b, equal_var=True)
    return {"a": a, "b": b, "t": float(t), "p": float(p)}


print('{"source": "SciPy %s, NumPy %s, report/testdata/make_ttest.py, seed 1", "printed": [' % (scipy.__version__, np.__version__))
cases = [printed(sample(n), sample(m)) for n, m in ((10, 10), (10, 10), (10, 10), (10, 3), (3, 10), (2, 2), (5, 10), (1000, 20))]
cases += [printed([90.0, 0.5, 10], [60.0, 0.5, 10]),  # p far below 1e-16
          printed([60.0, 0.5, 10], [60.01, 0.5, 10]),  # p near 1
          printed([60.0, 0.0, 10], [61.0, 0.7, 10])]
print(",\n".join(json.dumps(c) for c in cases) + '\n], "values": [')
print(",\n".join(json.dumps(values(n, m)) for n, m in ((10, 10), (3, 3), (10, 4))) + "\n]}")
