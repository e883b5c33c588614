"""Columns of what lies beyond the labels at both ends of an edge, for signs (two classes)."""

import numpy as np
import scipy.sparse as sparse


class Signs:
    """The shown labels of a view as signed matrices: 1 for the frequent class, -1 for the rare one."""

    def __init__(self, view, shown, rare):
        self.u, self.v = view.ends.numpy()
        self.n = len(view.table.nodes)
        self.shown = shown
        self.sign = np.where(view.label.numpy() == rare, -1.0, 1.0)
        self.signed, self.all = self.matrix(shown, self.sign), self.matrix(shown, np.ones(len(self.u)))
        self.plus, self.minus = (self.matrix(shown & (s * self.sign > 0), np.ones(len(self.u))) for s in (1, -1))

    def matrix(self, keep, value):
        return sparse.csr_matrix((value[keep], (self.u[keep], self.v[keep])), shape=(self.n, self.n))

    def at(self, m):
        """The entries of a matrix at the edges."""
        return np.asarray(m.tocsr()[self.u, self.v]).ravel()


def triangles(s):
    """Paths over a third node, by both signs and directions, and their balance (Leskovec, Huttenlocher
    and Kleinberg 2010)."""
    out = []
    for x in (s.plus, s.minus):
        for y in (s.plus, s.minus):
            out += [np.log1p(s.at(a @ b)) for a in (x, x.T) for b in (y, y.T)]
    signed, both = s.signed + s.signed.T, s.all + s.all.T
    return out + [s.at(signed @ signed) / (1 + s.at(both @ both))]


def attention(s):
    """The signs of other edges into v, weighted by how alike their sources and u sign, and of other
    edges out of u, by how alike their targets and v are signed."""
    out = []
    for signed, both in ((s.signed @ s.signed.T @ s.signed, s.all @ s.all.T @ s.all),
                         (s.signed.T @ s.signed @ s.signed.T, s.all.T @ s.all @ s.all.T)):
        out += [s.at(signed) / (1 + s.at(both)), np.log1p(s.at(both))]

    def alike(m, axis):
        norm = sparse.diags(1 / np.sqrt(np.maximum(np.asarray(s.all.sum(axis)).ravel(), 1)))
        w = (norm @ m @ norm).tocsr()
        w.data = np.maximum(w.data, 0)
        return w

    rows, columns = alike(s.signed @ s.signed.T, 1), alike(s.signed.T @ s.signed, 0)
    out.append(s.at(rows @ s.signed) / (0.01 + s.at(rows @ s.all)))
    out.append(s.at(s.signed @ columns) / (0.01 + s.at(s.all @ columns)))
    return out


def propagation(s):
    """Fairness and goodness (Kumar, Spezzano, Subrahmanian and Faloutsos 2016), and four rounds of means in
    which trusted sources count more."""
    u, v, sign = s.u[s.shown], s.v[s.shown], s.sign[s.shown]
    count = lambda at: np.maximum(np.bincount(at, minlength=s.n), 1)
    fair, good = np.ones(s.n), np.ones(s.n)
    for _ in range(20):
        good = np.bincount(v, fair[u] * sign, s.n) / count(v)
        fair = 1 - np.bincount(u, np.abs(sign - good[v]), s.n) / 2 / count(u)
    out = [good[s.v], fair[s.u], fair[s.u] * good[s.v], good[s.u], fair[s.v]]
    prior = sign.mean()
    trust = np.full(s.n, prior)
    for _ in range(4):
        weight = 1 / (1 + np.exp(-4 * trust))
        trust = (np.bincount(v, weight[u] * sign, s.n) + 2 * prior) / (np.bincount(v, weight[u], s.n) + 2)
        given = np.bincount(u, trust[v], s.n) / count(u)
        out += [trust[s.v], trust[s.u], given[s.u], given[s.v]]
    return out


KINDS = {"triangles": triangles, "attention": attention, "propagation": propagation}


def columns(view, hide, kinds):
    """[edges,k] columns of some kinds; hide are edges whose labels are hidden."""
    if view.table.classes != 2:
        raise SystemExit("--further is for labels of two classes")
    shown = view.shown.numpy().copy()
    if hide is not None:
        shown[hide] = False
    known = view.label.numpy()[view.shown.numpy()].astype(int)
    signs = Signs(view, shown, int(np.argmin(np.bincount(known))))
    return np.stack([c for k in kinds for c in KINDS[k](signs)], 1).astype(np.float32)
