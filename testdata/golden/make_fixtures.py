"""Writes the fixtures that this library adds to those it was given, from PyTorch
Geometric in float64: python make_fixtures.py DIR. Inputs are multiples of 1/256,
exact in float32."""
import json, sys
import torch
import torch_geometric
from torch_geometric.nn import DenseGCNConv, GraphConv, JumpingKnowledge, LEConv
from torch_geometric.nn.aggr import AttentionalAggregation

torch.set_default_dtype(torch.float64)


def grid(*shape):
    return torch.randint(-512, 513, shape).to(torch.float64) / 256


def value(t):
    t = t.detach()
    if t.dtype == torch.int64:
        return {"dtype": "int64", "shape": list(t.shape), "data": t.flatten().tolist()}
    return {"dtype": "float32", "shape": list(t.shape), "data": [float("%.9g" % v) for v in t.flatten().tolist()]}


def case(name, config, module, inputs, run):
    for p in module.parameters():
        p.data = grid(*p.shape) / 2
    wrt = {k: v.requires_grad_() for k, v in inputs.items() if v.dtype != torch.int64}
    wrt.update({"params." + k: v for k, v in module.named_parameters()})
    out = run(module, inputs)
    up = grid(*out.shape)
    grads = torch.autograd.grad((out * up).sum(), list(wrt.values()))
    return {"name": name, "config": config, "inputs": {k: value(v) for k, v in inputs.items()},
            "params": {k: value(v) for k, v in module.named_parameters()}, "outputs": {"out": value(out)},
            "upstream": {"out": value(up)}, "grads": {k: value(g) for k, g in zip(wrt, grads)}}


def write(path, op, cases):
    source = {"library": "PyTorch Geometric", "version": torch_geometric.__version__}
    notes = ["made by testdata/golden/make_fixtures.py, seed 1, PyTorch " + torch.__version__]
    with open(sys.argv[1] + "/" + path, "w") as f:
        json.dump({"op": op, "source": source, "notes": notes, "cases": cases}, f)
        f.write("\n")


def dense_gcn():
    def symmetric(a):
        return (a + a.transpose(1, 2)).abs()

    run = lambda m, i: m(i["x"], i["adj"])
    isolated = symmetric(grid(1, 3, 3))
    isolated[0, 1] = 0
    isolated[0, :, 1] = 0
    return [
        case("symmetric weights, diagonal overwritten", {}, DenseGCNConv(3, 2), {"x": grid(2, 4, 3), "adj": symmetric(grid(2, 4, 4))}, run),
        case("directed weights", {}, DenseGCNConv(2, 3), {"x": grid(2, 3, 2), "adj": grid(2, 3, 3).abs()}, run),
        case("weak and isolated nodes: degree below 1", {}, DenseGCNConv(2, 2), {"x": grid(1, 3, 2), "adj": isolated / 64}, run),
        case("negative weights: degree clamped to 1", {}, DenseGCNConv(2, 2), {"x": grid(1, 3, 2), "adj": -isolated}, run),
        case("one node", {}, DenseGCNConv(2, 2), {"x": grid(2, 1, 2), "adj": grid(2, 1, 1)}, run),
    ]


class Attention(torch.nn.Module):
    def __init__(self, d, out):
        super().__init__()
        self.aggr = AttentionalAggregation(torch.nn.Linear(d, 1), torch.nn.Linear(d, out) if out else None)

    def named_parameters(self, *a, **k):
        return self.aggr.named_parameters(*a, **k)


def attention():
    run = lambda m, i: m.aggr(i["x"], i["batch"], dim_size=4)
    batch = lambda: torch.tensor([0, 0, 0, 2, 3, 3])
    return [
        case("linear map", {"out": 2}, Attention(3, 2), {"x": grid(6, 3), "batch": batch()}, run),
        case("no map", {"out": 0}, Attention(3, 0), {"x": grid(6, 3), "batch": batch()}, run),
    ]


def jump():
    def run(m, i):
        return m([i[k] for k in sorted(i)])

    xs = lambda layers: {"x%d" % l: grid(4, 3) for l in range(layers)}
    out = []
    for mode, pyg in (("concat", "cat"), ("max", "max"), ("lstm", "lstm")):
        for layers in (1, 3):
            m = JumpingKnowledge(pyg, channels=3, num_layers=layers)
            out.append(case("%s of %d" % (mode, layers), {"mode": mode, "layers": layers}, m, xs(layers), run))
    return out


torch.manual_seed(1)
write("pooling/dense_gcn_conv.json", "dense_gcn_conv", dense_gcn())
write("pooling/attention_readout.json", "attentional_aggregation", attention())
jump()  # no fixture: it draws the numbers that keep the fixtures below the same


def message_passing(conv):
    def run(m, i):
        return m(i["x"], i["edge_index"], i.get("edge_weight"))

    graphs = {
        "multigraph": (6, [[0, 1, 1, 2, 2, 3, 3, 0, 0, 4], [1, 0, 2, 1, 3, 2, 3, 1, 1, 2]]),
        "no edges": (3, [[], []]),
        "one node": (1, [[], []]),
        "one node, self-loop": (1, [[0], [0]]),
    }
    out = []
    for name, (n, edges) in graphs.items():
        edges = torch.tensor(edges, dtype=torch.int64).reshape(2, -1)
        for weighted in (False, True):
            inputs = {"x": grid(n, 3), "edge_index": edges}
            if weighted:
                inputs["edge_weight"] = grid(edges.shape[1])
            out.append(case(name + (", weights" if weighted else ""), {}, conv(3, 2), inputs, run))
    return out


class SortHead(torch.nn.Module):
    """The layers after the sorting in DGCNN, as in its authors' code."""

    def __init__(self, k, d, hidden, out):
        super().__init__()
        self.conv1 = torch.nn.Conv1d(1, 16, d, d)
        self.conv2 = torch.nn.Conv1d(16, 32, 5)
        width = 32 * (k // 2 - 4)
        self.classifier = torch.nn.ModuleDict({"0": torch.nn.Linear(width, hidden), "3": torch.nn.Linear(hidden, out)})

    def forward(self, x):
        x = torch.nn.functional.max_pool1d(self.conv1(x.unsqueeze(1)).relu(), 2, 2)
        x = self.conv2(x).relu().flatten(1)
        return self.classifier["3"](self.classifier["0"](x).relu())


def sort_head():
    run = lambda m, i: m(i["x"])
    out = []
    for k, d, hidden, samples in ((10, 3, 4, 2), (13, 1, 3, 1)):
        config = {"k": k, "d": d, "hidden": hidden}
        out.append(case("k %d, d %d, %d samples" % (k, d, samples), config, SortHead(k, d, hidden, 2), {"x": grid(samples, k * d)}, run))
    return out


message_passing(GraphConv)  # no fixture, as above
write("layers/le_conv.json", "le_conv", message_passing(LEConv))
write("pooling/sort_head.json", "sort_head", sort_head())


class GatedGCN(torch.nn.Module):
    """The layer of Dwivedi et al. 2023 (Benchmarking Graph Neural Networks) from its
    published formula, arc by arc: no peer library has it with edge features."""

    def __init__(self, d, edge, out):
        super().__init__()
        for name, width in (("A", d), ("B", d), ("C", edge), ("D", d), ("E", d)):
            setattr(self, name, torch.nn.Linear(width, out))
        self.bn_node_h, self.bn_node_e = torch.nn.BatchNorm1d(out), torch.nn.BatchNorm1d(out)

    def forward(self, x, e, edge_index):
        src, dst = edge_index
        logit = self.D(x)[src] + self.E(x)[dst] + self.C(e)
        gate, message, rows = torch.sigmoid(logit), self.B(x), []
        for v in range(x.shape[0]):
            arcs = [k for k in range(len(dst)) if dst[k] == v]
            num = sum((gate[k] * message[src[k]] for k in arcs), torch.zeros(message.shape[1]))
            rows.append(num / (sum((gate[k] for k in arcs), torch.zeros(message.shape[1])) + 1e-6))
        h = torch.relu(self.bn_node_h(self.A(x) + torch.stack(rows)))
        f = torch.relu(self.bn_node_e(logit)) if len(dst) else logit
        return (x + h if x.shape[1] == h.shape[1] else h), (e + f if e.shape[1] == f.shape[1] else f)


def gated_case(name, n, arcs, d, edge, out, training):
    m = GatedGCN(d, edge, out).train(training)
    for p in m.parameters():
        p.data = grid(*p.shape) / 2
    m.bn_node_h.running_mean, m.bn_node_e.running_mean = grid(out), grid(out)
    m.bn_node_h.running_var, m.bn_node_e.running_var = grid(out).abs() + 0.5, grid(out).abs() + 0.5
    buffers = {k: value(v.clone()) for k, v in m.named_buffers() if not k.endswith("num_batches_tracked")}
    edge_index = torch.tensor(arcs, dtype=torch.int64).reshape(-1, 2).T
    inputs = {"x": grid(n, d).requires_grad_(), "e": grid(len(arcs), edge).requires_grad_(), "edge_index": edge_index}
    wrt = {"x": inputs["x"], "e": inputs["e"], **{"params." + k: v for k, v in m.named_parameters()}}
    outputs = dict(zip(("x", "e"), m(**inputs)))
    up = {k: grid(*v.shape) for k, v in outputs.items()}
    loss = sum((v * up[k]).sum() for k, v in outputs.items())
    grads = torch.autograd.grad(loss, list(wrt.values()), allow_unused=True)
    outputs.update({"after." + k: v for k, v in m.named_buffers() if not k.endswith("num_batches_tracked")})
    return {"name": name, "config": {"training": training}, "inputs": {k: value(v) for k, v in inputs.items()},
            "params": {k: value(v) for k, v in m.named_parameters()}, "buffers": buffers,
            "outputs": {k: value(v) for k, v in outputs.items()}, "upstream": {k: value(v) for k, v in up.items()},
            "grads": {k: value(torch.zeros_like(w) if g is None else g) for (k, w), g in zip(wrt.items(), grads)}}


def gated_gcn():
    multigraph = [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [3, 3], [0, 1], [0, 1], [4, 2]]  # node 5 is alone
    out = []
    for mode, training in (("training", True), ("evaluation", False)):
        out.append(gated_case("multigraph, residual, " + mode, 6, multigraph, 3, 3, 3, training))
        out.append(gated_case("multigraph, other widths, " + mode, 6, multigraph, 2, 1, 4, training))
        out.append(gated_case("edges residual only, " + mode, 6, multigraph, 2, 3, 3, training))
        out.append(gated_case("no edges, " + mode, 4, [], 2, 2, 2, training))
    out.append(gated_case("one arc, evaluation", 2, [[0, 1]], 2, 2, 2, False))
    out.append(gated_case("one node, self-loop, evaluation", 1, [[0, 0]], 2, 2, 2, False))
    return out


cases = gated_gcn()
with open(sys.argv[1] + "/layers/gated_gcn.json", "w") as f:
    source = {"library": "own formula", "version": "own formula 1"}
    notes = ["made by testdata/golden/make_fixtures.py, PyTorch " + torch.__version__,
             "outputs after.* are the running statistics after the call"]
    json.dump({"op": "GatedGCN with edge features (Dwivedi et al. 2023)", "source": source, "notes": notes, "cases": cases}, f)
    f.write("\n")


def described(name, config, m, inputs, run, buffers):
    """A case of a module with several outputs, by name."""
    for p in m.parameters():
        p.data = grid(*p.shape) / 2
    inputs = {k: v if v.dtype == torch.int64 else v.requires_grad_() for k, v in inputs.items()}
    wrt = {k: v for k, v in inputs.items() if v.dtype != torch.int64}
    wrt.update({"params." + k: v for k, v in m.named_parameters()})
    outputs = run(m, inputs)
    up = {k: grid(*v.shape) for k, v in outputs.items()}
    loss = sum((v * up[k]).sum() for k, v in outputs.items())
    grads = torch.autograd.grad(loss, list(wrt.values()), allow_unused=True)
    return {"name": name, "config": config, "inputs": {k: value(v) for k, v in inputs.items()},
            "params": {k: value(v) for k, v in m.named_parameters()}, "buffers": {k: value(v) for k, v in buffers.items()},
            "outputs": {k: value(v) for k, v in outputs.items()}, "upstream": {k: value(v) for k, v in up.items()},
            "grads": {k: value(torch.zeros_like(w) if g is None else g) for (k, w), g in zip(wrt.items(), grads)}}


class Std(torch_geometric.nn.aggr.Aggregation):
    """The standard deviation of PNA's authors, which adds 1e-5 under the root; 0 for nothing."""

    def forward(self, x, index=None, ptr=None, dim_size=None, dim=-2):
        mean = self.reduce(x, index, ptr, dim_size, dim, reduce="mean")
        square = self.reduce(x * x, index, ptr, dim_size, dim, reduce="mean")
        some = torch.bincount(index, minlength=dim_size).clamp(max=1).view(-1, 1, 1)
        return ((square - mean * mean).relu() + 1e-5).sqrt() * some


# Directed: parallel edges, a reverse edge, a self-loop; nothing ends at 4, 5 is alone.
arcs = [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [3, 3], [0, 1], [0, 1], [4, 2]]
graphs = {"multigraph": (6, arcs), "no edges": (3, []), "one arc": (2, [[0, 1]]), "one node, self-loop": (1, [[0, 0]])}


def inputs_of(n, edges, d):
    return {"x": grid(n, d), "edge_attr": grid(len(edges), d), "edge_index": torch.tensor(edges, dtype=torch.int64).reshape(-1, 2).T}


def pna():
    out = []
    for name, (n, edges) in graphs.items():
        degree = torch.bincount(torch.tensor([v for _, v in edges], dtype=torch.int64), minlength=n)
        for mode, counts in (("training", torch.bincount(degree)), ("evaluation", torch.tensor([2, 3, 1, 1]))):
            training = mode == "training"
            if training and not edges:
                continue
            m = torch_geometric.nn.PNAConv(3, 2, ["mean", "min", "max", Std()], ["identity", "amplification", "attenuation"], counts, edge_dim=3)
            # The one tower needs neither of the two maps that only follow or precede another.
            m.edge_encoder, m.lin = torch.nn.Identity(), torch.nn.Identity()
            log = m.aggr_module.avg_deg_log.reshape(1)
            run = lambda m, i: {"out": m(i["x"], i["edge_index"], i["edge_attr"])}
            out.append(described(name + ", " + mode, {"training": training}, m, inputs_of(n, edges, 3), run,
                                 {"log_degree": 0 * log if training else log}))
            out[-1]["outputs"]["after.log_degree"] = value(log)
    return out


class EdgeUpdate(torch.nn.Module):
    """A layer of Multi-GNN with GINE, from the published formula: messages along arcs and
    against them, then the states of arcs from their ends."""

    def __init__(self, d):
        super().__init__()
        gine = lambda: torch_geometric.nn.GINEConv(torch.nn.Sequential(torch.nn.Linear(d, d), torch.nn.ReLU(), torch.nn.Linear(d, d)), edge_dim=d)
        self.conv = torch.nn.ModuleDict({"along": gine(), "against": gine()})
        self.norm, self.ends, self.up = torch.nn.LayerNorm(d), torch.nn.Linear(3 * d, d), torch.nn.Linear(d, d)

    def forward(self, x, edge_index, e):
        message = (self.conv["along"](x, edge_index, e) + self.conv["against"](x, edge_index.flip(0), e)) / 2
        x = (x + self.norm(message).relu()) / 2
        ends = torch.cat([x[edge_index[0]], x[edge_index[1]], e], 1)
        return {"x": x, "e": e + self.up(self.ends(ends).relu()) / 2}


def edge_update():
    run = lambda m, i: m(i["x"], i["edge_index"], i["edge_attr"])
    eps = {"conv.%s.eps" % way: torch.zeros(1) for way in ("along", "against")}
    return [described(name, {}, EdgeUpdate(4), inputs_of(n, edges, 4), run, eps) for name, (n, edges) in graphs.items()]


write("layers/pna_conv.json", "pna_conv", pna())
write("layers/edge_update.json", "edge_update", edge_update())
