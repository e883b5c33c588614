"""SMILES as documents."""

from __future__ import annotations

import csv
import gzip
import sys
from typing import Any

import numpy as np
import pytest

from conftest import DATA
from ehgnn import GraphClassifier
from ehgnn._smiles import molecule

pytest.importorskip("rdkit", exc_type=ImportError)

# The codes of the Open Graph Benchmark, with which the chemistry build agrees to the bit.
CHIRALITY = ["CHI_UNSPECIFIED", "CHI_TETRAHEDRAL_CW", "CHI_TETRAHEDRAL_CCW", "CHI_OTHER"]
HYBRIDIZATION = ["SP", "SP2", "SP3", "SP3D", "SP3D2"]
TYPE = ["SINGLE", "DOUBLE", "TRIPLE", "AROMATIC"]
STEREO = ["STEREONONE", "STEREOZ", "STEREOE", "STEREOCIS", "STEREOTRANS", "STEREOANY"]


def place(values: list[str], value: str) -> int:
    return values.index(value) if value in values else len(values)


def codes(document: dict[str, Any]) -> tuple[list[list[int]], list[list[int]]]:
    from rdkit import Chem

    number = Chem.GetPeriodicTable().GetAtomicNumber
    atoms = [[number(a["element"]) - 1, place(CHIRALITY, a["chirality"]), a["degree"], a["charge"] + 5, a["hydrogens"], a["radicals"],
              place(HYBRIDIZATION, a["hybridization"]), int(a["aromatic"]), int(a["in_ring"])] for a in document["nodes"]]
    bonds = [[place(TYPE, b["type"]), place(STEREO, b["stereo"]), int(b["conjugated"])] for b in document["edges"]]
    return atoms, bonds


def rows(name: str, most: int) -> list[list[int]]:
    with gzip.open(DATA / "ogb" / "ogbg_molbbbp" / "raw" / name, "rt") as file:
        return [[int(v) for v in row] for _, row in zip(range(most), csv.reader(file))]


def test_features_of_the_benchmark() -> None:
    """Atoms and bonds have the features of the graphs of the Open Graph Benchmark."""
    folder = DATA / "ogb" / "ogbg_molbbbp"
    if not folder.exists():
        pytest.skip(f"there is no {folder}")
    with gzip.open(folder / "mapping" / "mol.csv.gz", "rt") as file:
        texts = [row["smiles"] for _, row in zip(range(300), csv.DictReader(file))]
    atoms, bonds = rows("node-feat.csv.gz", 10**5), rows("edge-feat.csv.gz", 10**5)
    different = 0
    for i, text in enumerate(texts):
        a, b = codes(molecule(text, i))
        want_atoms, atoms = atoms[: len(a)], atoms[len(a) :]
        want_bonds, bonds = bonds[: len(b)], bonds[len(b) :]
        different += a != want_atoms or b != want_bonds
    assert different <= 3, f"{different} of {len(texts)} molecules differ"  # versions of RDKit do in a few


def test_learns() -> None:
    chains = ["C" * n + end for n in range(2, 32) for end in ("O", "Cl")]
    y = np.array(["alcohol", "chloride"] * 30)
    model = GraphClassifier(epochs=40).fit(chains, y)
    assert model.score(chains, y) > 0.9
    assert model.predict(["CC(C)O", "CC(C)Cl"]).tolist() == ["alcohol", "chloride"]


def test_without_rdkit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(ImportError, match=r"pip install 'ehgnn\[chem\]'"):
        GraphClassifier().fit(["CCO", "CCC"], [0, 1])
