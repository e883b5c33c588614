"""Estimators of graphs."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest

from ehgnn import GraphClassifier, GraphRegressor, NotFittedError


def rings(count: int = 60, seed: int = 0) -> tuple[list[Any], np.ndarray]:
    """Return rings whose class depends on the weights of their edges."""
    rng = np.random.default_rng(seed)
    graphs, y = [], np.arange(count) % 2
    for label in y:
        graph = nx.cycle_graph(int(rng.integers(4, 8)))
        nx.set_node_attributes(graph, {n: str(rng.choice(list("CNO"))) for n in graph}, "kind")
        nx.set_edge_attributes(graph, {e: float(rng.random() + 2 * label) for e in graph.edges}, "w")
        graphs.append(graph)
    return graphs, y


def geometric(graph: Any) -> SimpleNamespace:
    """A graph with the attributes of one of PyTorch Geometric."""
    ends = np.array(list(graph.edges)).T
    weights = np.array([w for *_, w in graph.edges(data="w")], np.float32)[:, None]
    return SimpleNamespace(x=np.ones((len(graph), 2), np.float32), edge_index=np.hstack([ends, ends[::-1]]), edge_attr=np.vstack([weights, weights]))


@pytest.mark.parametrize("form", ["networkx", "geometric", "documents"])
def test_classes(form: str) -> None:
    graphs, y = rings()
    if form == "geometric":
        graphs = [geometric(g) for g in graphs]
    if form == "documents":
        graphs = [{"directed": False, "nodes": [{"id": n, **a} for n, a in g.nodes(data=True)],
                   "edges": [{"source": u, "target": v, **a} for u, v, a in g.edges(data=True)]} for g in graphs]
    names = np.array(["low", "high"])[y]
    model = GraphClassifier(model="ehgnn-joint", epochs=60).fit(graphs, names)
    assert model.classes_.tolist() == ["high", "low"]
    probability = model.predict_proba(graphs)
    assert probability.shape == (60, 2)
    np.testing.assert_allclose(probability.sum(1), 1, atol=1e-6)
    assert (model.classes_[probability.argmax(1)] == model.predict(graphs)).all()
    assert model.score(graphs, names) > 0.9
    # A prediction depends only on its graph. Predictions are in the order of the graphs.
    np.testing.assert_array_equal(model.predict_proba(graphs[::-1]), probability[::-1])
    assert model.transform(graphs[:3]).shape[0] == 3
    assert len(model.explain(graphs, [2, 5])) == 2
    assert model.rank(graphs, top=3, of="high").shape == (3,)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(graphs), probability)


def test_numbers() -> None:
    graphs, _ = rings()
    sizes = np.array([len(g) for g in graphs], float)
    for graph, size in zip(graphs, sizes):
        graph.graph["size"] = size
    model = GraphRegressor(label="size", model="ehgnn-joint", epochs=80).fit(graphs)
    assert model.score(graphs) > 0.5
    assert model.predict(graphs).dtype == np.float64


@pytest.mark.parametrize(("graphs", "y", "message"), [
    ([], None, "0 samples"),
    (["CCO", "hello"], [1, 0], "graph 1 is the text 'hello', which is no SMILES"),
    (nx.path_graph(3), [1], "expected a list"),
    ([1, 2], [0, 1], "graph 0 is a int"),
    ([nx.path_graph(3), nx.path_graph(3)], None, "no graph has the attribute 'label'"),
    ([nx.path_graph(3), nx.path_graph(3)], [1, 1], "1 class"),
    ([nx.path_graph(3), nx.path_graph(3)], [1], "inconsistent numbers"),
])
def test_refuses(graphs: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GraphClassifier().fit(graphs, y)


def test_not_fitted() -> None:
    with pytest.raises(NotFittedError):
        GraphClassifier().predict([nx.path_graph(2)])


def test_groups() -> None:
    graphs, y = rings(6)
    with pytest.raises(ValueError, match="groups do not apply"):
        GraphClassifier().fit(graphs, y, groups=[0] * 6)
