package experiment

import (
	"cmp"
	"context"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// zincTruth has the true molecules, to compare predictions with.
type zincTruth struct {
	graphs   []*graph.Graph
	directed bool
	atoms    []byte // true types of all nodes
	bonds    []byte // and edges, molecule by molecule

	toolkit chem.Toolkit // nil for none: molecules are not rebuilt
	strict  bool         // keep charges and hydrogens, and count every molecule
	smiles  []string     // of each rebuilt molecule; empty if rebuilding fails
	of      int          // number of molecules in the shares
}

func newZINCTruth(ctx context.Context, graphs []*graph.Graph, directed bool, toolkit chem.Toolkit, strict bool) (*zincTruth, error) {
	t := &zincTruth{graphs: graphs, directed: directed, toolkit: toolkit, strict: strict}
	for _, g := range graphs {
		t.atoms, t.bonds = append(t.atoms, lists.Convert[byte](g.Node.Code)...), append(t.bonds, lists.Convert[byte](g.Edge.Code)...)
	}
	if toolkit == nil {
		return t, nil
	}
	err := t.each(ctx, t.atoms, t.bonds, func(_ int, smiles string) {
		t.smiles = append(t.smiles, smiles)
		if smiles != "" || strict {
			t.of++
		}
	})
	return t, err
}

// each rebuilds all molecules from types of atoms and bonds. A SMILES is empty if rebuilding fails.
func (t *zincTruth) each(ctx context.Context, atoms, bonds []byte, f func(i int, smiles string)) error {
	for i, g := range t.graphs {
		if err := ctx.Err(); err != nil {
			return err
		}
		f(i, t.rebuild(g, atoms[:g.NumNodes], bonds[:g.NumEdges()]))
		atoms, bonds = atoms[g.NumNodes:], bonds[g.NumEdges():]
	}
	return nil
}

// bondEdges returns the edges that represent the bonds of a molecule, in the order in which the
// authors' code adds bonds: of the two arcs of a bond, the one from the lower to the higher atom.
func (t *zincTruth) bondEdges(g *graph.Graph) []int {
	var out []int
	for e := range g.NumEdges() {
		if !t.directed || g.Ends[2*e] <= g.Ends[2*e+1] {
			out = append(out, e)
		}
	}
	ends := func(e int) (int32, int32) {
		u, v := g.Ends[2*e], g.Ends[2*e+1]
		return min(u, v), max(u, v)
	}
	slices.SortStableFunc(out, func(a, b int) int {
		au, av := ends(a)
		bu, bv := ends(b)
		return cmp.Or(cmp.Compare(au, bu), cmp.Compare(av, bv))
	})
	return out
}

// structure is the molecule that types of atoms and edges describe, with charges and hydrogens if
// strict is set.
func (t *zincTruth) structure(g *graph.Graph, atoms, types []byte, strict bool) (*chem.Structure, error) {
	var bonds []chem.Bond
	for _, e := range t.bondEdges(g) {
		u, v := g.Ends[2*e], g.Ends[2*e+1]
		bonds = append(bonds, chem.Bond{Begin: min(u, v), End: max(u, v), Type: chem.BondType(types[e])})
	}
	labels := lists.Convert[int32](atoms)
	return chem.FromZINC(labels, bonds, strict)
}

// rebuild returns the canonical SMILES of the molecule that types describe, or an empty text if
// they describe none.
func (t *zincTruth) rebuild(g *graph.Graph, atoms, types []byte) string {
	s, err := t.structure(g, atoms, types, t.strict)
	if err != nil {
		return ""
	}
	m, err := t.toolkit.Build(s)
	if err != nil {
		return ""
	}
	defer m.Close()
	smiles, err := m.SMILES()
	if err != nil {
		return ""
	}
	return smiles
}

// zincScores are shares in percent. Validity and Exact are nil without a toolkit.
type zincScores struct {
	Accuracy float64  `json:"accuracy"` // of predicted types: edges, or atoms and edges
	Atoms    float64  `json:"atoms_right"`
	Bonds    float64  `json:"edges_right"`
	All      float64  `json:"all_right"` // molecules in which all types are correct
	Validity *float64 `json:"validity"`
	Exact    *float64 `json:"exact_match"`
}

// score compares predicted types with the true ones. If atoms is nil, atoms are known.
func (t *zincTruth) score(ctx context.Context, atoms, bonds []byte) (zincScores, error) {
	known := atoms == nil
	if known {
		atoms = t.atoms
	}
	rightAtoms, rightBonds := agree(atoms, t.atoms), agree(bonds, t.bonds)
	s := zincScores{Atoms: percent(rightAtoms, len(t.atoms)), Bonds: percent(rightBonds, len(t.bonds)), All: percent(t.allRight(atoms, bonds), len(t.graphs))}
	if s.Accuracy = s.Bonds; !known {
		s.Accuracy = percent(rightAtoms+rightBonds, len(t.atoms)+len(t.bonds))
	}
	if t.toolkit == nil {
		return s, nil
	}
	valid, exact := 0, 0
	err := t.each(ctx, atoms, bonds, func(i int, smiles string) {
		if smiles == "" || t.smiles[i] == "" && !t.strict {
			return
		}
		valid++
		if smiles == t.smiles[i] {
			exact++
		}
	})
	validity, match := percent(valid, t.of), percent(exact, t.of)
	s.Validity, s.Exact = &validity, &match
	return s, err
}

// allRight counts molecules without a mistake.
func (t *zincTruth) allRight(atoms, bonds []byte) int {
	n, node, edge := 0, 0, 0
	for _, g := range t.graphs {
		a, b := node+g.NumNodes, edge+g.NumEdges()
		if agree(atoms[node:a], t.atoms[node:a]) == a-node && agree(bonds[edge:b], t.bonds[edge:b]) == b-edge {
			n++
		}
		node, edge = a, b
	}
	return n
}

// agree counts equal bytes of two slices of equal length.
func agree(a, b []byte) int {
	n := 0
	for i, v := range a {
		if v == b[i] {
			n++
		}
	}
	return n
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
