"""Class of one molecule-sized graph in a fresh process: imports, model, file, answer.

    predict.py --prepare FOLDER            # writes the inputs of both programs
    predict.py FOLDER/peer.pt FOLDER/ONE.zip

The inputs are SET.zip, random graphs of the size of MUTAG's molecules for ehgnn to train a
run on, ONE.zip with a single graph, and peer.pt, weights of a HyperDrop model as they are
drawn. What the answer is does not matter: the time of a whole process is measured outside.
"""

import argparse
import random
import zipfile
from pathlib import Path

# Only what a prediction needs is imported, and torch only when it is used: preparing the
# inputs is not measured, predicting is.

ATOMS, BONDS, NODES, EDGES = 7, 4, 18, 20
HIDDEN, RATIO = 128, 0.9


def write_set(path, name, graphs, generator):
    """A TU zip of random connected graphs that hold every atom and bond label."""
    parts = {part: [] for part in ["A", "edge_labels", "graph_indicator", "node_labels", "graph_labels"]}
    for g in range(graphs):
        pairs = {(generator.randrange(v), v) for v in range(1, NODES)}
        while len(pairs) < EDGES:
            pairs.add(tuple(sorted(generator.sample(range(NODES), 2))))
        for e, (u, v) in enumerate(sorted(pairs)):
            for a, b in [(u, v), (v, u)]:
                parts["A"].append(f"{g * NODES + a + 1}, {g * NODES + b + 1}")
                parts["edge_labels"].append(e % BONDS)
        parts["graph_indicator"] += [g + 1] * NODES
        parts["node_labels"] += [v % ATOMS for v in range(NODES)]
        parts["graph_labels"].append(g % 2)
    with zipfile.ZipFile(path, "w") as archive:
        for part, lines in parts.items():
            archive.writestr(f"{name}/{name}_{part}.txt", "".join(f"{line}\n" for line in lines))


def build():
    from models import HyperDrop, HyperDropConfig

    return HyperDrop(
        HyperDropConfig(
            num_node_features=ATOMS,
            num_edge_features=BONDS,
            num_classes=2,
            edge_ratio=RATIO,
            num_hidden=HIDDEN,
            edge_hidden=HIDDEN,
        )
    )


def prepare(folder):
    import torch

    generator = random.Random(1)
    write_set(folder / "SET.zip", "SET", 40, generator)
    write_set(folder / "ONE.zip", "ONE", 1, generator)
    torch.manual_seed(1)
    torch.save(build().state_dict(), folder / "peer.pt")


def predict(weights, path):
    import torch
    from torch_geometric.data import Batch

    from datasets import tu_graphs

    model = build()
    model.load_state_dict(torch.load(weights, weights_only=True))
    model.eval()
    with torch.no_grad():
        return model(Batch.from_data_list(tu_graphs(path, "ONE"))).exp()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prepare", type=Path, metavar="FOLDER", help="write the inputs and stop")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("inputs", nargs="*", type=Path, metavar="peer.pt ONE.zip")
    args = parser.parse_args()
    if args.prepare:
        prepare(args.prepare)
        return
    if len(args.inputs) != 2:
        parser.error("expected the weights and the graph")
    import torch

    torch.set_num_threads(args.threads)
    probability = predict(*args.inputs)
    print(int(probability.argmax()), probability.tolist())


if __name__ == "__main__":
    main()
