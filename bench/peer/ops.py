"""Seconds per call of the operations that training consists of, in PyTorch.

Sizes: the products of a node layer, a large square product as the machine's ceiling, row
gather and segment sum of a large batch, and one layer each on a graph and on its dual, forward
and backward. Indices are uniform random with a fixed seed.
"""

import argparse
import json
import platform
import statistics
import time

import torch
import torch_geometric
from torch_geometric.nn import GCNConv
from torch_geometric.utils import scatter

from machine import ForeignCPU
from models import HypergraphConv, dual_hypergraph

ROWS, ENTRIES, WIDTH = 20_000, 80_000, 128
NODES, EDGES, HIDDEN = 1_000, 10_000, 32


def timed(call, budget):
    """Times calls until budget seconds are spent, at least five, after three warm-up calls."""
    for _ in range(3):
        call()
    times = []
    end = time.perf_counter() + budget
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


def both_directions(generator):
    """EDGES directed edges of a random graph: EDGES/2 pairs without self-loops, each both ways."""
    source = torch.randint(NODES, (EDGES // 2,), generator=generator)
    offset = torch.randint(1, NODES, (EDGES // 2,), generator=generator)
    target = (source + offset) % NODES
    return torch.stack([torch.cat([source, target]), torch.cat([target, source])])


def train_step(layer, x, index, upstream):
    """Forward and backward of one inner layer: gradients of its parameters and of x."""

    def call():
        layer.zero_grad()
        x.grad = None
        layer(x, index).backward(upstream)

    return call


def operations(seed):
    """Name to (call, floating-point operations or None, bytes moved or None)."""
    g = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=g)

    a, b = normal(5000, 128), normal(128, 128)
    big_a, big_b = normal(2048, 2048), normal(2048, 2048)
    table, messages = normal(ROWS, WIDTH), normal(ENTRIES, WIDTH)
    index = torch.randint(ROWS, (ENTRIES,), generator=g)
    gathered = torch.empty(ENTRIES, WIDTH)
    moved = 2 * 4 * ENTRIES * WIDTH

    edge_index = both_directions(g)
    batch = torch.zeros(NODES, dtype=torch.long)
    incidence, _ = dual_hypergraph(edge_index, batch)
    x, e = normal(NODES, HIDDEN).requires_grad_(), normal(EDGES, HIDDEN).requires_grad_()
    up_x, up_e = normal(NODES, HIDDEN), normal(EDGES, HIDDEN)
    gcn, hyper = GCNConv(HIDDEN, HIDDEN), HypergraphConv(HIDDEN, HIDDEN)

    return {
        "gemm_5000x128x128": (lambda: a @ b, 2 * 5000 * 128 * 128, None),
        "gemm_2048x2048x2048": (lambda: big_a @ big_b, 2 * 2048**3, None),
        "gather_80000x128_from_20000": (lambda: table.index_select(0, index), None, moved),
        # Without the fresh pages of a new 40 MB result, which dominate the call above.
        "gather_into_80000x128_from_20000": (
            lambda: torch.index_select(table, 0, index, out=gathered),
            None,
            moved,
        ),
        "index_add_80000x128_to_20000": (
            lambda: torch.zeros(ROWS, WIDTH).index_add_(0, index, messages),
            None,
            moved,
        ),
        # What message passing calls for the same sum.
        "scatter_80000x128_to_20000": (
            lambda: scatter(messages, index, dim=0, dim_size=ROWS, reduce="sum"),
            None,
            moved,
        ),
        "gcn_conv_1000n_10000e_h32_fwd_bwd": (train_step(gcn, x, edge_index, up_x), None, None),
        "dual_1000n_10000e": (lambda: dual_hypergraph(edge_index, batch), None, None),
        "hypergraph_conv_dual_1000n_10000e_h32_fwd_bwd": (
            train_step(hyper, e, incidence, up_e),
            None,
            None,
        ),
    }


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=positive, default=2)
    parser.add_argument("--budget", type=float, default=1.0, help="seconds per operation")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)

    results = []
    for name, (call, flops, moved) in operations(args.seed).items():
        foreign = ForeignCPU()
        times = timed(call, args.budget)
        low = min(times)
        results.append(
            {
                "name": name,
                "calls": len(times),
                "seconds_min": low,
                "seconds_median": statistics.median(times),
                "gflops": flops / low / 1e9 if flops else None,
                "gbytes_per_second": moved / low / 1e9 if moved else None,
                "foreign_cpu_share": foreign.share(),
            }
        )
    library = f"torch {torch.__version__}, torch_geometric {torch_geometric.__version__}"
    if args.json:
        head = {"benchmark": "ops", "library": library, "python": platform.python_version()}
        print(json.dumps({**head, "threads": torch.get_num_threads(), "results": results}))
        return
    print(f"{library}, {torch.get_num_threads()} threads")
    for r in results:
        rate = ""
        if r["gflops"]:
            rate = f"{r['gflops']:8.1f} GFLOP/s"
        elif r["gbytes_per_second"]:
            rate = f"{r['gbytes_per_second']:8.1f} GB/s"
        if (r["foreign_cpu_share"] or 0) > 0.05:
            rate += f"  (other processes took {r['foreign_cpu_share']:.0%} of the CPU)"
        low, median = r["seconds_min"] * 1e3, r["seconds_median"] * 1e3
        print(f"{r['name']:48} min {low:9.4f} ms  median {median:9.4f} ms {rate}")


if __name__ == "__main__":
    main()
