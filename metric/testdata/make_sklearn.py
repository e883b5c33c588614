"""Writes sklearn.json, the values that the tests of package metric compare with:
python make_sklearn.py > sklearn.json, with scikit-learn and NumPy. Scores and targets
are multiples of 1/64, exact in float32; null is NaN, a missing target. Metrics are
those of scikit-learn on what has a target."""
import json, warnings

import numpy as np
import sklearn
from sklearn import metrics

warnings.filterwarnings("error")
rng = np.random.default_rng(1)


def column(values):
    return [None if np.isnan(v) else float(v) for v in values]


def ranking(name, n, levels, positives, missing):
    score = rng.integers(-levels, levels + 1, n) / 64
    target = (rng.random(n) < positives).astype(float)
    target[:2] = 0, 1
    score += np.round(16 * target * rng.random(n)) / 64  # better than chance
    gone = rng.random(n) < missing
    gone[:2] = False
    target[gone] = np.nan
    t, s = target[~gone], score[~gone]
    return {"name": name, "score": column(score), "target": column(target),
            "roc_auc": metrics.roc_auc_score(t, s), "average_precision": metrics.average_precision_score(t, s)}


def classes(name, n, k, weights, flip, only=None):
    label = rng.choice(k, n, p=weights)
    predicted = np.where(rng.random(n) < flip, rng.integers(0, k, n), label)
    if only is not None:
        predicted[:] = only
    occur = sorted(set(label) | set(predicted))
    warnings.filterwarnings("ignore")  # of classes that occur in predictions only
    out = {"name": name, "classes": k, "label": label.tolist(), "predicted": predicted.tolist(),
           "accuracy": metrics.accuracy_score(label, predicted),
           "balanced_accuracy": metrics.balanced_accuracy_score(label, predicted),
           "macro_f1": metrics.f1_score(label, predicted, average="macro", zero_division=0)}
    for key, score in (("precision", metrics.precision_score), ("recall", metrics.recall_score), ("f1", metrics.f1_score)):
        each = score(label, predicted, labels=range(k), average=None, zero_division=0)
        out[key] = [float(v) if c in occur else None for c, v in enumerate(each)]
    warnings.filterwarnings("error")
    return out


def regression(name, n, noise, offset, missing):
    target = rng.integers(-640, 641, n) / 64 + offset
    prediction = target + np.round(rng.normal(0, 64 * noise, n)) / 64
    gone = rng.random(n) < missing
    t, p = target[~gone], prediction[~gone]
    target = np.where(gone, np.nan, target)
    return {"name": name, "prediction": column(prediction), "target": column(target),
            "mae": metrics.mean_absolute_error(t, p), "rmse": metrics.root_mean_squared_error(t, p), "r2": metrics.r2_score(t, p)}


def multitask(name, n, k):
    score = rng.integers(-64, 65, (n, k)) / 64
    target = (rng.random((n, k)) < 0.4).astype(float)
    target[rng.random((n, k)) < 0.3] = np.nan
    target[:, 1] = 1  # one class
    target[:, 2] = np.nan  # no label
    auc, ap = [], []
    for j in range(k):
        seen = ~np.isnan(target[:, j])
        t, s = target[seen, j], score[seen, j]
        if 0 < t.sum() < len(t):
            auc.append(metrics.roc_auc_score(t, s))
            ap.append(metrics.average_precision_score(t, s))
    return {"name": name, "tasks": k, "score": column(score.flatten()), "target": column(target.flatten()),
            "counted": len(auc), "roc_auc": float(np.mean(auc)), "average_precision": float(np.mean(ap))}


tables = {
    "ranking": [
        ranking("two samples", 2, 640, 0.5, 0),
        ranking("few ties", 60, 640, 0.5, 0),
        ranking("many ties", 80, 2, 0.5, 0),
        ranking("one score for most", 30, 0, 0.3, 0),
        ranking("rare positives", 200, 64, 0.03, 0),
        ranking("missing targets", 100, 32, 0.4, 0.4),
    ],
    "classes": [
        classes("two", 60, 2, [0.6, 0.4], 0.4),
        classes("rare", 150, 2, [0.95, 0.05], 0.2),
        classes("seven", 120, 7, [0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05], 0.5),
        classes("a class without labels", 40, 4, [0.5, 0.3, 0.2, 0.0], 0.5),
        classes("a class that never occurs", 30, 3, [0.5, 0.0, 0.5], 0.0),
        classes("always the same", 30, 3, [0.3, 0.3, 0.4], 0.0, only=1),
    ],
    "regression": [
        regression("good", 60, 1, 0, 0),
        regression("worse than the mean", 60, 20, 0, 0),
        regression("far from zero", 60, 1, 4096, 0),
        regression("missing targets", 80, 3, 0, 0.5),
        regression("two samples", 2, 1, 0, 0),
    ],
    "multitask": [multitask("five tasks", 60, 5)],
}
# A line per case, so that a change shows in a diff.
print('{"source": ' + json.dumps("scikit-learn %s, NumPy %s, metric/testdata/make_sklearn.py, seed 1" % (sklearn.__version__, np.__version__)), end="")
for table, cases in tables.items():
    print(',\n"%s": [\n%s]' % (table, ",\n".join(json.dumps(c) for c in cases)), end="")
print("}")
