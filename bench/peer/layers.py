"""Forward and backward passes of PyTorch Geometric's layers on one batch.

The batch has the sizes of cmd/ehgnn/bench/layers.go: 128 graphs of 39 nodes and
73 undirected edges, so 146 directed ones, width 128, four kinds of edges.
"""

import argparse
import json
import time

import torch
from torch_geometric.nn import (GATConv, GCNConv, GINConv, HypergraphConv, NNConv, RGCNConv, SAGEConv, SAGPooling,
                                TopKPooling, dense_diff_pool)
from torch_geometric.utils import to_dense_adj, to_dense_batch

GRAPHS, NODES, EDGES, WIDTH, KINDS = 128, 39, 73, 128, 4


def batch():
    generator = torch.Generator().manual_seed(1)
    pairs, kinds = [], []
    for g in range(GRAPHS):
        u = torch.randint(NODES, (EDGES,), generator=generator)
        v = (u + 1 + torch.randint(NODES - 1, (EDGES,), generator=generator)) % NODES
        pairs.append(torch.stack([u, v]) + g * NODES)
        kinds.append(torch.randint(KINDS, (EDGES,), generator=generator))
    one = torch.cat(pairs, 1)
    kind = torch.cat(kinds)
    x = torch.randn(GRAPHS * NODES, WIDTH, generator=generator)
    of = torch.arange(GRAPHS).repeat_interleave(NODES)
    return x, one, torch.cat([one, one.flip(0)], 1), torch.cat([kind, kind]), of


def least(f, budget):
    best, start, runs = float("inf"), time.perf_counter(), 0
    while runs < 5 or time.perf_counter() - start < budget:
        t = time.perf_counter()
        f()
        best = min(best, time.perf_counter() - t)
        runs += 1
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=float, default=1.0, help="seconds per layer")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    x, one, edges, kind, of = batch()
    one_hot = torch.nn.functional.one_hot(kind, KINDS).float()
    mlp = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU(),
                              torch.nn.BatchNorm1d(WIDTH))
    # The authors' form: both arcs of an edge are nodes of the dual, and each has a
    # hyperedge of its own.
    arcs = edges.size(1)
    number = torch.arange(arcs)
    incidence = torch.stack([number.repeat_interleave(2), edges.t().reshape(-1)])
    loops = torch.stack([number, number + GRAPHS * NODES])
    incidence = torch.cat([incidence, loops], 1)
    x_edges = torch.randn(arcs, WIDTH)
    clusters = (NODES + 3) // 4
    embed, assign = GCNConv(WIDTH, WIDTH), GCNConv(WIDTH, clusters)

    def diff(x):
        s, mask = to_dense_batch(assign(x, edges), of)
        z, _ = to_dense_batch(embed(x, edges).relu(), of)
        out, adj, link, entropy = dense_diff_pool(z, to_dense_adj(edges, of), s, mask)
        return out.sum() + adj.sum() + link + entropy

    layers = {
        "GCNConv": (GCNConv(WIDTH, WIDTH), lambda m, x: m(x, edges)),
        "SAGEConv": (SAGEConv(WIDTH, WIDTH), lambda m, x: m(x, edges)),
        "GATConv, 4 heads": (GATConv(WIDTH, WIDTH // 4, heads=4), lambda m, x: m(x, edges)),
        "GINConv": (GINConv(mlp), lambda m, x: m(x, edges)),
        "NNConv": (NNConv(WIDTH, WIDTH, torch.nn.Linear(KINDS, WIDTH * WIDTH), aggr="mean"), lambda m, x: m(x, edges, one_hot)),
        "RGCNConv": (RGCNConv(WIDTH, WIDTH, KINDS), lambda m, x: m(x, edges, kind)),
        "HypergraphConv on the dual": (HypergraphConv(WIDTH, WIDTH), lambda m, x: m(x, incidence)),
        "TopKPooling": (TopKPooling(WIDTH, 0.5), lambda m, x: m(x, edges, batch=of)[0]),
        "SAGPooling": (SAGPooling(WIDTH, 0.5, GNN=GCNConv), lambda m, x: m(x, edges, batch=of)[0]),
        "dense_diff_pool with two GCNs": (torch.nn.ModuleList([embed, assign]), lambda m, x: diff(x)),
    }
    out = []
    for name, (module, forward) in layers.items():
        data = (x_edges if "dual" in name else x).requires_grad_(True)

        def step():
            module.zero_grad(set_to_none=True)
            data.grad = None
            forward(module, data).sum().backward()

        out.append({"name": name, "seconds": least(step, args.budget)})
    if args.json:
        print(json.dumps(out))
        return
    for r in out:
        print(f"{r['name']:32s} {1e3 * r['seconds']:9.3f} ms")


if __name__ == "__main__":
    main()
