"""ROC-AUC of scikit-learn's random forest on the molecules, bits and split of ours, and the share of
the active molecules of the test part that reach the thresholds of MARS.

    python bench/peer/forest.py gsk3.csv.gz gsk3

The list has the columns smiles and the given one, of 0 and 1. Bits are those of Morgan
fingerprints of radius 2 and 1,024 bits. Of each class the fifth whose SMILES have the smallest
SHA-256 is the test part, as in generate/score/oracle.go. Needs scikit-learn and rdkit.
"""

import csv
import gzip
import hashlib
import sys
import time

import numpy
import sklearn
from rdkit import Chem, RDLogger, rdBase
from rdkit.Chem import rdFingerprintGenerator
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, roc_auc_score

RDLogger.DisableLog("rdApp.*")
morgan = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=1024)

with gzip.open(sys.argv[1], "rt") as f:
    rows = [(r["smiles"], int(r[sys.argv[2]])) for r in csv.DictReader(f)]
molecules = [(s, a, Chem.MolFromSmiles(s)) for s, a in rows]
molecules = [(s, a, m) for s, a, m in molecules if m is not None]
x = numpy.array([morgan.GetFingerprintAsNumPy(m) for _, _, m in molecules])
y = numpy.array([a for _, a, _ in molecules])
order = [hashlib.sha256(s.encode()).digest() for s, _, _ in molecules]
test = []
for c in (0, 1):
    of = sorted(numpy.flatnonzero(y == c), key=lambda i: (order[i], i))
    test += of[: len(of) // 5]
train = numpy.setdiff1d(numpy.arange(len(y)), test)
print(f"scikit-learn {sklearn.__version__}, RDKit {rdBase.rdkitVersion}: {len(y)} molecules, {y.sum()} active, {len(test)} to test")
for seed in (42, 43, 44):
    begin = time.time()
    f = RandomForestClassifier(100, n_jobs=2, random_state=seed).fit(x[train], y[train])
    score = f.predict_proba(x[test])[:, 1]
    active = score[y[test] == 1]
    nodes = sum(t.tree_.node_count for t in f.estimators_)
    print(f"seed {seed}: ROC-AUC {roc_auc_score(y[test], score):.4f}, average precision {average_precision_score(y[test], score):.4f}, of {len(active)} active {(active >= 0.5).mean():.1%} score 0.5 and {(active >= 0.6).mean():.1%} 0.6, {nodes} nodes, {time.time() - begin:.1f} s")
