"""Scores of GuacaMol's goal-directed tasks with RDKit, as a program for ehgnn optimise: reads SMILES, one a
line, and answers each with its score, or with --parts with the numbers that the score combines.

    ehgnn optimise --score t='python bench/peer/oracle.py scaffold_hop' --clip t=0
    ehgnn optimise --score a,b,c,d='python bench/peer/oracle.py valsartan --parts' --combine geometric-mean

The definitions are those of GuacaMol's standard_benchmarks.py, written anew; internal/generate/benchmark has all
but valsartan and scaffold_hop, too. Needs rdkit.
"""

import math
import re
import sys

from rdkit import Chem, DataStructs, rdBase
from rdkit.Chem import Crippen, GraphDescriptors, rdMolDescriptors
from rdkit.Chem import rdFingerprintGenerator as generators
from rdkit.Chem.Pharm2D import Generate, Gobbi_Pharm2D

rdBase.DisableLog("rdApp.*")

FEATURES = generators.GetMorganFeatureAtomInvGen()
FINGERPRINTS = {
    "ECFP4": generators.GetMorganGenerator(radius=2).GetSparseCountFingerprint,
    "ECFP6": generators.GetMorganGenerator(radius=3).GetSparseCountFingerprint,
    "FCFP4": generators.GetMorganGenerator(radius=2, atomInvariantsGenerator=FEATURES).GetSparseCountFingerprint,
    "AP": lambda m: rdMolDescriptors.GetAtomPairFingerprint(m, maxLength=10),
    "PHCO": lambda m: Generate.Gen2DFingerprint(m, Gobbi_Pharm2D.factory),
}


def similar(smiles, kind):
    of = FINGERPRINTS[kind]
    want = of(Chem.MolFromSmiles(smiles))
    return lambda m: DataStructs.TanimotoSimilarity(of(m), want)


def gauss(of, mean, width):
    return lambda m: math.exp(-0.5 * ((of(m) - mean) / width) ** 2)


def below(of, mean, width):
    return gauss(lambda m: max(of(m), mean), mean, width)


def above(of, mean, width):
    return gauss(lambda m: min(of(m), mean), mean, width)


def clip(of, most):
    return lambda m: min(1.0, max(0.0, of(m) / most))


class Combined:
    """A score of parts, by a function of their numbers."""

    def __init__(self, parts, by):
        self.parts, self.by = parts, by

    def __call__(self, m):
        return self.by([p(m) for p in self.parts])


def geometric(*parts):
    return Combined(parts, lambda v: math.prod(v) ** (1 / len(v)))


def arithmetic(*parts):
    return Combined(parts, lambda v: sum(v) / len(v))


def smarts(pattern, absent=False):
    query = Chem.MolFromSmarts(pattern)
    return lambda m: float(m.HasSubstructMatch(query) != absent)


def atoms(symbol):
    if symbol == "H":
        return lambda m: sum(a.GetTotalNumHs() for a in m.GetAtoms())
    return lambda m: sum(a.GetSymbol() == symbol for a in m.GetAtoms())


def isomers(formula):
    counts = [(e, int(n or 1)) for e, n in re.findall(r"([A-Z][a-z]?)(\d*)", formula)]
    parts = [gauss(atoms(e), n, 1) for e, n in counts]
    everything = gauss(lambda m: sum(1 + a.GetTotalNumHs() for a in m.GetAtoms()), sum(n for _, n in counts), 2)
    return geometric(*parts, everything)


LOGP, TPSA, BERTZ = Crippen.MolLogP, rdMolDescriptors.CalcTPSA, GraphDescriptors.BertzCT
CELECOXIB = "CC1=CC=C(C=C1)C1=CC(=NN1C1=CC=C(C=C1)S(N)(=O)=O)C(F)(F)F"
TROGLITAZONE = "Cc1c(C)c2OC(C)(COc3ccc(CC4SC(=O)NC4=O)cc3)CCc2c(C)c1O"
ARIPIPRAZOLE = "Clc4cccc(N3CCN(CCCCOc2ccc1c(NC(=O)CC1)c2)CC3)c4Cl"
ALBUTEROL = "CC(C)(C)NCC(O)c1ccc(O)c(CO)c1"
MENTHOL, CAMPHOR = "CC(C)C1CCC(C)CC1O", "CC1(C)C2CCC1(C)C(=O)C2"
TADALAFIL = "O=C1N(CC(N2C1CC3=C(C2C4=CC5=C(OCO5)C=C4)NC6=C3C=CC=C6)=O)C"
SILDENAFIL = "CCCC1=NN(C2=C1N=C(NC2=O)C3=C(C=CC(=C3)S(=O)(=O)N4CCN(CC4)C)OCC)C"
OSIMERTINIB = "COc1cc(N(C)CCN(C)C)c(NC(=O)C=C)cc1Nc2nccc(n2)c3cn(C)c4ccccc34"
FEXOFENADINE = "CC(C)(C(=O)O)c1ccc(cc1)C(O)CCCN2CCC(CC2)C(O)(c3ccccc3)c4ccccc4"
PERINDOPRIL = "O=C(OCC)C(NC(C(=O)N1C(C(=O)O)CC2CCCCC12)C)CCC"
ZALEPLON = "O=C(C)N(CC)C1=CC=CC(C2=CC=NC3=C(C=NN23)C#N)=C1"
SITAGLIPTIN = "NC(CC(=O)N1CCn2c(nnc2C(F)(F)F)C1)Cc1cc(F)c(F)cc1F"
HOP = "CCCOc1cc2ncnc(Nc3ccc4ncsc4c3)c2cc1S(=O)(=O)C(C)(C)C"
DECORATION = "[#6]-[#6]-[#6]-[#8]-[#6]~[#6]~[#6]~[#6]~[#6]-[#7]-c1ccc2ncsc2c1"
SCAFFOLD = "[#7]-c1n[c;h1]nc2[c;h1]c(-[#8])[c;h0][c;h1]c12"


def properties():
    m = Chem.MolFromSmiles(SITAGLIPTIN)
    return gauss(LOGP, LOGP(m), 0.2), gauss(TPSA, TPSA(m), 5), gauss(BERTZ, BERTZ(m), 30)


TASKS = {
    "celecoxib": lambda: similar(CELECOXIB, "ECFP4"),
    "troglitazone": lambda: similar(TROGLITAZONE, "ECFP4"),
    "aripiprazole": lambda: clip(similar(ARIPIPRAZOLE, "ECFP4"), 0.75),
    "albuterol": lambda: clip(similar(ALBUTEROL, "FCFP4"), 0.75),
    "median1": lambda: geometric(similar(MENTHOL, "ECFP4"), similar(CAMPHOR, "ECFP4")),
    "median2": lambda: geometric(similar(TADALAFIL, "ECFP6"), similar(SILDENAFIL, "ECFP6")),
    "isomers": lambda: isomers("C9H10N2O2PF2Cl"),
    "osimertinib": lambda: geometric(
        clip(similar(OSIMERTINIB, "FCFP4"), 0.8), below(similar(OSIMERTINIB, "ECFP6"), 0.85, 0.1), above(TPSA, 100, 10), below(LOGP, 1, 1)),
    "fexofenadine": lambda: geometric(clip(similar(FEXOFENADINE, "AP"), 0.8), above(TPSA, 90, 10), below(LOGP, 4, 1)),
    "perindopril": lambda: geometric(similar(PERINDOPRIL, "ECFP4"), gauss(rdMolDescriptors.CalcNumAromaticRings, 2, 0.5)),
    "zaleplon": lambda: geometric(similar(ZALEPLON, "ECFP4"), isomers("C19H17N3O2")),
    "sitagliptin": lambda: geometric(gauss(similar(SITAGLIPTIN, "ECFP4"), 0, 0.1), *properties()[:2], isomers("C16H15F6N5O")),
    "valsartan": lambda: geometric(smarts("CN(C=O)Cc1ccc(c2ccccc2)cc1"), *properties()),
    "scaffold_hop": lambda: arithmetic(clip(similar(HOP, "PHCO"), 0.75), smarts(DECORATION), smarts(SCAFFOLD, absent=True)),
}


def main():
    name, parts = sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]
    if name not in TASKS or parts not in ([], ["--parts"]):
        sys.exit("usage: oracle.py TASK [--parts], with TASK one of " + ", ".join(TASKS))
    task = TASKS[name]()
    of = task.parts if parts and isinstance(task, Combined) else [task]
    for line in sys.stdin:
        m = Chem.MolFromSmiles(line.strip())
        print("" if m is None else " ".join(str(p(m)) for p in of), flush=True)


if __name__ == "__main__":
    main()
