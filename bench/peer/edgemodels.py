"""Models of labelled edges in PyTorch and PyTorch Geometric."""

import torch
from torch import nn
from torch_geometric.nn import GINEConv
from torch_geometric.utils import scatter


def mlp(width, hidden, out):
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, out))


def both(x, ends, directed):
    """Rows of both ends, in their order or, where neither comes first, as sum and distance."""
    u, v = x[ends[0]], x[ends[1]]
    return torch.cat([u, v] if directed else [u + v, (u - v).abs()], 1)


class EdgeGINE(nn.Module):
    """GINE along edges and, where they have a direction, with other weights against them; an MLP of
    both ends and the edge."""

    def __init__(self, node, edge, out, hidden, layers, directed, dropout=0.1):
        super().__init__()
        conv = lambda: GINEConv(mlp(hidden, hidden, hidden))
        self.node, self.edge, self.directed = nn.Linear(node, hidden), nn.Linear(edge, hidden), directed
        self.forth = nn.ModuleList([conv() for _ in range(layers)])
        self.back = nn.ModuleList([conv() for _ in range(layers if directed else 0)])
        self.norms = nn.ModuleList([nn.LayerNorm(hidden) for _ in range(layers)])
        self.dropout, self.out = nn.Dropout(dropout), mlp(3 * hidden, hidden, out)

    def forward(self, x, ends, pair, e):
        x, e = self.node(x), self.edge(e)
        for l, conv in enumerate(self.forth):
            if self.directed:
                y = conv(x, ends, e) + self.back[l](x, ends.flip(0), e)
            else:
                y = conv(x, torch.cat([ends, ends.flip(0)], 1), torch.cat([e, e]))
            x = x + self.dropout(torch.relu(self.norms[l](y)))
        return self.out(torch.cat([both(x, ends, self.directed), e], 1))


class RoleLayer(nn.Module):
    """The layer of ehgnn-roles: nodes from the edges that leave and enter them, edges from both ends and
    the reverse edges. Undirected, one mean of all edges of a node."""

    def __init__(self, width, inner, directed, dropout):
        super().__init__()
        self.directed, self.dropout = directed, nn.Dropout(dropout)
        self.message = nn.ModuleList([nn.Linear(2 * width, width) for _ in range(1 + directed)])
        self.node = nn.Linear(width + (1 + directed) * (2 * width + 1), width)
        self.edge = nn.Sequential(nn.Linear((3 + directed) * width, inner), nn.ReLU(), nn.Dropout(dropout), nn.Linear(inner, width))
        self.node_norm, self.edge_norm = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, ends, pair, e):
        u, v, n = ends[0], ends[1], len(x)
        if self.directed:
            roles = [(u, v, e), (v, u, e)]
        else:
            roles = [(torch.cat([u, v]), torch.cat([v, u]), torch.cat([e, e]))]
        parts = [x]
        for message, (at, other, of) in zip(self.message, roles):
            mean = scatter(torch.relu(message(torch.cat([x[other], of], 1))), at, 0, n, reduce="mean")
            degree = torch.bincount(at, minlength=n).float().log1p()[:, None]
            degree = degree / degree.mean()
            parts += [mean, mean * degree, degree]
        x = self.node_norm(x + self.dropout(torch.relu(self.node(torch.cat(parts, 1)))))
        parts = [e, both(x, ends, self.directed)]
        if self.directed:
            parts.append(scatter(e, pair[0], 0, int(pair.max()) + 1, reduce="mean")[pair[1]])
        return x, self.edge_norm(e + self.dropout(self.edge(torch.cat(parts, 1))))


class EdgeRoles(nn.Module):
    """The model ehgnn-roles, written the usual way."""

    def __init__(self, node, edge, out, hidden, layers, directed, dropout=0.1):
        super().__init__()
        self.directed, self.node = directed, nn.Linear(node, hidden)
        self.start = nn.Sequential(nn.Linear(edge + 2 * node, 2 * hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(2 * hidden, hidden), nn.LayerNorm(hidden))
        self.layers = nn.ModuleList([RoleLayer(hidden, 2 * hidden, directed, dropout) for _ in range(layers)])
        self.out = mlp(2 * hidden, hidden, out)

    def forward(self, x, ends, pair, e):
        start = e = self.start(torch.cat([e, both(x, ends, self.directed)], 1))
        x = torch.relu(self.node(x))
        for layer in self.layers:
            x, e = layer(x, ends, pair, e)
        return self.out(torch.cat([e, start], 1))
