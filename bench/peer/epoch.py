"""Seconds per training epoch of the published models in PyTorch Geometric.

An epoch is what the authors' trainers do per epoch less validation, logging and progress bars:
shuffled batches from the data loader, forward, loss, backward, gradient clipping (HyperDrop only),
Adam step, schedule step, and the loss read back after each batch. One warm-up epoch is not counted.
"""

import argparse
import json
import math
import platform
import statistics
import time

import torch
import torch.nn.functional as F
import torch_geometric
from torch.optim.lr_scheduler import LambdaLR
from torch_geometric.loader import DataLoader

from datasets import ZINC_BONDS, classification_train_set, zinc_train_set
from machine import ForeignCPU, reset_peak_rss, rss_bytes
from models import HyperCluster, HyperClusterConfig, HyperDrop, HyperDropConfig

EDGE_RATIO = {"MUTAG": 0.9, "PROTEINS": 0.65, "IMDB-BINARY": 0.9, "COLLAB": 0.85}
BATCH_SIZE = 128
SCHEDULE_EPOCHS = 500  # the schedule's length; the benchmark runs its first few epochs


def warmup_cosine(optimizer, warmup, total):
    """Linear warm-up from 0, then half a cosine to 0, per step."""

    def factor(step):
        if step < warmup:
            return step / max(1, warmup)
        progress = (step - warmup) / max(1, total - warmup)
        return max(0.0, 0.5 * (1.0 + math.cos(math.pi * progress)))

    return LambdaLR(optimizer, factor)


class HyperDropTrainer:
    """Graph classification: NLL, Adam 5e-4 with L2 1e-4, global norm clipped to 1."""

    warmup_epochs = 50

    def __init__(self, data_dir, name):
        self.train_set, (node_width, edge_width, classes) = classification_train_set(data_dir, name)
        self.model = HyperDrop(
            HyperDropConfig(
                num_node_features=node_width,
                num_edge_features=edge_width,
                num_classes=classes,
                edge_ratio=EDGE_RATIO[name],
                edge_hidden=16 if name == "COLLAB" else 128,
            )
        )
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=5e-4, weight_decay=1e-4)

    def step(self, data):
        self.optimizer.zero_grad()
        loss = F.nll_loss(self.model(data), data.y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        value = loss.item()
        self.optimizer.step()
        return value


class HyperClusterTrainer:
    """Bond reconstruction: cross-entropy over directed edges, Adam 1e-3, no clipping."""

    warmup_epochs = 200

    def __init__(self, data_dir):
        self.train_set, avg_num_edges = zinc_train_set(data_dir)
        self.model = HyperCluster(
            HyperClusterConfig(num_edge_features=ZINC_BONDS, avg_num_edges=avg_num_edges)
        )
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.criterion = torch.nn.CrossEntropyLoss()

    def step(self, data):
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(data), data.edge_attr.argmax(-1))
        loss.backward()
        self.optimizer.step()
        return loss.item()


def run_epoch(trainer, loader, scheduler, max_batches=None):
    """Trains over the loader or its first max_batches: (seconds, batches, graphs, mean loss).

    The loader collates each batch when it is asked for it, so that cost is inside the time.
    """
    batches = graphs = 0
    total_loss = 0.0
    start = time.perf_counter()
    trainer.model.train()
    for data in loader:
        data = data.to("cpu")
        total_loss += trainer.step(data) * data.num_graphs
        scheduler.step()
        batches += 1
        graphs += data.num_graphs
        if batches == max_batches:
            break
    return time.perf_counter() - start, batches, graphs, total_loss / graphs


def measure(args):
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    if args.dataset == "ZINC":
        trainer, name = HyperClusterTrainer(args.data), "HyperCluster"
    else:
        trainer, name = HyperDropTrainer(args.data, args.dataset), "HyperDrop"
    loader = DataLoader(trainer.train_set, batch_size=BATCH_SIZE, shuffle=True)
    scheduler = warmup_cosine(
        trainer.optimizer, trainer.warmup_epochs * len(loader), SCHEDULE_EPOCHS * len(loader)
    )
    load_peak, loaded = rss_bytes("VmHWM"), rss_bytes("VmRSS")
    peak_excludes_load = reset_peak_rss()

    # With a batch limit an epoch is a sample, and one batch is enough to warm up.
    limit = args.max_batches
    partial = limit is not None and limit < len(loader)
    run_epoch(trainer, loader, scheduler, 1 if partial else None)
    seconds, per_batch, shares = [], [], []
    for _ in range(args.epochs):
        foreign = ForeignCPU()
        took, batches, graphs, loss = run_epoch(trainer, loader, scheduler, limit)
        shares.append(foreign.share())
        per_batch.append(took / batches)
        # The last batch of a full epoch is smaller, so a sample is scaled by graphs.
        seconds.append(took * len(trainer.train_set) / graphs if partial else took)

    train_peak = rss_bytes("VmHWM")
    return {
        "benchmark": "epoch",
        "library": f"torch {torch.__version__}, torch_geometric {torch_geometric.__version__}",
        "python": platform.python_version(),
        "model": name,
        "dataset": args.dataset,
        "threads": torch.get_num_threads(),
        "batch_size": BATCH_SIZE,
        "graphs": len(trainer.train_set),
        "batches_per_epoch": len(loader),
        "parameters": sum(p.numel() for p in trainer.model.parameters()),
        "epochs": args.epochs,
        "extrapolated_from_batches": limit if partial else None,
        "epoch_seconds": seconds,
        "epoch_seconds_min": min(seconds),
        "epoch_seconds_median": statistics.median(seconds),
        "batch_seconds_min": min(per_batch),
        "batch_seconds_median": statistics.median(per_batch),
        "train_loss": loss,
        "foreign_cpu_share": shares,
        "foreign_cpu_share_of_min": shares[seconds.index(min(seconds))],
        "peak_rss_bytes": max(load_peak, train_peak),
        "loaded_rss_bytes": loaded,
        "train_peak_rss_bytes": train_peak if peak_excludes_load else None,
    }


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", required=True, choices=[*EDGE_RATIO, "ZINC"])
    parser.add_argument("--data", required=True, help="data folder with tu/, dgcnn/ and zinc12k/")
    parser.add_argument("--threads", type=positive, default=2)
    parser.add_argument("--epochs", type=positive, default=5)
    parser.add_argument(
        "--max-batches",
        type=positive,
        help="train on this many batches per epoch and extrapolate by graphs",
    )
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()

    result = measure(args)
    if args.json:
        print(json.dumps(result))
        return
    print(f"{result['model']} on {result['dataset']}, {result['library']}")
    print(
        f"{result['graphs']} graphs, {result['batches_per_epoch']} batches, "
        f"{result['threads']} threads, training loss {result['train_loss']:.4f}"
    )
    kind = "seconds per epoch"
    if result["extrapolated_from_batches"]:
        print(
            f"seconds per batch: min {result['batch_seconds_min']:.4f} "
            f"median {result['batch_seconds_median']:.4f}"
        )
        kind += f", EXTRAPOLATED from {result['extrapolated_from_batches']} batches"
    low, median = result["epoch_seconds_min"], result["epoch_seconds_median"]
    print(f"{kind}: min {low:.4f} median {median:.4f}")
    if result["foreign_cpu_share_of_min"] is not None:
        print(f"CPU time other processes took meanwhile: {result['foreign_cpu_share_of_min']:.0%}")
    print(f"peak RSS: {result['peak_rss_bytes'] / 2**20:.0f} MiB", end="")
    if result["train_peak_rss_bytes"] is not None:
        print(
            f"; training alone {result['train_peak_rss_bytes'] / 2**20:.0f} MiB, "
            f"{result['loaded_rss_bytes'] / 2**20:.0f} MiB of it before the first step",
            end="",
        )
    print()


if __name__ == "__main__":
    main()
