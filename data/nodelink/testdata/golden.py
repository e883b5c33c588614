"""Writes the golden files of this folder with NetworkX: node-link JSON, and the same
graphs as tables of nodes and edges.

    pip install networkx==3.6.1 && python golden.py .
    pip install networkx==3.1 && python golden.py . old    # multi_old.json only

multi_old.json has "links", which NetworkX wrote before 3.6. The version is in the
attribute "networkx" of each graph.
"""

import csv
import json
import sys
from pathlib import Path

import networkx as nx

out = Path(sys.argv[1])


def karate():
    return nx.karate_club_graph()


def grid():
    """Tuples as ids."""
    g = nx.grid_2d_graph(2, 3)
    for i, (u, v) in enumerate(g.edges):
        g.edges[u, v].update(length=i / 4, label="across" if u[0] == v[0] else "down")
    return g


def multi():
    """A directed multigraph: parallel edges, a loop, missing values, ids of two types."""
    g = nx.MultiDiGraph()
    g.add_node(1, kind="shop", age=float("nan"))
    g.add_node("1", kind="person", age=30)
    g.add_node("b", age=4.5, active=True, at=[0.5, None], where={"city": "x"})
    g.add_edge(1, "1", amount=10, label="ok")
    g.add_edge(1, "1", amount=20, label="fraud")
    g.add_edge("b", "b", label="ok")
    g.add_edge("1", "b", key="k", amount=1.5)
    return g


def molecules():
    for label, text in [("toxic", "CO"), ("safe", "CCO"), (None, "C")]:
        g = nx.path_graph(len(text), create_using=nx.Graph)
        for v, element in enumerate(text):
            g.nodes[v]["element"] = element
        nx.set_edge_attributes(g, 1, "order")
        g.graph.update(label=label, mass=[12.011 * len(text), len(text) / 2])
        yield g


def dump(g):
    g.graph["networkx"] = nx.__version__
    return json.dumps(nx.node_link_data(g))


def write(name, text):
    (out / name).write_text(text + "\n")


def tables(name, g, nodes, edges):
    with open(out / (name + "_nodes.csv"), "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["id"] + nodes)
        w.writerows([[v] + [d.get(a, "") for a in nodes] for v, d in g.nodes(data=True)])
    with open(out / (name + "_edges.csv"), "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["source", "target"] + edges)
        w.writerows([[u, v] + [d.get(a, "") for a in edges] for u, v, d in g.edges(data=True)])


if sys.argv[2:] == ["old"]:
    write("multi_old.json", dump(multi()))
else:
    write("karate.json", dump(karate()))
    tables("karate", karate(), ["club"], ["weight"])
    write("grid.json", dump(grid()))
    tables("grid", grid(), [], ["length", "label"])
    write("multi.json", dump(multi()))
    write("molecules.jsonl", "\n".join(dump(g) for g in molecules()))
    write("molecules.json", "[" + ",\n".join(dump(g) for g in molecules()) + "]")
