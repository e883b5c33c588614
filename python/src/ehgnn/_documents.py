"""Graphs as node-link JSON documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ehgnn._smiles import molecule

__all__ = ["documents", "write"]

Array = NDArray[Any]
Document = dict[str, Any]


def documents(graphs: Any) -> list[Document]:
    """Return the documents of graphs from NetworkX or PyTorch Geometric, of SMILES, or of given documents."""
    if isinstance(graphs, (str, bytes)) or _kind(graphs) != "" or not isinstance(graphs, Iterable):
        raise ValueError(f"graphs is one {type(graphs).__name__}, expected a list of graphs")
    out = []
    for i, graph in enumerate(graphs):
        kind = _kind(graph)
        if kind == "networkx":
            out.append(_from_networkx(graph, i))
        elif kind == "geometric":
            out.append(_from_geometric(graph, i))
        elif kind == "document":
            out.append({**graph, "graph": dict(graph.get("graph", {}))})
        elif isinstance(graph, str):
            out.append(molecule(graph, i))
        else:
            raise ValueError(f"graph {i} is a {type(graph).__name__}, expected a graph of NetworkX, a Data of PyTorch Geometric, a node-link document or a SMILES")
    if not out:
        raise ValueError("graphs has 0 samples, expected one or more")
    return out


def _kind(graph: Any) -> str:
    if hasattr(graph, "nodes") and hasattr(graph, "edges") and hasattr(graph, "is_directed"):
        return "networkx"
    if hasattr(graph, "edge_index"):
        return "geometric"
    return "document" if isinstance(graph, Mapping) and "nodes" in graph else ""


def write(path: str, graphs: list[Document], labels: list[Any] | None = None, name: str = "label") -> None:
    """Write one document per line. Given labels replace those of the documents."""
    with open(path, "w", encoding="utf-8") as out:
        for i, graph in enumerate(graphs):
            about = {**graph["graph"], "id": str(i)}
            about.pop("name", None)
            if labels is not None:
                about[name] = labels[i]
            out.write(json.dumps({**graph, "graph": about}, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    raise ValueError(f"an attribute has a value of type {type(value).__name__}, expected a number, a text, a boolean or a list of numbers")


def _from_networkx(graph: Any, number: int) -> Document:
    nodes, edges = [], []
    for node, attributes in graph.nodes(data=True):
        _check(attributes, ("id",), f"graph {number}, node {node!r}")
        nodes.append({**_named(attributes), "id": _id(node)})
    for source, target, attributes in graph.edges(data=True):
        _check(attributes, ("source", "target"), f"graph {number}, edge {source!r} to {target!r}")
        edges.append({**_named(attributes), "source": _id(source), "target": _id(target)})
    about = {str(k): v for k, v in graph.graph.items() if isinstance(v, (str, int, float, bool, np.generic, list))}
    return {"directed": graph.is_directed(), "multigraph": graph.is_multigraph(), "graph": about, "nodes": nodes, "edges": edges}


def _named(attributes: Mapping[Any, Any]) -> Document:
    return {str(k): v for k, v in attributes.items()}


def _check(attributes: Mapping[Any, Any], taken: tuple[str, ...], where: str) -> None:
    for name in taken:
        if name in attributes:
            raise ValueError(f"{where}: an attribute is called {name!r}, which node-link documents use themselves; rename it")


def _id(node: Any) -> Any:
    return node if isinstance(node, (str, int, float)) and not isinstance(node, bool) else str(node)


def _from_geometric(graph: Any, number: int) -> Document:
    """Read x, edge_index, edge_attr and y. Two opposite arcs with equal features are one edge."""
    ends = _array(graph.edge_index).reshape(2, -1)
    x, e = _rows(getattr(graph, "x", None)), _rows(getattr(graph, "edge_attr", None))
    count = len(x) if x is not None else int(getattr(graph, "num_nodes", None) or (ends.max() + 1 if ends.size else 0))
    if e is not None and len(e) != ends.shape[1]:
        raise ValueError(f"graph {number}: edge_attr has {len(e)} rows and edge_index {ends.shape[1]} edges")
    values = e if e is not None else np.zeros((ends.shape[1], 0))
    arcs = sorted((int(u), int(v), row.tobytes()) for u, v, row in zip(ends[0], ends[1], values))
    both = bool(arcs) and arcs == sorted((v, u, row) for u, v, row in arcs)
    keep = [i for i in range(ends.shape[1]) if not both or ends[0, i] <= ends[1, i]]
    about: Document = {}
    if getattr(graph, "y", None) is not None:
        y = _array(graph.y).ravel()
        about["label"] = y[0].item() if len(y) == 1 else y.tolist()
    nodes = [{"id": i, **({"x": x[i].tolist()} if x is not None else {})} for i in range(count)]
    edges = [{"source": int(ends[0, i]), "target": int(ends[1, i]), **({"e": e[i].tolist()} if e is not None else {})} for i in keep]
    return {"directed": not both, "multigraph": False, "graph": about, "nodes": nodes, "edges": edges}


def _rows(values: Any) -> Array | None:
    if values is None:
        return None
    array = _array(values)
    return array.reshape(len(array), -1) if len(array) else array.reshape(0, 0)


def _array(values: Any) -> Array:
    return np.asarray(values.detach().cpu().numpy() if hasattr(values, "detach") else values)
