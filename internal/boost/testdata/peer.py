"""Writes peer.json: held-out losses of LightGBM on tables that the test makes again.

Needs lightgbm and numpy: python3 peer.py > peer.json
"""

import json
import sys

import lightgbm as lgb
import numpy as np

ROWS, COLUMNS, LEVELS = 3000, 8, 12
NAN = np.float32("nan")


def uniforms(seed):
    """Numbers in [0,1) with 24 bits, by SplitMix64."""
    state, mask = seed, (1 << 64) - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
        yield ((z ^ z >> 31) >> 40) / 2**24


def table(seed):
    """Rows of seven numbers, a tenth of them missing, and a category; and a signal with noise."""
    u = uniforms(seed)
    x = np.zeros((ROWS, COLUMNS), np.float32)
    signal = np.zeros(ROWS)
    for i in range(ROWS):
        v = [next(u) for _ in range(COLUMNS - 1)]
        level = int(next(u) * LEVELS)
        s = 4 * (v[0] - 0.5) * (v[1] - 0.5) + v[2] * v[2] - v[3] + level * 5 % LEVELS / LEVELS
        noise = next(u) + next(u) + next(u) - 1.5
        for c in range(COLUMNS - 1):
            x[i, c] = NAN if next(u) < 0.1 else v[c]
        x[i, COLUMNS - 1] = level
        signal[i] = s + 0.5 * noise
    return x, signal


def labels(signal, objective):
    if objective == "binary":
        return (signal > 0.5).astype(np.float32)
    if objective == "multiclass":
        return (signal > 0.2).astype(np.float32) + (signal > 0.8)
    return signal.astype(np.float32)


def loss(y, raw, objective):
    d = y - raw if raw.ndim == 1 else None
    if objective == "binary":
        return np.mean(np.logaddexp(0, raw * (1 - 2 * y)))
    if objective == "multiclass":
        raw = raw - raw.max(1, keepdims=True)
        return np.mean(np.log(np.exp(raw).sum(1)) - raw[np.arange(len(y)), y.astype(int)])
    if objective == "regression":
        return np.mean(d * d)
    if objective == "huber":
        a = np.abs(d)
        return np.mean(np.where(a > 0.2, 0.2 * (a - 0.1), d * d / 2))
    if objective == "quantile":
        return np.mean(np.maximum(0.8 * d, -0.2 * d))
    return np.mean(np.abs(d))


def main():
    x, signal = table(1)
    held, held_signal = table(2)
    out = {"lightgbm": lgb.__version__, "script": "peer.py", "losses": {}}
    for objective in ("binary", "multiclass", "regression", "regression_l1", "huber", "quantile"):
        params = dict(objective=objective, num_leaves=31, learning_rate=0.05, min_data_in_leaf=20, max_bin=255,
                      alpha=0.2 if objective == "huber" else 0.8, verbose=-1, num_threads=1, deterministic=True)
        if objective == "multiclass":
            params["num_class"] = 3
        data = lgb.Dataset(x, labels(signal, objective), categorical_feature=[COLUMNS - 1])
        model = lgb.train(params, data, num_boost_round=100)
        raw = model.predict(held, raw_score=True)
        out["losses"][objective] = round(float(loss(labels(held_signal, objective), raw, objective)), 6)
    json.dump(out, sys.stdout, indent=1)
    print()


main()
