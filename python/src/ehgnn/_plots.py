"""Plots with matplotlib."""

from __future__ import annotations

from typing import Any

__all__ = ["curves", "explanation"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    return plt.subplots(layout="constrained")[1]


def curves(epochs: list[dict[str, Any]], ax: Any) -> Any:
    """Plot the losses of each epoch and mark the epoch whose weights were kept."""
    ax = _axes(ax)
    x = [e["epoch"] for e in epochs]
    ax.plot(x, [e["train_loss"] for e in epochs], label="training")
    valid = [e["valid"].get("loss") for e in epochs]
    ax.plot(x, valid, label="validation")
    best = [e["epoch"] for e in epochs if e.get("improved")]
    if best:
        ax.axvline(best[-1], color="0.6", linewidth=1, linestyle=":", label="kept")
    ax.set_xlabel("epoch")
    ax.set_ylabel("loss")
    ax.legend(frameon=False)
    return ax


def explanation(found: dict[str, Any], ax: Any, top: int) -> Any:
    """Plot the largest contributions of columns, or scores of edges, to a prediction."""
    ax = _axes(ax)
    if "columns" in found:
        parts = found["columns"][:top][::-1]
        ax.barh(range(len(parts)), [p["contribution"] for p in parts])
        ax.set_yticks(range(len(parts)), [p["column"] for p in parts])
        ax.set_xlabel(f"contribution to {found['target']}, from {found['base']:.3g} to {found['value']:.3g}")
        return ax
    scores = found["explanation"]["scores"]
    nodes, ends = found["nodes"], found["edges"]
    order = sorted(range(len(scores)), key=lambda i: -abs(scores[i] or 0))[:top][::-1]
    names = [f"{nodes[ends[i][0]]} to {nodes[ends[i][1]]}" for i in order]
    ax.barh(range(len(order)), [scores[i] or 0 for i in order])
    ax.set_yticks(range(len(order)), names)
    ax.set_xlabel(f"score by {found['explanation']['method']}")
    return ax
