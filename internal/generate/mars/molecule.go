package mars

import (
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Molecule is a state of a chain: a canonical SMILES without stereo. Its atoms and bonds are in the
// order of parsing.
type Molecule struct {
	SMILES string
	atoms  []atom
	bonds  []bond
	heavy  int // number of atoms other than hydrogen
}

// atom has the properties of an atom that the network reads.
type atom struct {
	number, hydrogens uint8
	hybrid            chem.Hybridization
	aromatic          bool
	charge            int32
}

// bond joins two atoms. It is two directed edges: 2i for u -> v, 2i+1 for v -> u.
type bond struct {
	u, v int32
	kind chem.BondType
}

// directed returns the ends of a directed edge: the atom whose side is kept, and the other atom.
func (m *Molecule) directed(edge int) (u, v int) {
	b := m.bonds[edge/2]
	if edge%2 == 1 {
		return int(b.v), int(b.u)
	}
	return int(b.u), int(b.v)
}

func newMolecule(smiles string, s *chem.Structure) *Molecule {
	m := &Molecule{SMILES: smiles, atoms: make([]atom, len(s.Atoms)), bonds: make([]bond, len(s.Bonds))}
	for i, a := range s.Atoms {
		m.atoms[i] = atom{number: a.Number, hydrogens: a.TotalHs, hybrid: a.Hybridization, aromatic: a.Aromatic, charge: a.Charge}
	}
	for i, b := range s.Bonds {
		m.bonds[i] = bond{b.Begin, b.End, b.Type}
	}
	m.heavy = heavyAtoms(s)
	return m
}

// heavyAtoms returns the number of atoms other than hydrogen.
func heavyAtoms(s *chem.Structure) int {
	return lists.Count(s.Atoms, func(a chem.Atom) bool { return a.Number != 1 })
}

// open parses a SMILES. Hydrogens become implicit as the package comment says, so that they fill up
// where a bond is cut. It returns the molecule, which the caller closes, and its atoms and bonds.
func open(tk chem.Toolkit, smiles string) (chem.Molecule, *chem.Structure, error) {
	m, err := tk.Parse(smiles)
	if err != nil {
		return nil, nil, err
	}
	s, err := m.Structure()
	if err != nil {
		m.Close()
		return nil, nil, err
	}
	free := chem.Structure{Atoms: append([]chem.Atom{}, s.Atoms...), Bonds: s.Bonds}
	changed := false
	for i := range free.Atoms {
		a := &free.Atoms[i]
		if a.NoImplicit && a.ExplicitHs > 0 && a.Charge == 0 && a.Radicals == 0 && !a.Aromatic {
			a.NoImplicit, a.ExplicitHs, changed = false, 0, true
		}
	}
	if !changed {
		return m, s, nil
	}
	if filled, err := tk.Build(&free); err == nil {
		if sameHydrogens(filled, s) {
			m.Close()
			return filled, s, nil
		}
		filled.Close()
	}
	return m, s, nil
}

// sameHydrogens reports whether the atoms of a molecule have the same hydrogens as a structure.
func sameHydrogens(m chem.Molecule, s *chem.Structure) bool {
	of, err := m.Structure()
	if err != nil {
		return false
	}
	for i, a := range of.Atoms {
		if a.TotalHs != s.Atoms[i].TotalHs {
			return false
		}
	}
	return true
}

// stateSMILES returns the SMILES of a state: the largest part, without stereo and without atom numbers.
func stateSMILES(tk chem.Toolkit, smiles string) (string, error) {
	m, err := tk.Parse(smiles)
	if err != nil {
		return "", err
	}
	s, err := m.Structure()
	m.Close()
	if err != nil {
		return "", err
	}
	return withoutStereo(tk, largestPart(s))
}

// largestPart returns the connected part with the most heavy atoms, the first of several. Hydrogens
// that were atoms only because of stereo become implicit.
func largestPart(s *chem.Structure) *chem.Structure {
	ends, neighbours := make([]int32, 0, 2*len(s.Bonds)), make([]int, len(s.Atoms))
	for _, b := range s.Bonds {
		ends = append(ends, b.Begin, b.End)
		neighbours[b.Begin]++
		neighbours[b.End]++
	}
	of, parts := graph.ComponentOf(len(s.Atoms), ends)
	heavy := make([]int, parts)
	for i, a := range s.Atoms {
		if a.Number != 1 {
			heavy[of[i]]++
		}
	}
	best := int32(0)
	for p := range heavy {
		if heavy[p] > heavy[best] {
			best = int32(p)
		}
	}
	out, at := &chem.Structure{}, make([]int32, len(s.Atoms))
	for i, a := range s.Atoms {
		a.Map = 0
		at[i] = int32(len(out.Atoms))
		switch hydrogen := a.Number == 1 && a.Isotope == 0 && a.Charge == 0 && neighbours[i] == 1; {
		case of[i] != best || hydrogen && heavy[best] > 0:
			at[i] = -1
		default:
			out.Atoms = append(out.Atoms, a)
		}
	}
	for _, b := range s.Bonds {
		u, v := at[b.Begin], at[b.End]
		switch {
		case u >= 0 && v >= 0:
			b.Begin, b.End = u, v
			out.Bonds = append(out.Bonds, b)
		case max(u, v) >= 0 && out.Atoms[max(u, v)].NoImplicit: // the hydrogen was an atom of its own
			out.Atoms[max(u, v)].ExplicitHs++
		}
	}
	return out
}
