package smiles

import (
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
)

// atomCodes and bondCodes are how many values each feature has.
var atomCodes, bondCodes = chem.OGBAtomSizes[:], chem.OGBBondSizes[:]

// graphOf is a molecule as OGB has it: atoms and bonds in the order of the SMILES, with both
// directions of a bond one edge or, directed, one behind the other.
func graphOf(m chem.Molecule, directed bool) (*graph.Graph, error) {
	s, err := m.Structure()
	if err != nil {
		return nil, err
	}
	g := graph.Graph{NumNodes: len(s.Atoms), Label: graph.NoLabel, Directed: directed,
		Node: graph.Features{Codes: atomCodes, Code: make([]int32, 0, len(s.Atoms)*len(atomCodes))},
		Edge: graph.Features{Codes: bondCodes}}
	for _, a := range s.Atoms {
		row := chem.OGBAtom(a)
		g.Node.Code = append(g.Node.Code, row[:]...)
	}
	edges := len(s.Bonds)
	if directed {
		edges *= 2
	}
	g.Ends, g.Edge.Code = make([]int32, 0, 2*edges), make([]int32, 0, edges*len(bondCodes))
	for _, b := range s.Bonds {
		row := chem.OGBBond(b)
		g.Ends, g.Edge.Code = append(g.Ends, b.Begin, b.End), append(g.Edge.Code, row[:]...)
		if directed {
			g.Ends, g.Edge.Code = append(g.Ends, b.End, b.Begin), append(g.Edge.Code, row[:]...)
		}
	}
	return graph.New(g)
}
