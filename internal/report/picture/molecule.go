package picture

import (
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// Place places the atoms of a structure: by the toolkit, or as any graph where that is nil
// or fails.
func Place(s *chem.Structure, tk chem.Toolkit) ([][2]float64, error) {
	if tk != nil {
		if points, err := tk.Layout(s); err == nil {
			return points, nil
		}
	}
	var ends []int32
	for _, b := range s.Bonds {
		ends = append(ends, b.Begin, b.End)
	}
	return draw.Layout(len(s.Atoms), ends)
}

// Molecule draws a structure whose atoms are at the points: an edge for each bond, in their
// order, and labels at atoms that are no plain carbon. Nothing is checked, so that what is no
// molecule is drawn, too; a bond of type NoBond is a line of dashes.
func Molecule(s *chem.Structure, points [][2]float64) draw.Diagram {
	d := draw.Diagram{Points: points, Labels: make([]string, len(s.Atoms))}
	bonded := make([]bool, len(s.Atoms))
	for _, b := range s.Bonds {
		d.Edges = append(d.Edges, draw.Line{From: b.Begin, To: b.End, Strokes: strokes[min(b.Type, chem.OtherBond)], Dashed: b.Type == chem.NoBond})
		bonded[b.Begin], bonded[b.End] = true, true
	}
	for i, a := range s.Atoms {
		if a.Number != carbon || a.Charge != 0 || !bonded[i] {
			d.Labels[i] = a.Label()
		}
	}
	return d
}

const carbon = 6

// strokes are those of each type of bond.
var strokes = [chem.OtherBond + 1]draw.Strokes{chem.Double: draw.Double, chem.Triple: draw.Triple, chem.Aromatic: draw.Aromatic, chem.Quadruple: draw.Triple}
