package operator

import (
	"github.com/ehgnn/ehgnn/chem"
)

// Read returns a parent from a SMILES: its largest part, without stereo, isotopes and map numbers,
// and neutralised. The SMILES of the result identifies the molecule.
func (k *Maker) Read(smiles string) (*Molecule, error) {
	m, err := k.Toolkit.Parse(smiles)
	if err != nil {
		return nil, err
	}
	s, err := m.KekuleStructure()
	m.Close()
	if err != nil {
		return nil, err
	}
	if err := noRadicals(s); err != nil {
		return nil, err
	}
	whole := newMolecule("", s)
	e := edit{}
	e.add(whole, largestPart(whole))
	charges := e.neutralise()
	built, err := k.Toolkit.Build(e.structure())
	if err != nil {
		return nil, err
	}
	defer built.Close()
	text, err := built.SMILES()
	if err != nil {
		return nil, err
	}
	read, err := k.Settle(text)
	if err == nil {
		read.Charges = charges
	}
	return read, err
}

// largestPart returns the atoms of the part with the most atoms, the first of several.
func largestPart(m *Molecule) []bool {
	var best []bool
	most := 0
	seen := make([]bool, len(m.atoms))
	for i := range m.atoms {
		if seen[i] {
			continue
		}
		part, n := m.side(int32(i)), 0
		for j, in := range part {
			if in {
				seen[j] = true
				n++
			}
		}
		if n > most {
			best, most = part, n
		}
	}
	return best
}

// valence is the largest number of bonds, including bonds to hydrogens, of a neutral atom. Elements
// with several valences are not in it; for them the toolkit decides.
var valence = map[uint8]int{5: 3, 6: 4, 7: 3, 8: 2, 9: 1, 17: 1, 35: 1}

// maxBonds returns the largest number of bonds of an atom with this charge, and whether it is known.
func maxBonds(number uint8, charge int8) (int, bool) {
	switch {
	case charge == 0:
		v, ok := valence[number]
		return v, ok
	case number == 7 && charge == 1:
		return 4, true
	case number == 8 && charge == 1:
		return 3, true
	case number == 7 && charge == -1:
		return 2, true
	case number == 8 && charge == -1:
		return 1, true
	}
	return 0, false
}

// edit is a molecule during a change: atoms and bonds in the order in which they are built.
type edit struct {
	atoms   []atom
	bonds   []bond
	choices []Choice
}

// add appends the atoms of a molecule that are in keep, and the bonds among them. It returns the
// new index of each atom, -1 if it is left out.
func (e *edit) add(m *Molecule, keep []bool) []int32 {
	at := make([]int32, len(m.atoms))
	for i, a := range m.atoms {
		at[i] = -1
		if keep == nil || keep[i] {
			at[i] = int32(len(e.atoms))
			e.atoms = append(e.atoms, a)
		}
	}
	for _, b := range m.bonds {
		if at[b.a] >= 0 && at[b.b] >= 0 {
			e.bonds = append(e.bonds, bond{a: at[b.a], b: at[b.b], order: b.order})
		}
	}
	return at
}

func (e *edit) join(a, b int32, order uint8) {
	e.bonds = append(e.bonds, bond{a: a, b: b, order: order})
}

// neutralise removes each charge without an opposite charge next to it, if the neutral atom can
// have its bonds. Implicit hydrogens supply or take the protons. It returns the number of such
// charges that are left.
func (e *edit) neutralise() (left int) {
	charged := false
	for _, a := range e.atoms {
		charged = charged || a.charge != 0
	}
	if !charged {
		return 0
	}
	paired, sum := make([]bool, len(e.atoms)), make([]int, len(e.atoms))
	for _, b := range e.bonds {
		if int(e.atoms[b.a].charge)*int(e.atoms[b.b].charge) < 0 {
			paired[b.a], paired[b.b] = true, true
		}
		sum[b.a] += int(b.order)
		sum[b.b] += int(b.order)
	}
	for i := range e.atoms {
		a := &e.atoms[i]
		if a.charge == 0 || paired[i] {
			continue
		}
		if m, ok := maxBonds(a.number, 0); ok && sum[i] <= m || a.number == 16 && a.charge < 0 {
			a.charge = 0
		} else {
			left++
		}
	}
	return left
}

// possible reports whether no atom has too many bonds.
func (e *edit) possible() bool {
	sum := make([]int, len(e.atoms))
	for _, b := range e.bonds {
		sum[b.a] += int(b.order)
		sum[b.b] += int(b.order)
	}
	for i, a := range e.atoms {
		if m, ok := maxBonds(a.number, a.charge); ok && sum[i] > m {
			return false
		}
	}
	return true
}

// bondTypes are the types of bonds by order.
var bondTypes = [...]chem.BondType{chem.NoBond, chem.Single, chem.Double, chem.Triple}

// structure returns the edit for the toolkit, with implicit hydrogens.
func (e *edit) structure() *chem.Structure {
	s := &chem.Structure{Atoms: make([]chem.Atom, len(e.atoms)), Bonds: make([]chem.Bond, len(e.bonds))}
	for i, a := range e.atoms {
		s.Atoms[i] = chem.Atom{Number: a.number, Charge: int32(a.charge)}
	}
	for i, b := range e.bonds {
		s.Bonds[i] = chem.Bond{Begin: b.a, End: b.b, Type: bondTypes[b.order]}
	}
	return s
}
