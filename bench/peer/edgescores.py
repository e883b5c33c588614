"""Scores of predictions, from plain arrays."""

import numpy as np


def ranks(values):
    """Ranks from 1, the mean rank for equal values."""
    order = np.argsort(values, kind="stable")
    out = np.empty(len(values))
    out[order] = np.arange(1, len(values) + 1)
    _, group = np.unique(values, return_inverse=True)
    return (np.bincount(group, out) / np.bincount(group))[group]


def roc_auc(score, positive):
    n = positive.sum()
    return (ranks(score)[positive].sum() - n * (n + 1) / 2) / (n * (len(score) - n))


def macro_f1(predicted, label, classes):
    out = []
    for c in range(classes):
        right = np.sum((predicted == c) & (label == c))
        total = np.sum(predicted == c) + np.sum(label == c)
        out.append(2 * right / total if total else 0)
    return float(np.mean(out))


def best_threshold(score, positive):
    """The threshold with the best macro F1 of two classes."""
    order = np.argsort(-score)
    found = np.cumsum(positive[order])
    predicted, total = np.arange(1, len(score) + 1), positive.sum()
    others = len(score) - predicted  # predicted to be of the other class
    right = others - (total - found)
    f1 = 2 * found / (predicted + total) + 2 * right / np.maximum(others + len(score) - total, 1)
    cut = np.flatnonzero(np.append(np.diff(score[order]) < 0, True))  # where equal scores end
    return score[order][cut[np.argmax(f1[cut])]]


def average_precision(score, positive):
    order = np.argsort(-score, kind="stable")
    hits = positive[order]
    cut = np.flatnonzero(np.append(np.diff(score[order]) < 0, True))  # where equal scores end
    found = np.cumsum(hits)[cut]
    return float(np.sum(np.diff(np.append(0, found)) * found / (cut + 1)) / positive.sum())


def of_numbers(predicted, label):
    error = predicted - label
    return {"mae": float(np.abs(error).mean()), "rmse": float(np.sqrt(np.square(error).mean())),
            "r2": float(1 - np.square(error).sum() / np.square(label - label.mean()).sum())}


def of_two(score, label, rare, threshold):
    """score is that of the rarer class."""
    predicted = np.where(score >= threshold, rare, 1 - rare)
    return {"roc_auc": float(roc_auc(score, label == rare)), "average_precision": average_precision(score, label == rare),
            "macro_f1": macro_f1(predicted, label, 2), "accuracy": float(np.mean(predicted == label))}


def of_classes(probability, label, others):
    """others has the other true classes of the two nodes of each edge, which are taken out of the ranking."""
    k = probability.shape[1]
    predicted = probability.argmax(1)
    reciprocal, hits = [], []
    for z, own, known in zip(probability, label, others):
        left = [c for c in range(k) if c != own and c not in known]
        rank = 1 + np.sum(z[left] > z[own]) + np.sum(z[left] == z[own]) / 2
        reciprocal.append(1 / rank)
        hits.append(rank <= 1)
    return {"accuracy": float(np.mean(predicted == label)), "macro_f1": macro_f1(predicted, label, k),
            "hit@1": float(np.mean(hits)), "mrr": float(np.mean(reciprocal))}
