package molgan

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/unionfind"
)

// bondCodes is the number of codes of a pair: none, single, double, triple, aromatic, as in
// chem.BondType.
const bondCodes = int(chem.Aromatic) + 1

// Space is the set of graphs that are generated.
type Space struct {
	Size     int     `json:"size"`     // largest number of atoms
	Elements []uint8 `json:"elements"` // atomic numbers of the codes 1, 2, ...; code 0 is a pad
}

// QM9 has up to nine atoms of carbon, nitrogen, oxygen and fluorine.
var QM9 = Space{Size: 9, Elements: []uint8{6, 7, 8, 9}}

// maxSize is the largest number of atoms of a generated molecule. The size of networks grows with
// its square.
const maxSize = 64

// Validate returns an error for a space without pairs, or whose elements are unknown or not in
// ascending order.
func (s Space) Validate() error {
	if s.Size < 2 || s.Size > maxSize {
		return fmt.Errorf("molgan: molecules of %d atoms, expected 2 to %d", s.Size, maxSize)
	}
	if len(s.Elements) == 0 || s.Elements[0] == 0 || s.Elements[len(s.Elements)-1] > 118 || !slices.IsSorted(s.Elements) || len(slices.Compact(slices.Clone(s.Elements))) < len(s.Elements) {
		return fmt.Errorf("molgan: elements %v, expected ascending atomic numbers", s.Elements)
	}
	return nil
}

// Pairs returns the number of unordered pairs of atoms.
func (s Space) Pairs() int { return s.Size * (s.Size - 1) / 2 }

// atomCodes returns the number of codes of an atom, including the pad.
func (s Space) atomCodes() int { return 1 + len(s.Elements) }

// ends returns the atoms of each pair, in the order (0,1), (0,2), ..., (1,2), ...
func (s Space) ends() [][2]int32 {
	out := make([][2]int32, 0, s.Pairs())
	for i := range int32(s.Size) {
		for j := i + 1; j < int32(s.Size); j++ {
			out = append(out, [2]int32{i, j})
		}
	}
	return out
}

// Molecule is a graph of a Space as codes: of atoms [Size] and of pairs [Pairs].
type Molecule struct{ Atoms, Bonds []uint8 }

// Encode returns a structure as codes, its atoms first and then pads. It returns an error if the
// structure is not in the space or has an atom without a bond.
func (s Space) Encode(of *chem.Structure) (Molecule, error) {
	m := Molecule{Atoms: make([]uint8, s.Size), Bonds: make([]uint8, s.Pairs())}
	if len(of.Atoms) > s.Size {
		return m, fmt.Errorf("molgan: %d atoms, expected at most %d", len(of.Atoms), s.Size)
	}
	for i, a := range of.Atoms {
		code, ok := slices.BinarySearch(s.Elements, a.Number)
		if !ok {
			return m, fmt.Errorf("molgan: atom %d has atomic number %d, expected one of %v", i, a.Number, s.Elements)
		}
		m.Atoms[i] = uint8(1 + code)
	}
	bonded := make([]bool, s.Size)
	for i, b := range of.Bonds {
		if int(b.Type) >= bondCodes {
			return m, fmt.Errorf("molgan: bond %d has type %d, expected at most %d", i, b.Type, bondCodes-1)
		}
		m.Bonds[s.pair(int(b.Begin), int(b.End))] = uint8(b.Type)
		if b.Type != chem.NoBond {
			bonded[b.Begin], bonded[b.End] = true, true
		}
	}
	if i := slices.Index(bonded[:len(of.Atoms)], false); i >= 0 {
		return m, fmt.Errorf("molgan: atom %d has no bond", i)
	}
	return m, nil
}

// pair returns the number of the pair of two atoms.
func (s Space) pair(i, j int) int {
	if i > j {
		i, j = j, i
	}
	return i*(2*s.Size-i-1)/2 + j - i - 1
}

// Whole returns a structure with every row as an atom, pads as atoms with number 0, and every pair
// with a code as a bond.
func (s Space) Whole(m Molecule) *chem.Structure {
	out := &chem.Structure{Atoms: make([]chem.Atom, s.Size)}
	for i, code := range m.Atoms {
		if code > 0 {
			out.Atoms[i].Number = s.Elements[code-1]
		}
	}
	for p, e := range s.ends() {
		if m.Bonds[p] != 0 {
			out.Bonds = append(out.Bonds, chem.Bond{Begin: e[0], End: e[1], Type: chem.BondType(m.Bonds[p])})
		}
	}
	return out
}

// Structure returns a graph without the pads that have no bond. ok is false if the rest cannot be a
// molecule: it has no bond, a pad or several parts. It does not check valences.
func (s Space) Structure(m Molecule) (of *chem.Structure, ok bool) {
	whole := s.Whole(m)
	bonded := make([]bool, s.Size)
	for _, b := range whole.Bonds {
		bonded[b.Begin], bonded[b.End] = true, true
	}
	of, ok = &chem.Structure{}, len(whole.Bonds) > 0
	at := make([]int32, s.Size)
	for i, a := range whole.Atoms {
		if a.Number == 0 && !bonded[i] {
			continue
		}
		ok = ok && a.Number != 0
		at[i] = int32(len(of.Atoms))
		of.Atoms = append(of.Atoms, a)
	}
	parts := unionfind.New(len(of.Atoms))
	for _, b := range whole.Bonds {
		b.Begin, b.End = at[b.Begin], at[b.End]
		parts.Union(b.Begin, b.End)
		of.Bonds = append(of.Bonds, b)
	}
	_, n := parts.Number()
	return of, ok && n == 1
}
