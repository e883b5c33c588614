"""Times a step of MARS written the usual way, in PyTorch with RDKit: the networks, edits, scores
and learning of generate/mars, on the same start and the same fragments. The published code no
longer runs: its environment cannot be installed.

    ehgnn optimise --search mars --start START.smi --score qed --score sa --edges mlp --chains 1000 --steps 24 --out RUN
    python mars.py --start START.smi --fragments RUN/fragments.csv --chains 1000 --steps 24

Chains are stepped by a process a core. As in generate/mars there are four kinds of bonds, so four
matrices of messages; the published code computes one for every edge. Needs torch and rdkit.
"""

import argparse
import csv
import math
import multiprocessing
import os
import random
import sys
import time

import torch
from rdkit import Chem, RDConfig, RDLogger, rdBase
from rdkit.Chem import QED
from torch import nn
from torch.nn import functional as F

sys.path.append(os.path.join(RDConfig.RDContribDir, "SA_Score"))
import sascorer  # noqa: E402

RDLogger.DisableLog("rdApp.*")

SYMBOLS = ["H", "C", "N", "O", "S", "P", "F", "Cl", "Br", "I"]
HYBRIDS = [Chem.HybridizationType.SP, Chem.HybridizationType.SP2, Chem.HybridizationType.SP3]
KINDS = [Chem.BondType.SINGLE, Chem.BondType.DOUBLE, Chem.BondType.TRIPLE, Chem.BondType.AROMATIC]
MOST_ATOMS, BATCHES, BUFFER = 40, 25, 50000


class State:
    """A molecule as the network sees it: atoms [n,17], directed edges [2,2m], their kinds."""

    def __init__(self, smiles, atoms, ends, kinds, target):
        self.smiles, self.atoms, self.ends, self.kinds, self.target = smiles, atoms, ends, kinds, target


def state(smiles):
    m = Chem.MolFromSmiles(smiles)
    atoms = []
    for a in m.GetAtoms():
        atoms.append([float(a.GetSymbol() == s) for s in SYMBOLS] + [a.GetAtomicNum(), a.GetFormalCharge(), float(a.GetIsAromatic())]
                     + [float(a.GetHybridization() == h) for h in HYBRIDS] + [a.GetTotalNumHs()])
    ends, kinds = [], []
    for b in m.GetBonds():
        k = KINDS.index(b.GetBondType()) if b.GetBondType() in KINDS else 0
        u, v = b.GetBeginAtomIdx(), b.GetEndAtomIdx()
        ends += [(u, v), (v, u)]
        kinds += [k, k]
    qed, sa = QED.qed(m), (10 - sascorer.calculateScore(m)) / 9
    return State(smiles, atoms, ends, kinds, (min(qed, 0.7) + min(max(sa, 0), 0.7)) / 2)


def canonical(m):
    """SMILES without stereo of what is one sound molecule with a bond, else None."""
    try:
        Chem.SanitizeMol(m)
    except Exception:
        return None
    if m.GetNumBonds() == 0:
        return None
    s = Chem.MolToSmiles(m, isomericSmiles=False)
    return None if "." in s or Chem.MolFromSmiles(s) is None else s


def add(smiles, atom, arm):
    m, part = Chem.MolFromSmiles(smiles), Chem.MolFromSmiles(arm)
    if m.GetNumAtoms() + part.GetNumAtoms() > MOST_ATOMS:
        return None
    both = Chem.RWMol(Chem.CombineMols(m, part))
    both.AddBond(atom, m.GetNumAtoms(), Chem.BondType.SINGLE)  # an arm is written from its end
    for a in (both.GetAtomWithIdx(atom), both.GetAtomWithIdx(m.GetNumAtoms())):
        if a.GetNumExplicitHs():
            a.SetNumExplicitHs(a.GetNumExplicitHs() - 1)
    return canonical(both.GetMol())


def delete(smiles, edge):
    m = Chem.MolFromSmiles(smiles)
    b = m.GetBondWithIdx(edge // 2)
    if b.GetBondType() != Chem.BondType.SINGLE or b.IsInRing():
        return None
    keep = b.GetBeginAtomIdx() if edge % 2 == 0 else b.GetEndAtomIdx()
    cut = Chem.RWMol(m)
    cut.RemoveBond(b.GetBeginAtomIdx(), b.GetEndAtomIdx())
    for part in Chem.GetMolFrags(cut):
        if keep in part:
            break
    for i in sorted(set(range(m.GetNumAtoms())) - set(part), reverse=True):
        cut.RemoveAtom(i)
    return canonical(cut.GetMol())


def apply(job):
    smiles, adds, at, arm = job
    found = add(smiles, at, arm) if adds else delete(smiles, at)
    return None if found is None else state(found)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.atoms, self.bonds = nn.Linear(17, 64), nn.Linear(5, 128)
        self.theta = nn.Sequential(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 64 * 64))
        self.gru = nn.GRUCell(64, 64)

    def forward(self, b):
        theta = self.theta(self.bonds(torch.eye(5)[:4])).view(4, 64, 64)
        h = self.atoms(b.x)
        for _ in range(6):
            m = torch.zeros_like(h)
            for k, (source, target) in enumerate(b.by_kind):
                if len(source):
                    m = m.index_add(0, target, h[source] @ theta[k])
            h = self.gru(F.relu(m / b.degree), h)
        return h


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, i), nn.ReLU(), nn.Linear(i, i), nn.ReLU(), nn.Linear(i, o))


class Network(nn.Module):
    def __init__(self, arms):
        super().__init__()
        self.delete_encoder, self.add_encoder, self.arm_encoder = Encoder(), Encoder(), Encoder()
        self.edges = nn.Sequential(nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 128))
        self.delete, self.add, self.arm = mlp(256, 2), mlp(64, 2), mlp(64, arms)

    def deletions(self, b):
        h, r = self.delete_encoder(b), self.edges(torch.eye(5)[b.kinds])
        return self.delete(torch.cat([h[b.ends[0]], r, h[b.ends[1]]], 1))

    def additions(self, b):
        return self.add(self.add_encoder(b))

    def fragments(self, b, atoms):
        return self.arm(self.arm_encoder(b)[atoms])


class Batch:
    def __init__(self, states):
        atoms, ends, kinds = [], [], []
        self.first_atom, self.first_edge = [0], [0]
        for s in states:
            base = len(atoms)
            atoms += s.atoms
            ends += [(base + u, base + v) for u, v in s.ends]
            kinds += s.kinds
            self.first_atom.append(len(atoms))
            self.first_edge.append(len(ends))
        self.x, self.kinds = torch.tensor(atoms), torch.tensor(kinds, dtype=torch.long)
        self.ends = torch.tensor(ends, dtype=torch.long).view(-1, 2).T
        self.degree = torch.bincount(self.ends[1], minlength=len(atoms)).clamp(min=1)[:, None]
        self.by_kind = [(self.ends[0][self.kinds == k], self.ends[1][self.kinds == k]) for k in range(4)]


def draw(weights):
    return int(torch.multinomial(weights, 1))


@torch.no_grad()
def propose(network, chains):
    """(adds, atom or directed edge, arm) of each chain."""
    adds = [random.random() < 0.5 or not c.kinds for c in chains]
    out = [None] * len(chains)
    of = [i for i, a in enumerate(adds) if not a]
    if of:
        b = Batch([chains[i] for i in of])
        p = network.deletions(b).softmax(1)[:, 1]
        for j, i in enumerate(of):
            out[i] = (False, draw(p[b.first_edge[j]:b.first_edge[j + 1]]), None)
    of = [i for i, a in enumerate(adds) if a]
    if of:
        b = Batch([chains[i] for i in of])
        p = network.additions(b).softmax(1)[:, 1]
        atoms = [draw(p[b.first_atom[j]:b.first_atom[j + 1]]) for j in range(len(of))]
        arms = torch.multinomial(network.fragments(b, [b.first_atom[j] + a for j, a in enumerate(atoms)]).softmax(1), 1)[:, 0].tolist()
        for j, i in enumerate(of):
            out[i] = (True, atoms[j], arms[j])
    return out


def loss(network, examples):
    total = 0
    cut = [e for e in examples if not e[1][0]]
    if cut:
        b = Batch([s for s, _ in cut])
        y = torch.zeros(len(b.kinds), dtype=torch.long)
        y[[b.first_edge[j] + e[1] for j, (_, e) in enumerate(cut)]] = 1
        total = total + F.cross_entropy(network.deletions(b), y)
    grown = [e for e in examples if e[1][0]]
    if grown:
        b = Batch([s for s, _ in grown])
        atoms = [b.first_atom[j] + e[1] for j, (_, e) in enumerate(grown)]
        y = torch.zeros(len(b.x), dtype=torch.long)
        y[atoms] = 1
        total = total + F.cross_entropy(network.additions(b), y)
        total = total + F.cross_entropy(network.fragments(b, atoms), torch.tensor([e[2] for _, e in grown]))
    return total


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--start", required=True, help="a SMILES a line")
    p.add_argument("--fragments", required=True, help="fragments.csv of a run of ehgnn optimise")
    p.add_argument("--chains", type=int, default=1000)
    p.add_argument("--steps", type=int, default=12)
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--seed", type=int, default=42)
    a = p.parse_args()
    random.seed(a.seed)
    torch.manual_seed(a.seed)
    torch.set_num_threads(a.threads)
    with open(a.fragments, newline="") as f:
        arms = [r["smiles"] for r in csv.DictReader(f)]
    with open(a.start) as f:
        start = [line.split()[0] for line in f if line.strip()]
    start = [state(Chem.MolToSmiles(Chem.MolFromSmiles(s), isomericSmiles=False)) for s in start[:a.chains]]
    chains = [start[i % len(start)] for i in range(a.chains)]
    network = Network(len(arms))
    adam = torch.optim.Adam(network.parameters(), 3e-4)
    buffer, temperature, k, count = [], 1.0, 0, 0
    seconds = dict(propose=0.0, edit_and_score=0.0, learn=0.0)
    print(f"PyTorch {torch.__version__}, RDKit {rdBase.rdkitVersion}, {a.threads} threads, {len(arms)} fragments, {a.chains} chains")
    with multiprocessing.Pool(a.threads) as pool:
        for step in range(a.steps):
            begin = time.perf_counter()
            edits = propose(network, chains)
            proposed = time.perf_counter()
            new = pool.map(apply, [(c.smiles, e[0], e[1], arms[e[2]] if e[0] else None) for c, e in zip(chains, edits)], chunksize=25)
            edited = time.perf_counter()
            count, k = (0, k + 1) if count == 5 else (count + 1, k)
            temperature = max(0.95 ** k, 0.01)
            for i, s in enumerate(new):
                if s is None:
                    continue
                if s.target > chains[i].target:
                    buffer.append((chains[i], edits[i]))
                if random.random() <= min(1, s.target / max(chains[i].target, 1e-6)) ** (1 / temperature):
                    chains[i] = s
            if len(buffer) > 2 * BUFFER:
                buffer = random.sample(buffer, BUFFER)
            size = max(1, math.floor(128 * 20 * len(chains) / sum(len(c.atoms) for c in chains)))
            order = random.sample(range(len(buffer)), len(buffer))
            batches = [order[lo:lo + size] for lo in range(0, len(order), size)][:BATCHES]
            for batch in batches:
                adam.zero_grad()
                loss(network, [buffer[j] for j in batch]).backward()
                nn.utils.clip_grad_norm_(network.parameters(), 5)
                adam.step()
            end = time.perf_counter()
            for name, t in (("propose", proposed - begin), ("edit_and_score", edited - proposed), ("learn", end - edited)):
                seconds[name] += t
            print(f"step {step}: {end - begin:.2f} s, {len(batches)} minibatches of {size}, valid {sum(s is not None for s in new) / len(new):.2f}, "
                  f"mean target {sum(c.target for c in chains) / len(chains):.4f}", flush=True)
    print(", ".join(f"{name} {t:.1f} s" for name, t in seconds.items()))


if __name__ == "__main__":
    main()
