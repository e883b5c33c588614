package operator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
)

// Molecule is a parent: the graph of a molecule in Kekule form.
type Molecule struct {
	SMILES string       // canonical, without stereo
	Counts []chem.Count // Morgan fingerprint of radius 2, if a SMILES was parsed
	// Composition has the numbers of atoms and rings, if a SMILES was parsed.
	Composition chem.Composition
	// Charges is the number of charges without an opposite charge next to them, if Read made the
	// molecule.
	Charges int
	// Chances are the relative probabilities of each end of a bond, see Choice. nil means that all
	// are equal.
	Chances []float64
	atoms   []atom
	bonds   []bond
	around  [][]half // bonds of each atom
	rings   []int    // bonds in rings
	free    []int    // single bonds outside rings
}

// atom has the properties of an atom that an edit keeps.
type atom struct {
	number    uint8
	charge    int8
	hydrogens uint8
	inRing    bool
}

// bond joins two atoms by an order of 1 to 3.
type bond struct {
	a, b   int32
	order  uint8
	inRing bool
}

// half is a bond in the list of one of its atoms.
type half struct {
	to   int32
	bond int
}

// newMolecule returns the graph of a Kekule structure.
func newMolecule(smiles string, s *chem.Structure) *Molecule {
	m := &Molecule{SMILES: smiles, atoms: make([]atom, len(s.Atoms)), bonds: make([]bond, len(s.Bonds)), around: make([][]half, len(s.Atoms))}
	for i, a := range s.Atoms {
		m.atoms[i] = atom{number: a.Number, charge: int8(a.Charge), hydrogens: a.TotalHs, inRing: a.InRing}
	}
	for i, b := range s.Bonds {
		m.bonds[i] = bond{a: b.Begin, b: b.End, order: order(b.Type)}
		m.around[b.Begin] = append(m.around[b.Begin], half{b.End, i})
		m.around[b.End] = append(m.around[b.End], half{b.Begin, i})
	}
	m.findRings()
	for i, b := range m.bonds {
		switch {
		case b.inRing:
			m.rings = append(m.rings, i)
		case b.order == 1:
			m.free = append(m.free, i)
		}
	}
	return m
}

// order returns the order of a bond. Bonds of a Kekule form other than single, double and triple
// count as single.
func order(t chem.BondType) uint8 {
	switch t {
	case chem.Double:
		return 2
	case chem.Triple:
		return 3
	}
	return 1
}

// findRings marks the bonds in rings, which are the bonds that are no bridges (Tarjan's low links,
// depth first).
func (m *Molecule) findRings() {
	n := len(m.atoms)
	entered, low, next, by := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	clock := 0
	for root := range n {
		if entered[root] > 0 {
			continue
		}
		clock++
		entered[root], low[root], by[root] = clock, clock, -1
		for path := []int{root}; len(path) > 0; {
			u := path[len(path)-1]
			if next[u] == len(m.around[u]) {
				path = path[:len(path)-1]
				if len(path) > 0 {
					parent := path[len(path)-1]
					low[parent] = min(low[parent], low[u])
					m.bonds[by[u]].inRing = low[u] <= entered[parent]
				}
				continue
			}
			h := m.around[u][next[u]]
			next[u]++
			switch v := int(h.to); {
			case h.bond == by[u]:
			case entered[v] == 0:
				clock++
				entered[v], low[v], by[v] = clock, clock, h.bond
				path = append(path, v)
			default:
				low[u] = min(low[u], entered[v])
				m.bonds[h.bond].inRing = true
			}
		}
	}
}

// side marks the atoms that can be reached from an atom without the given bonds.
func (m *Molecule) side(from int32, without ...int) []bool {
	in := make([]bool, len(m.atoms))
	in[from] = true
	for todo := []int32{from}; len(todo) > 0; {
		u := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
	bonds:
		for _, h := range m.around[u] {
			for _, cut := range without {
				if h.bond == cut {
					continue bonds
				}
			}
			if !in[h.to] {
				in[h.to] = true
				todo = append(todo, h.to)
			}
		}
	}
	return in
}

// bonded reports whether two atoms have a bond.
func (m *Molecule) bonded(a, b int32) bool {
	return slices.ContainsFunc(m.around[a], func(h half) bool { return h.to == b })
}

// errParts is the error for a molecule with several parts.
var errParts = errors.New("the molecule has several parts")

// open parses a SMILES. It returns the canonical SMILES and the graph, whose SMILES is the given
// one.
func (k *Maker) open(smiles string) (again string, of *Molecule, err error) {
	if strings.Contains(smiles, ".") {
		return "", nil, errParts
	}
	m, err := k.Toolkit.Parse(smiles)
	if err != nil {
		return "", nil, err
	}
	defer m.Close()
	if err := cmp.Or(k.allowed(m), k.screened(m)); err != nil {
		return "", nil, err
	}
	if again, err = m.SMILES(); err != nil {
		return "", nil, err
	}
	s, err := m.KekuleStructure()
	if err != nil {
		return "", nil, err
	}
	if err := noRadicals(s); err != nil {
		return "", nil, err
	}
	of = newMolecule(smiles, s)
	of.Counts, of.Composition, err = describe(m)
	return again, of, err
}

func noRadicals(s *chem.Structure) error {
	for i, a := range s.Atoms {
		if a.Radicals > 0 {
			return fmt.Errorf("atom %d is a radical", i+1)
		}
	}
	return nil
}

// Settle returns a parent from a SMILES that the toolkit wrote. Its SMILES is the one after parsing
// it again.
func (k *Maker) Settle(smiles string) (*Molecule, error) {
	again, m, err := k.open(smiles)
	if err != nil || again == smiles {
		return m, err
	}
	return k.Known(again)
}

// Known returns a parent from a SMILES that Read or Settle returned.
func (k *Maker) Known(name string) (*Molecule, error) {
	_, m, err := k.open(name)
	return m, err
}
