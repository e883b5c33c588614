package picture

import (
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// SMILES draws a molecule by its SMILES.
func SMILES(smiles string, tk chem.Toolkit) (draw.Diagram, error) {
	m, err := tk.Parse(smiles)
	if err != nil {
		return draw.Diagram{}, err
	}
	defer m.Close()
	s, err := m.KekuleStructure()
	if err != nil {
		return draw.Diagram{}, err
	}
	points, err := Place(s, tk)
	if err != nil {
		return draw.Diagram{}, err
	}
	return Molecule(s, points), nil
}
