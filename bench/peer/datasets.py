"""Readers for the benchmark's data: zips in, in-memory PyTorch Geometric data sets out.

Layout below the data folder: tu/NAME.zip and zinc12k/ZINC_train.zip (TU text files),
dgcnn/COLLAB.zip (DGCNN text file); the classification zips also hold 10fold_idx/.
Features that the authors compute per access (one-hot degrees, one-hot ZINC labels) are
transforms here too, so their cost falls into the epoch.
"""

import zipfile
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.data import Data, InMemoryDataset
from torch_geometric.transforms import OneHotDegree
from torch_geometric.utils import degree

ZINC_ATOMS = 28
ZINC_BONDS = 5


class Graphs(InMemoryDataset):
    """A list of graphs held as one collated block, as the library's own data sets are."""

    def __init__(self, graphs, transform=None):
        super().__init__(None, transform)
        self.data, self.slices = self.collate(graphs)


def read_numbers(archive, member, dtype=np.int64, columns=None):
    """One text member of numbers separated by commas or blanks, as an array."""
    text = archive.read(member).replace(b",", b" ").decode()
    values = np.fromstring(text, dtype=dtype, sep=" ")
    return values if columns is None else values.reshape(-1, columns)


def one_hot(labels):
    """int64 [n] labels as float rows, counted from the smallest label."""
    return F.one_hot(torch.from_numpy(labels - labels.min())).float()


def unique_edges(row, col, *attrs):
    """Edges without self-loops and duplicates, sorted by (row, col); attrs are reordered along."""
    proper = row != col
    row, col = row[proper], col[proper]
    _, first = np.unique(row * (col.max() + 1) + col, return_index=True)
    return row[first], col[first], *(a[proper][first] for a in attrs)


def read_tu(path, name):
    """The text files of a TU zip as arrays over the whole set.

    Returns graph labels by rank, offsets of each graph's nodes and edges, the edges' ends
    (self-loops and duplicates removed, sorted, numbered over the set), and node labels, edge
    labels and node attributes, each None where the zip has no such file.
    """
    with zipfile.ZipFile(path) as archive:
        members = set(archive.namelist())

        def read(part, **kw):
            member = f"{name}/{name}_{part}.txt"
            return read_numbers(archive, member, **kw) if member in members else None

        graph_of = read("graph_indicator") - 1
        labels = np.unique(read("graph_labels"), return_inverse=True)[1]
        node_labels = read("node_labels")
        edge_labels = read("edge_labels")
        attributes = read("node_attributes", dtype=np.float32)
        ends = read("A", columns=2) - 1

    if attributes is not None:
        attributes = attributes.reshape(len(graph_of), -1)
    index = np.arange(len(ends))
    row, col, index = unique_edges(ends[:, 0], ends[:, 1], index)
    if edge_labels is not None:
        edge_labels = edge_labels[index]

    counts = np.bincount(graph_of, minlength=len(labels))
    node_ptr = np.concatenate([[0], np.cumsum(counts)])
    edge_ptr = np.searchsorted(row, node_ptr)
    return labels, node_ptr, edge_ptr, row, col, node_labels, edge_labels, attributes


def tu_graphs(path, name):
    """Classification graphs of a TU zip with the features of the authors' loader."""
    labels, node_ptr, edge_ptr, row, col, node_labels, edge_labels, attributes = read_tu(path, name)
    parts = []
    if attributes is not None:
        parts.append(torch.from_numpy(attributes))
    if node_labels is not None:
        parts.append(one_hot(node_labels))
    x = torch.cat(parts, dim=1) if parts else None
    edge_attr = None if edge_labels is None else one_hot(edge_labels)

    graphs = []
    for g, label in enumerate(labels):
        n0, n1, e0, e1 = node_ptr[g], node_ptr[g + 1], edge_ptr[g], edge_ptr[g + 1]
        graph = Data(
            edge_index=torch.from_numpy(np.stack([row[e0:e1], col[e0:e1]]) - n0),
            y=torch.tensor([label]),
        )
        if x is None:
            graph.num_nodes = int(n1 - n0)
        else:
            graph.x = x[n0:n1]
        if edge_attr is not None:
            graph.edge_attr = edge_attr[e0:e1]
        graphs.append(graph)
    return graphs


def dgcnn_graphs(path, name):
    """Graphs of a DGCNN text file: per graph `nodes label`, per node `tag degree neighbours`."""
    with zipfile.ZipFile(path) as archive:
        values = read_numbers(archive, f"{name}/{name}.txt", dtype=np.int32)
    graphs = []
    at = 1
    for _ in range(values[0]):
        n, label = int(values[at]), int(values[at + 1])
        at += 2
        degrees, columns = [], []
        for _ in range(n):
            d = int(values[at + 1])
            degrees.append(d)
            columns.append(values[at + 2 : at + 2 + d])
            at += 2 + d
        row = np.repeat(np.arange(n), degrees)
        row, col = unique_edges(row, np.concatenate(columns).astype(np.int64))
        graphs.append(
            Data(
                edge_index=torch.from_numpy(np.stack([row, col])),
                y=torch.tensor([label]),
                num_nodes=n,
            )
        )
    if at != len(values):
        raise ValueError(f"{path}: {len(values) - at} numbers left after the last graph")
    return graphs


def fold_train_split(path, name, fold=1):
    """Training indices of a fold: its list less the test list of the fold before it."""
    before = 10 if fold == 1 else fold - 1
    with zipfile.ZipFile(path) as archive:
        train = read_numbers(archive, f"{name}/10fold_idx/train_idx-{fold}.txt")
        valid = read_numbers(archive, f"{name}/10fold_idx/test_idx-{before}.txt")
    return np.setdiff1d(train, valid)


def classification_train_set(data_dir, name):
    """Fold 1's training graphs and (node width, edge width, classes) of the whole set."""
    if name == "COLLAB":
        path = Path(data_dir, "dgcnn", f"{name}.zip")
        graphs = dgcnn_graphs(path, name)
    else:
        path = Path(data_dir, "tu", f"{name}.zip")
        graphs = tu_graphs(path, name)

    transform = None
    if "x" not in graphs[0]:
        top = max(int(degree(g.edge_index[0], dtype=torch.long).max()) for g in graphs)
        transform = OneHotDegree(top)
    classes = 1 + max(int(g.y) for g in graphs)
    dataset = Graphs(graphs, transform)
    train = dataset[torch.from_numpy(fold_train_split(path, name))]
    return train, (train.num_node_features, max(train.num_edge_features, 1), classes)


def zinc_one_hot(graph):
    """Integer atom and bond types to one-hot rows, on every access."""
    graph.x = F.one_hot(graph.x, num_classes=ZINC_ATOMS).squeeze(1).to(torch.float)
    graph.edge_attr = F.one_hot(graph.edge_attr, num_classes=ZINC_BONDS).to(torch.float)
    return graph


def zinc_train_set(data_dir):
    """The 10,000 training molecules and ceil of their mean number of directed edges."""
    path = Path(data_dir, "zinc12k", "ZINC_train.zip")
    labels, node_ptr, edge_ptr, row, col, atoms, bonds, _ = read_tu(path, "ZINC_train")
    atoms, bonds = torch.from_numpy(atoms).view(-1, 1), torch.from_numpy(bonds)
    graphs = []
    for g in range(len(labels)):
        n0, n1, e0, e1 = node_ptr[g], node_ptr[g + 1], edge_ptr[g], edge_ptr[g + 1]
        graphs.append(
            Data(
                x=atoms[n0:n1],
                edge_index=torch.from_numpy(np.stack([row[e0:e1], col[e0:e1]]) - n0),
                edge_attr=bonds[e0:e1],
                y=torch.zeros(1),
            )
        )
    return Graphs(graphs, zinc_one_hot), int(np.ceil(len(row) / len(graphs)))
