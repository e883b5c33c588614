package smiles

import (
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
)

// atomCodes and bondCodes are the numbers of values of the features.
var atomCodes, bondCodes = chem.OGBAtomSizes[:], chem.OGBBondSizes[:]

// graphOf returns a molecule as in OGB: atoms and bonds in the order of the SMILES, with one edge
// for both directions of a bond. If hydrogens are atoms, they come last.
func graphOf(m chem.Molecule, hydrogens bool) (*graph.Graph, error) {
	if hydrogens {
		full, err := m.WithHydrogens()
		if err != nil {
			return nil, err
		}
		defer full.Close()
		m = full
	}
	s, err := m.Structure()
	if err != nil {
		return nil, err
	}
	g := graph.Graph{NumNodes: len(s.Atoms), Label: graph.NoLabel,
		Node: graph.Features{Codes: atomCodes, Code: make([]int32, 0, len(s.Atoms)*len(atomCodes))},
		Edge: graph.Features{Codes: bondCodes}}
	for _, a := range s.Atoms {
		row := chem.OGBAtom(a)
		g.Node.Code = append(g.Node.Code, row[:]...)
	}
	g.Ends, g.Edge.Code = make([]int32, 0, 2*len(s.Bonds)), make([]int32, 0, len(s.Bonds)*len(bondCodes))
	for _, b := range s.Bonds {
		row := chem.OGBBond(b)
		g.Ends, g.Edge.Code = append(g.Ends, b.Begin, b.End), append(g.Edge.Code, row[:]...)
	}
	return graph.New(g)
}

// arcs returns a molecule with an edge for each direction of a bond: from its first atom to its
// second, followed by the reverse. Labels of edges are left out.
func arcs(g *graph.Graph) *graph.Graph {
	out := *g
	out.Directed, out.EdgeLabel, out.EdgeTargets = true, nil, nil
	twice := make([]int32, 0, 2*g.NumEdges())
	out.Ends = make([]int32, 0, 2*len(g.Ends))
	for e := range int32(g.NumEdges()) {
		u, v := g.Ends[2*e], g.Ends[2*e+1]
		out.Ends, twice = append(out.Ends, u, v, v, u), append(twice, e, e)
	}
	out.Edge = g.Edge.Take(twice)
	return &out
}
