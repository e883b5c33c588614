"""Jensen's graph GA with its published reactions, in RDKit, on the tasks of oracle.py: the peer of
ehgnn reproduce optimise at equal calls.

    python bench/peer/optimise.py --start START.smi --task celecoxib --calls 10000 --seed 3

START.smi has the molecules to begin with, one a line: the first 120 are used. Population 120, 70 children a
generation, mutation rate 0.067, parents in proportion to their scores, the best of parents and children
survive, as in the public mol_opt benchmark. Prints the area under the curve of the ten best as JSON.
"""

import argparse
import heapq
import json
import random
import time

from oracle import TASKS
from rdkit import Chem
from rdkit.Chem import AllChem

RANDOM = random.Random()
CACHE = {}


def pattern(smarts):
    if smarts not in CACHE:
        CACHE[smarts] = Chem.MolFromSmarts(smarts)
    return CACHE[smarts]


def reaction(smarts):
    if smarts not in CACHE:
        CACHE[smarts] = AllChem.ReactionFromSmarts(smarts)
    return CACHE[smarts]


def sound(m):
    try:
        Chem.SanitizeMol(m)
    except Exception:
        return False
    return 5 < m.GetNumAtoms() < 3.5 * RANDOM.gauss(0, 1) + 39.15


def rings_fit(m):
    rings = m.GetRingInfo().AtomRings()
    if not rings:
        return True
    strained = m.HasSubstructMatch(pattern("[R]=[R]=[R]")) or m.HasSubstructMatch(pattern("[r3,r4]=[r3,r4]"))
    return max(map(len, rings)) <= 6 and not strained


def fragments(m, bonds):
    try:
        parts = Chem.FragmentOnBonds(m, bonds, addDummies=True, dummyLabels=[(1, 1)] * len(bonds))
        return Chem.GetMolFrags(parts, asMols=True, sanitizeFrags=True)
    except Exception:
        return None


def cut(m):
    found = m.GetSubstructMatches(pattern("[*]-;!@[*]"))
    if not found:
        return None
    return fragments(m, [m.GetBondBetweenAtoms(*RANDOM.choice(found)).GetIdx()])


def cut_ring(m):
    for _ in range(10):
        path = RANDOM.random() < 0.5
        found = m.GetSubstructMatches(pattern("[R]@[R]@[R]@[R]" if path else "[R]@[R;!D2]@[R]"))
        if not found:
            return None
        a = RANDOM.choice(found)
        pairs = ((a[0], a[1]), (a[2], a[3])) if path else ((a[0], a[1]), (a[1], a[2]))
        parts = fragments(m, [m.GetBondBetweenAtoms(*p).GetIdx() for p in pairs])
        if parts is None or len(parts) == 2:
            return parts
    return None


def cross_free(a, b):
    for _ in range(10):
        x, y = cut(a), cut(b)
        if x is None or y is None:
            return None
        pairs = [(p, q) for p in x for q in y]
        RANDOM.shuffle(pairs)
        for pair in pairs:
            made = reaction("[*:1]-[1*].[1*]-[*:2]>>[*:1]-[*:2]").RunReactants(pair)
            if made and sound(made[0][0]):
                return made[0][0]
    return None


def cross_ring(a, b):
    for _ in range(10):
        x, y = cut_ring(a), cut_ring(b)
        if x is None or y is None:
            return None
        made = []
        for p in x:
            for q in y:
                made += [r[0] for r in reaction("[*:1]~[1*].[1*]~[*:2]>>[*:1]=[*:2]").RunReactants((p, q))[:1]]
        closed = []
        for m in made:
            if sound(m):
                for smarts in ("([*:1]~[1*].[1*]~[*:2])>>[*:1]-[*:2]", "([*:1]~[1*].[1*]~[*:2])>>[*:1]=[*:2]"):
                    closed += [r[0] for r in reaction(smarts).RunReactants((m,))]
        RANDOM.shuffle(closed)
        for m in closed:
            if sound(m) and rings_fit(m):
                return m
    return None


def canonical(m):
    try:
        smiles = Chem.MolToSmiles(m, isomericSmiles=False)
        again = Chem.MolFromSmiles(smiles)
    except Exception:
        return None, None
    if again is None or "." in smiles:
        return None, None
    return Chem.MolToSmiles(again), again


def kekule(m):
    m = Chem.Mol(m)
    try:
        Chem.Kekulize(m, clearAromaticFlags=True)
    except Exception:
        pass
    return m


def crossover(a, b):
    x, y = kekule(a[1]), kekule(b[1])
    for _ in range(10):
        m = cross_free(x, y) if RANDOM.random() <= 0.5 else cross_ring(x, y)
        if m is not None:
            child = canonical(m)
            if child[0] and child[0] not in (a[0], b[0]):
                return child
    return None, None


def drawn(choices, weights):
    return RANDOM.choices(choices, weights=weights)[0]


def insert_atom(_):
    kind = drawn("sdt", [0.6, 0.35, 0.05])
    if kind == "s":
        return "[*:1]~[*:2]>>[*:1]%s[*:2]" % RANDOM.choice("CNOS")
    if kind == "d":
        return "[*;!H0:1]~[*:2]>>[*:1]=%s-[*:2]" % RANDOM.choice("CN")
    return "[*;!R;!H1;!H0:1]~[*:2]>>[*:1]#C-[*:2]"


def append_atom(_):
    kind = drawn("sdt", [0.6, 0.35, 0.05])
    if kind == "s":
        return "[*;!H0:1]>>[*:1]-%s" % RANDOM.choice(["C", "N", "O", "F", "S", "Cl", "Br"])
    if kind == "d":
        return "[*;!H0;!H1:1]>>[*:1]=%s" % RANDOM.choice("CNO")
    return "[*;H3:1]>>[*:1]#%s" % RANDOM.choice("CN")


def delete_atom(_):
    return drawn(["[*:1]~[D1:2]>>[*:1]", "[*:1]~[D2:2]~[*:3]>>[*:1]-[*:3]", "[*:1]~[D3:2](~[*;!H0:3])~[*:4]>>[*:1]-[*:3]-[*:4]",
                  "[*:1]~[D4:2](~[*;!H0:3])(~[*;!H0:4])~[*:5]>>[*:1]-[*:3]-[*:4]-[*:5]",
                  "[*:1]~[D4:2](~[*;!H0;!H1:3])(~[*:4])~[*:5]>>[*:1]-[*:3](-[*:4])-[*:5]"], [0.25, 0.25, 0.25, 0.1875, 0.0625])


def change_order(_):
    return drawn(["[*:1]!-[*:2]>>[*:1]-[*:2]", "[*;!H0:1]-[*;!H0:2]>>[*:1]=[*:2]", "[*:1]#[*:2]>>[*:1]=[*:2]",
                  "[*;!R;!H1;!H0:1]~[*:2]>>[*:1]#[*:2]"], [0.45, 0.45, 0.05, 0.05])


def open_ring(_):
    return "[*:1]@[*:2]>>([*:1].[*:2])"


def close_ring(_):
    return drawn(["[*;!r;!H0:1]~[*;!r:2]~[*;!r;!H0:3]>>[*:1]1~[*:2]~[*:3]1",
                  "[*;!r;!H0:1]~[*!r:2]~[*!r:3]~[*;!r;!H0:4]>>[*:1]1~[*:2]~[*:3]~[*:4]1",
                  "[*;!r;!H0:1]~[*!r:2]~[*:3]~[*:4]~[*;!r;!H0:5]>>[*:1]1~[*:2]~[*:3]~[*:4]~[*:5]1",
                  "[*;!r;!H0:1]~[*!r:2]~[*:3]~[*:4]~[*!r:5]~[*;!r;!H0:6]>>[*:1]1~[*:2]~[*:3]~[*:4]~[*:5]~[*:6]1"], [0.05, 0.05, 0.45, 0.45])


def change_element(m):
    elements, weights = ["#6", "#7", "#8", "#9", "#16", "#17", "#35"], [0.15, 0.15] + 5 * [0.14]
    have = {"#%d" % a.GetAtomicNum() for a in m.GetAtoms()}
    if not have & set(elements):
        return "[#6:1]>>[#7:1]"
    old = drawn(elements, weights)
    while old not in have:
        old = drawn(elements, weights)
    new = drawn([e for e in elements if e != old], [w for e, w in zip(elements, weights) if e != old])
    return "[%s:1]>>[%s:1]" % (old, new)


MUTATIONS = [insert_atom, change_order, open_ring, close_ring, delete_atom, change_element, append_atom]


def mutate(m):
    m = kekule(m)
    for _ in range(10):
        smarts = drawn(MUTATIONS, [0.15, 0.14, 0.14, 0.14, 0.14, 0.14, 0.15])(m)
        made = [p[0] for p in reaction(smarts).RunReactants((m,))]
        RANDOM.shuffle(made)
        for x in made:
            if sound(x) and rings_fit(x):
                return canonical(x)
    return None, None


def child(a, b):
    smiles, m = crossover(a, b)
    if smiles and RANDOM.random() < 0.067:
        smiles, m = mutate(m)
    return smiles, m


def area(values, budget):
    total, last, top = 0.0, 0.0, []
    for at in range(0, len(values), 100):
        part = values[at:at + 100]
        top = heapq.nlargest(10, top + part)
        now = sum(top) / len(top)
        total += len(part) * (last + now) / 2
        last = now
    return (total + (budget - len(values)) * last) / budget


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--start", required=True)
    p.add_argument("--task", required=True, choices=sorted(TASKS))
    p.add_argument("--calls", type=int, default=10000)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    RANDOM.seed(args.seed)
    score, known, order = TASKS[args.task](), {}, []
    began, asked = time.time(), 0.0

    def ask(molecules):
        nonlocal asked
        for smiles, m in molecules:
            if smiles not in known and len(order) < args.calls:
                at = time.time()
                known[smiles] = score(m)
                asked += time.time() - at
                order.append(known[smiles])

    with open(args.start) as f:
        parts = [max(line.split()[0].split("."), key=len) for line in f if line.strip()]
    population = [c for c in (canonical(Chem.MolFromSmiles(s)) for s in parts[:120]) if c[0]]
    ask(population)
    while len(order) < args.calls:
        weights = [known[s] + 1e-10 for s, _ in population]
        made = []
        for _ in range(70):
            c = child(*RANDOM.choices(population, weights=weights, k=2))
            if c[0]:
                made.append(c)
        ask(made)
        best = {s: m for s, m in population + made if s in known}
        population = sorted(best.items(), key=lambda c: -known[c[0]])[:120]
    out = {"task": args.task, "seed": args.seed, "calls": len(order), "seconds": time.time() - began, "oracle_seconds": asked}
    for n in sorted({1000, 3000, args.calls}):
        if n <= args.calls:
            out["auc_%d" % n] = area(order[:n], n)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
