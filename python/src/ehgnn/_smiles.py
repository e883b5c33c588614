"""SMILES as documents, with the Python package of RDKit, which ehgnn[chem] installs.

Atoms and bonds have the features of the Open Graph Benchmark, like those that the chemistry build of the
program reads: kinds as texts, counts as numbers.
"""

from __future__ import annotations

from typing import Any

__all__ = ["molecule"]


def molecule(text: str, number: int) -> dict[str, Any]:
    """Return the document of a SMILES. number is its position in the list, for errors.

    Raises
    ------
    ImportError
        If RDKit is not installed.
    ValueError
        If the text is not a valid SMILES.
    """
    try:
        from rdkit import Chem, rdBase
    except ImportError as error:
        raise ImportError(f"graph {number} is the text {text[:40]!r}: SMILES are read by RDKit, which is not installed: pip install 'ehgnn[chem]'") from error
    with rdBase.BlockLogs():
        found = Chem.MolFromSmiles(text)
    if found is None or found.GetNumAtoms() == 0:
        raise ValueError(f"graph {number} is the text {text[:40]!r}, which is no SMILES of a molecule")
    return {
        "directed": False,
        "graph": {},
        "nodes": [{"id": a.GetIdx(), **_atom(a)} for a in found.GetAtoms()],
        "edges": [{"source": b.GetBeginAtomIdx(), "target": b.GetEndAtomIdx(), **_bond(b)} for b in found.GetBonds()],
    }


def _atom(atom: Any) -> dict[str, Any]:
    return {
        "element": atom.GetSymbol(),
        "chirality": str(atom.GetChiralTag()),
        "degree": atom.GetTotalDegree(),
        "charge": atom.GetFormalCharge(),
        "hydrogens": atom.GetTotalNumHs(),
        "radicals": atom.GetNumRadicalElectrons(),
        "hybridization": str(atom.GetHybridization()),
        "aromatic": atom.GetIsAromatic(),
        "in_ring": atom.IsInRing(),
    }


def _bond(bond: Any) -> dict[str, Any]:
    return {"type": str(bond.GetBondType()), "stereo": str(bond.GetStereo()), "conjugated": bond.GetIsConjugated()}
