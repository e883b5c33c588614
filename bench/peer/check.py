"""Checks that the benchmarked models are the published ones, against the golden fixtures.

Every case whose kept edges do not hang on rounding is run forward and backward; output, scores,
kept edges and all gradients must agree within the fixtures' tolerance. Exit status 1 if not.
"""

import argparse
import json
import sys
from pathlib import Path

import torch
from torch_geometric.data import Data

import models
from models import HyperCluster, HyperClusterConfig, HyperDrop, HyperDropConfig

FIXTURES = Path(__file__).resolve().parents[2] / "testdata" / "golden" / "layers"
TOLERANCE = 1e-4


def tensor(t):
    dtype = {"float32": torch.float32, "int64": torch.int64}[t["dtype"]]
    return torch.tensor(t["data"], dtype=dtype).view(t["shape"])


def hyperdrop(c):
    hidden = c["num_hidden"]
    return HyperDrop(
        HyperDropConfig(
            num_node_features=c["num_node_features"],
            num_edge_features=c["num_edge_features"],
            num_classes=c["num_classes"],
            edge_ratio=c["edge_ratio"],
            num_hidden=hidden,
            edge_hidden=hidden // 8 if c["data"] == "COLLAB" else hidden,
            num_convs=c["num_convs"],
            dropout=c["dropout"],
        )
    )


def hypercluster(c):
    return HyperCluster(
        HyperClusterConfig(
            num_edge_features=c["num_edge_features"],
            avg_num_edges=c["avg_num_edges"],
            edge_ratio=c["edge_ratio"],
            num_hidden=c["num_hidden"],
            num_convs=c["num_convs"],
            heads=c["num_heads"],
            layer_norm=c["ln"],
            cluster=c["cluster"],
        )
    )


class Recorder:
    """Stands in for top-k during a check and keeps its input and result."""

    def __init__(self):
        self.seen = []

    def __enter__(self):
        self.original = models.topk

        def topk(score, ratio, batch):
            keep = self.original(score, ratio, batch)
            self.seen.append((score.detach(), keep))
            return keep

        models.topk = topk
        return self

    def __exit__(self, *_):
        models.topk = self.original


def run_case(build, case):
    """Worst scaled error over all outputs and gradients of a case."""
    inputs = {k: tensor(v) for k, v in case["inputs"].items()}
    for value in inputs.values():
        value.requires_grad_(value.is_floating_point())
    model = build(case["config"])
    model.load_state_dict({k: tensor(v) for k, v in case["params"].items()})
    with Recorder() as recorder:
        out = model(Data(**inputs))
    out.backward(tensor(case["upstream"]["out"]))

    got = {"out": out}
    for i, (score, keep) in enumerate(recorder.seen):
        got[f"score{i}"], got[f"perm{i}"] = score, keep
    if set(got) != set(case["outputs"]):
        raise ValueError(f"outputs {sorted(got)}, expected {sorted(case['outputs'])}")
    params = dict(model.named_parameters())
    pairs = [(got[k], tensor(v)) for k, v in case["outputs"].items()]
    for name, want in case["grads"].items():
        leaf = params[name[7:]] if name.startswith("params.") else inputs[name]
        want = tensor(want)
        pairs.append((torch.zeros_like(want) if leaf.grad is None else leaf.grad, want))

    worst = 0.0
    for have, want in pairs:
        if have.shape != want.shape:
            raise ValueError(f"shape {tuple(have.shape)}, expected {tuple(want.shape)}")
        if not want.is_floating_point():
            worst = max(worst, 0.0 if torch.equal(have, want) else float("inf"))
        elif want.numel():
            error = (have - want).abs().max() / max(1.0, want.abs().max())
            # NaN compares false to everything, so make it the worst error there is.
            worst = max(worst, float("inf") if error.isnan() else error.item())
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fixtures", type=Path, default=FIXTURES)
    args = parser.parse_args()

    checked = failed = 0
    for file, build in [
        ("model_hyperdrop", hyperdrop),
        ("model_hypercluster", hypercluster),
        ("model_hypercluster_cluster", hypercluster),
    ]:
        for case in json.loads((args.fixtures / f"{file}.json").read_text())["cases"]:
            name = f"{file}/{case['name']}"
            if "outputs" not in case:
                print(f"skip  {name}: the reference fails on it")
                continue
            if case["config"].get("score_gap") == 0:
                print(f"skip  {name}: scores tie, kept edges are an accident of rounding")
                continue
            error = run_case(build, case)
            good = error <= TOLERANCE
            checked, failed = checked + 1, failed + (not good)
            print(f"{'ok   ' if good else 'FAIL '} {name}: worst error {error:.1e}")
    print(f"{checked} cases checked, {failed} failed")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
