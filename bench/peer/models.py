"""HyperDrop (TU form) and HyperCluster (ZINC form) for PyTorch Geometric.

Written for timing, as the counterpart of the Go models: the published design of
"Edge Representation Learning with Hypergraphs" (NeurIPS 2021), doing the work that
its authors' implementation does and in the way it does it. In particular

- the edge list holds both directions, so each undirected edge is two dual nodes;
- the dual hypergraph is rebuilt from the edge list in every HyperDrop layer, the
  last one included, although that layer has no use for it;
- a hypergraph convolution is two rounds of message passing over the incidence
  list (gather a row per entry, scale it, scatter-add it), on features padded with
  zero rows to the number of hyperedges;
- graph convolutions normalise anew on every call.

These are properties of the thing measured, not accidents; do not tune them. Parameter
names equal those of the golden fixtures, which check.py compares against.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.nn import (
    GCNConv,
    MessagePassing,
    global_add_pool,
    global_max_pool,
    global_mean_pool,
)
from torch_geometric.nn.inits import glorot, zeros
from torch_geometric.nn.pool.select.topk import topk
from torch_geometric.utils import degree, to_dense_batch


def dual_hypergraph(edge_index, batch):
    """Incidence list of the dual hypergraph, and the graph of every dual node.

    Dual node e is column e of edge_index [2, m]; hyperedge v is node v. Entries of
    hyperedges with one member are removed, then each dual node gets a hyperedge of
    its own, numbered from the highest node in use on. Returns int64 [2, entries]
    (dual node, hyperedge) and int64 [m].
    """
    m = edge_index.size(1)
    device = edge_index.device
    member = torch.arange(m, device=device).repeat_interleave(2)
    incidence = torch.stack([member, edge_index.t().reshape(-1)])
    edge_batch = batch.index_select(0, incidence[1].view(-1, 2)[:, 0])

    shared = incidence[1].bincount()[incidence[1]] != 1
    first = incidence[1].max() + 1
    own = torch.stack(
        [
            torch.arange(m, device=device),
            torch.arange(first, first + m, device=device),
        ]
    )
    return torch.cat([incidence[:, shared], own], dim=1), edge_batch


class HypergraphConv(MessagePassing):
    """D^-1 H B^-1 H^T X W + b over an incidence list, entry by entry."""

    def __init__(self, in_channels, out_channels):
        super().__init__(aggr="add", node_dim=0)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        glorot(self.weight)
        zeros(self.bias)

    def forward(self, x, incidence):
        x = x @ self.weight
        n = x.size(0)
        hyperedges = int(incidence[1].max()) + 1 if incidence.numel() else 0

        node_scale = 1.0 / degree(incidence[0], n, x.dtype)
        node_scale[node_scale == float("inf")] = 0
        edge_scale = 1.0 / degree(incidence[1], hyperedges, x.dtype)
        edge_scale[edge_scale == float("inf")] = 0

        x = F.pad(x, (0, 0, 0, max(n, hyperedges) - n))
        self.flow = "source_to_target"
        x = self.propagate(incidence, x=x, scale=edge_scale)
        self.flow = "target_to_source"
        x = self.propagate(incidence, x=x, scale=node_scale)
        return x[:n].view(-1, self.out_channels) + self.bias

    def message(self, x_j, edge_index_i, scale):
        # The middle axis is the head axis of the published layer, here of length one.
        return scale[edge_index_i].view(-1, 1, 1) * x_j.view(-1, 1, self.out_channels)


@dataclass
class HyperDropConfig:
    """Shape of a HyperDrop model. edge_hidden is num_hidden, on COLLAB num_hidden // 8."""

    num_node_features: int
    num_edge_features: int
    num_classes: int
    edge_ratio: float
    num_hidden: int = 128
    edge_hidden: int = 128
    num_convs: int = 3
    dropout: float = 0.5


class HyperDrop(nn.Module):
    """Three GCN layers on edge sets thinned by two hypergraph score layers."""

    def __init__(self, cfg):
        super().__init__()
        self.edge_ratio = cfg.edge_ratio
        h, eh, layers = cfg.num_hidden, cfg.edge_hidden, cfg.num_convs

        def width(first, rest, i):
            return first if i == 0 else rest

        self.convs = nn.ModuleList(
            GCNConv(width(cfg.num_node_features, h, i), h) for i in range(layers)
        )
        self.hyperconvs = nn.ModuleList(
            HypergraphConv(width(cfg.num_edge_features, eh, i), eh) for i in range(layers - 1)
        )
        self.scoreconvs = nn.ModuleList(HypergraphConv(eh, 1) for _ in range(layers - 1))
        self.classifier = nn.Sequential(
            nn.Linear(3 * h, h),
            nn.ReLU(),
            nn.Dropout(cfg.dropout),
            nn.Linear(h, h // 2),
            nn.ReLU(),
            nn.Dropout(cfg.dropout),
            nn.Linear(h // 2, cfg.num_classes),
        )

    def forward(self, data):
        x, edge_index, batch = data.x, data.edge_index, data.batch
        edge_attr = data.edge_attr
        if edge_attr is None:
            edge_attr = torch.ones((edge_index.size(1), 1), device=edge_index.device)

        edge_weight = None
        readout = 0
        for i, conv in enumerate(self.convs):
            incidence, edge_batch = dual_hypergraph(edge_index, batch)
            x = F.relu(conv(x, edge_index, edge_weight))

            if i < len(self.hyperconvs):
                edge_attr = F.relu(self.hyperconvs[i](edge_attr, incidence))
                score = torch.tanh(self.scoreconvs[i](edge_attr, incidence).squeeze())
                keep = topk(score, self.edge_ratio, edge_batch)
                edge_index = edge_index[:, keep]
                edge_attr = edge_attr[keep, :]
                edge_weight = torch.clamp(score[keep], min=0, max=1)

            readout = readout + torch.cat(
                [global_max_pool(x, batch), global_mean_pool(x, batch), global_add_pool(x, batch)],
                dim=1,
            )
        return F.log_softmax(self.classifier(readout), dim=1)


class HyperMAB(nn.Module):
    """Attention of seeds over dual nodes; keys and values are hypergraph convolutions."""

    def __init__(self, dim, heads=1, layer_norm=False, cluster=True):
        super().__init__()
        self.dim = dim
        self.heads = heads
        self.softmax_dim = 1 if cluster else 2
        self.fc_q = nn.Linear(dim, dim)
        self.fc_k = HypergraphConv(dim, dim)
        self.fc_v = HypergraphConv(dim, dim)
        self.fc_o = nn.Linear(dim, dim)
        self.ln0 = nn.LayerNorm(dim) if layer_norm else None
        self.ln1 = nn.LayerNorm(dim) if layer_norm else None

    def forward(self, seeds, edge_attr, incidence, edge_batch, mask):
        query = self.fc_q(seeds)
        key = self.fc_k(edge_attr, incidence)
        value = self.fc_v(edge_attr, incidence)
        key, _ = to_dense_batch(key, edge_batch)
        value, _ = to_dense_batch(value, edge_batch)

        # Heads are stacked on the batch axis.
        part = self.dim // self.heads
        q = torch.cat(query.split(part, 2), 0)
        k = torch.cat(key.split(part, 2), 0)
        v = torch.cat(value.split(part, 2), 0)
        mask = torch.cat([mask] * self.heads, 0)
        logits = q.bmm(k.transpose(1, 2)) / math.sqrt(self.dim)
        attention = torch.softmax(mask + logits, self.softmax_dim)

        out = torch.cat((q + attention.bmm(v)).split(query.size(0), 0), 2)
        out = out if self.ln0 is None else self.ln0(out)
        out = out + F.relu(self.fc_o(out))
        out = out if self.ln1 is None else self.ln1(out)
        return out, attention


class HyperGMPool(nn.Module):
    """Pools the dual nodes of each graph to a fixed number of learned seeds."""

    def __init__(self, dim, num_seeds, heads=1, layer_norm=False, cluster=True):
        super().__init__()
        self.S = nn.Parameter(torch.empty(1, num_seeds, dim))
        nn.init.xavier_uniform_(self.S)
        self.mab = HyperMAB(dim, heads, layer_norm, cluster)

    def forward(self, graphs, edge_attr, incidence, edge_batch, mask):
        seeds = self.S.repeat(graphs, 1, 1)
        return self.mab(seeds, edge_attr, incidence, edge_batch, mask)


@dataclass
class HyperClusterConfig:
    """Shape of a HyperCluster autoencoder: ceil(edge_ratio * avg_num_edges) seeds."""

    num_edge_features: int
    avg_num_edges: float
    edge_ratio: float = 0.15
    num_hidden: int = 32
    num_convs: int = 2
    heads: int = 1
    layer_norm: bool = False
    cluster: bool = True


class HyperCluster(nn.Module):
    """Edge autoencoder: hypergraph encoder, pool to seeds, unpool, decoder."""

    def __init__(self, cfg):
        super().__init__()
        h = cfg.num_hidden
        self.num_seeds = math.ceil(cfg.edge_ratio * cfg.avg_num_edges)
        self.convs = nn.ModuleList(
            HypergraphConv(cfg.num_edge_features if i == 0 else h, h) for i in range(cfg.num_convs)
        )
        self.pool = HyperGMPool(h, self.num_seeds, cfg.heads, cfg.layer_norm, cfg.cluster)
        self.unconvs = nn.ModuleList(HypergraphConv(h, h) for _ in range(cfg.num_convs))
        self.last = HypergraphConv(h, cfg.num_edge_features)

    def forward(self, data):
        edge_attr = data.edge_attr
        incidence, edge_batch = dual_hypergraph(data.edge_index, data.batch)
        for conv in self.convs:
            edge_attr = F.relu(conv(edge_attr, incidence))

        dense, present = to_dense_batch(edge_attr, edge_batch)
        mask = (1.0 - present.unsqueeze(1).to(edge_attr.dtype)) * -1e9
        pooled, attention = self.pool(dense.size(0), edge_attr, incidence, edge_batch, mask)
        edge_attr = attention.transpose(1, 2).bmm(pooled)[present]

        for conv in self.unconvs:
            edge_attr = F.relu(conv(edge_attr, incidence))
        return self.last(edge_attr, incidence)
