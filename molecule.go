package ehgnn

import (
	"fmt"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// TakesSMILES reports whether the run was trained on a table of SMILES.
func (m *Model) TakesSMILES() bool { return m.settings.Data.Molecules != nil }

// Molecule converts a SMILES to a graph as the run's training did. Its nodes are the atoms in the
// order of the SMILES. Its edges are the bonds, or the two directions of each bond one after the
// other. The toolkit is that of package chem/rdkit. It returns an error for a text that is not a
// molecule, and for a run on other data.
func (m *Model) Molecule(tk chem.Toolkit, text string) (*Graph, error) {
	set := m.settings.Data.Molecules
	if set == nil {
		return nil, fmt.Errorf("ehgnn: the run was trained on %s and not on SMILES", m.settings.Data.Source)
	}
	o := smiles.Options{Toolkit: tk, Hydrogens: set.Hydrogens}
	if m.schema.Directed {
		o.Edges = data.Directed
	}
	g, err := smiles.Graph(text, o)
	if err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	out := &Graph{NumNodes: g.NumNodes, Ends: g.Ends, Node: codesOf(g.Node, m.schema.Nodes), Edge: codesOf(g.Edge, m.schema.Edges)}
	if smiles.HasExtension(text) {
		out.Remarks = []string{smiles.NoteExtended(1)}
	}
	return out, nil
}

// codesOf returns categorical features as Columns, by the names of their fields.
func codesOf(f graph.Features, fields []settings.Field) Columns {
	out := Columns{}
	for k, field := range fields {
		column := make(Numbers, len(f.Code)/len(fields))
		for i := range column {
			column[i] = float64(int(f.Code[i*len(fields)+k]) + field.Offset)
		}
		out[field.Name] = column
	}
	return out
}
