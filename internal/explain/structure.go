package explain

import (
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/source"
)

// coded are data sets whose labels are codes of atoms and bonds, by name.
var coded = map[string]struct {
	atoms []chem.Atom
	bonds []chem.BondType
}{
	"MUTAG": {elements(6, 7, 8, 9, 53, 17, 35), []chem.BondType{chem.Aromatic, chem.Single, chem.Double, chem.Triple}},
	"ZINC":  {zincAtoms(), []chem.BondType{chem.NoBond, chem.Single, chem.Double, chem.Triple, chem.Aromatic}},
}

func elements(numbers ...uint8) []chem.Atom {
	out := make([]chem.Atom, len(numbers))
	for i, n := range numbers {
		out[i].Number = n
	}
	return out
}

func zincAtoms() []chem.Atom {
	return lists.Map(chem.ZINCTypes[:], func(t chem.ZINCType) chem.Atom {
		return chem.Atom{Number: t.Number, ExplicitHs: t.ExplicitHs, Charge: t.Charge}
	})
}

// molecule is a graph as atoms and bonds, if the data have the SMILES of graph id, or if they are a
// set with known codes; otherwise nil.
func molecule(s *session.Session, g *graph.Graph, id int) *chem.Structure {
	d, ok := source.Collection(s.Data)
	if !ok {
		return nil
	}
	if d.Whole != nil && id < len(d.Whole.SMILES) {
		if out := parsed(d.Whole.SMILES[id], g.NumNodes, g.Ends, s.Toolkit); out != nil && sameElements(out, g) {
			return out
		}
		return nil
	}
	c, ok := coded[s.Data.Name()]
	if !ok || len(g.Node.Codes) != 1 || len(g.Edge.Codes) != 1 || g.Node.Codes[0] != len(c.atoms) || g.Edge.Codes[0] != len(c.bonds) {
		return nil
	}
	out := &chem.Structure{}
	for _, code := range g.Node.Code {
		if code < 0 {
			return nil
		}
		out.Atoms = append(out.Atoms, c.atoms[code])
	}
	for e, code := range g.Edge.Code {
		if u, v := g.Ends[2*e], g.Ends[2*e+1]; code >= 0 && (!g.Directed || u < v) {
			out.Bonds = append(out.Bonds, chem.Bond{Begin: u, End: v, Type: c.bonds[code]})
		}
	}
	return out
}

// sameElements reports whether the atoms of a structure are those of a graph with OGB features, in
// the same order: an SD file and its SMILES may order atoms differently.
func sameElements(s *chem.Structure, g *graph.Graph) bool {
	width := len(g.Node.Codes)
	if width != len(chem.OGBAtomSizes) {
		return true // unknown element
	}
	for v, a := range s.Atoms {
		if g.Node.Code[v*width] != chem.OGBAtom(a)[0] {
			return false
		}
	}
	return true
}

// TakeSMILES draws the graph as the molecule of a SMILES, if it is that molecule.
func (r *GraphRecord) TakeSMILES(smiles string, tk chem.Toolkit) {
	ends := make([]int32, 0, 2*len(r.Edges))
	for _, e := range r.Edges {
		ends = append(ends, e[0], e[1])
	}
	r.Molecule = parsed(smiles, len(r.Nodes), ends, tk)
}

// parsed is the structure of a SMILES; nil if it is not that of the graph, or if there is no
// toolkit.
func parsed(smiles string, nodes int, ends []int32, tk chem.Toolkit) *chem.Structure {
	if tk == nil {
		return nil
	}
	m, err := tk.Parse(smiles)
	if err != nil {
		return nil
	}
	defer m.Close()
	out, err := m.KekuleStructure()
	if err != nil || len(out.Atoms) != nodes {
		return nil
	}
	edges := map[[2]int32]bool{}
	for i := 0; i < len(ends); i += 2 {
		edges[[2]int32{min(ends[i], ends[i+1]), max(ends[i], ends[i+1])}] = true
	}
	for _, b := range out.Bonds {
		if !edges[[2]int32{min(b.Begin, b.End), max(b.Begin, b.End)}] {
			return nil
		}
	}
	if len(edges) != len(out.Bonds) {
		return nil
	}
	return out
}
