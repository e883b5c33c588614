"""Writes torch_run.json: a short training run in PyTorch that Fit must repeat.

GCN with ReLU, mean readout, linear classifier, cross-entropy; Adam with an L2
term, clipping of the global norm, linear warm-up and cosine per step. All graphs
are one batch, so no order of batches comes into it.
"""
import json
import math
import torch

torch.manual_seed(42)
EPOCHS, WARMUP, LR, DECAY, CLIP = 12, 3, 0.05, 0.01, 0.15

graphs = []
for i in range(6):
    n = 3 + i
    ends = [(v - 1, v) for v in range(1, n)] if i % 2 else [(0, v) for v in range(1, n)]
    graphs.append({"nodes": n, "ends": ends, "label": i % 2, "x": torch.randn(n, 3)})

conv_w, conv_b = torch.randn(4, 3) * 0.5, torch.zeros(4)
out_w, out_b = torch.randn(2, 4) * 0.5, torch.randn(2) * 0.1
params = [p.double().requires_grad_() for p in (conv_b, conv_w, out_w, out_b)]
initial = [p.detach().float().flatten().tolist() for p in params]
b1, w1, w2, b2 = params


def logits():
    rows = []
    for g in graphs:
        a = torch.eye(g["nodes"], dtype=torch.float64)
        for u, v in g["ends"]:
            a[u, v] = a[v, u] = 1
        d = a.sum(1).rsqrt()
        h = torch.relu((d[:, None] * a * d[None, :]) @ g["x"].double() @ w1.T + b1)
        rows.append(h.mean(0) @ w2.T + b2)
    return torch.stack(rows)


opt = torch.optim.Adam(params, lr=LR, weight_decay=DECAY)
sched = torch.optim.lr_scheduler.LambdaLR(
    opt, lambda t: t / WARMUP if t < WARMUP else 0.5 * (1 + math.cos(math.pi * (t - WARMUP) / (EPOCHS - WARMUP))))
labels = torch.tensor([g["label"] for g in graphs])
losses, norms, rates = [], [], []
for _ in range(EPOCHS):
    opt.zero_grad()
    loss = torch.nn.functional.cross_entropy(logits(), labels)
    loss.backward()
    norms.append(float(torch.nn.utils.clip_grad_norm_(params, CLIP)))
    losses.append(loss.item())
    rates.append(opt.param_groups[0]["lr"])
    opt.step()
    sched.step()

json.dump({
    "source": {"script": "torch_run.py", "library": "PyTorch " + torch.__version__, "seed": 42, "computed_in": "float64"},
    "config": {"epochs": EPOCHS, "warmup": WARMUP, "lr": LR, "weight_decay": DECAY, "clip": CLIP},
    "graphs": [{"nodes": g["nodes"], "ends": [v for e in g["ends"] for v in e], "label": g["label"],
                "x": g["x"].flatten().tolist()} for g in graphs],
    "initial": dict(zip(["conv.bias", "conv.lin.weight", "out.weight", "out.bias"], initial)),
    "losses": losses, "norms": norms, "rates": rates,
    "final": dict(zip(["conv.bias", "conv.lin.weight", "out.weight", "out.bias"],
                      [p.detach().flatten().tolist() for p in params])),
}, open("torch_run.json", "w"), indent=1)
