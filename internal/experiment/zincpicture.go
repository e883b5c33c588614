package experiment

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/report/picture"
)

// zincDrawn is how many molecules can be drawn: a training keeps the clusters of the edges
// of so many, the first of the test part.
const zincDrawn = 50

// zincDrawing is what is drawn of a training of the edges.
type zincDrawing struct {
	atoms, bonds []byte  // predicted; atoms are nil where they are known
	clusters     []int32 // of the edges of the first molecules; nil where they were not kept
}

// zincPicture is a figure of molecules in the making, a row for each.
type zincPicture struct {
	truth   *zincTruth
	lines   []zincLine            // of one ratio
	colours map[int32]color.NRGBA // of the clusters that have a bond
	missing bool                  // some bond is predicted to be none
	panels  []draw.Panel
}

// pictures are a figure for each ratio, of the first molecules of the test part with their
// clusters, and of what the training of the first seed makes of them, row by row. Nothing is
// sanitised, so that what is no molecule is drawn, too.
func (t zincTable) pictures(name string) (out []report.Part, err error) {
	if t.molecules == 0 {
		return nil, nil
	}
	for _, ratio := range t.ratios {
		drawn := t.truth.graphs[:min(t.molecules, len(t.truth.graphs))]
		edges := 0
		for _, g := range drawn {
			edges += g.NumEdges()
		}
		p := zincPicture{truth: t.truth}
		for _, line := range t.lines {
			if line.ratio == ratio {
				p.lines = append(p.lines, line)
			}
			if line.ratio == ratio && line.drawing.clusters != nil {
				p.colours = picture.Clusters(line.drawing.clusters[:edges])
			}
		}
		node, edge := 0, 0
		for i, g := range drawn {
			if err := p.row(i, g, node, edge); err != nil {
				return nil, fmt.Errorf("experiment: zinc: molecule %d: %w", i, err)
			}
			node, edge = node+g.NumNodes, edge+g.NumEdges()
		}
		f, err := report.Drawn(fmt.Sprintf("%s-molecules-%g", name, ratio), fmt.Sprintf("The first molecules of the test part and their reconstructions at ratio %g, seed %d", ratio, t.seeds[0]),
			draw.Figure{Panels: p.panels, Columns: 1 + len(p.lines), Width: 210, Height: 165, Key: p.key()})
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// row draws a molecule, whose nodes and edges begin at the given places among all.
func (p *zincPicture) row(i int, g *graph.Graph, node, edge int) error {
	t := p.truth
	atoms, bonds := t.atoms[node:][:g.NumNodes], t.bonds[edge:][:g.NumEdges()]
	original, err := t.structure(g, atoms, bonds, true)
	if err != nil {
		return err
	}
	points, err := picture.Place(original, t.toolkit)
	if err != nil {
		return err
	}
	p.panels = append(p.panels, p.clustered(i, picture.Molecule(original, points), t.bondEdges(g), edge))
	for _, line := range p.lines {
		d := line.drawing
		predicted := zincPredicted{atoms: atoms, bonds: d.bonds[edge:][:g.NumEdges()]}
		if d.atoms != nil {
			predicted.atoms = d.atoms[node:][:g.NumNodes]
		}
		panel, err := p.reconstructed(i, points, original, predicted)
		if err != nil {
			return err
		}
		panel.Title = line.row.title + "\n" + panel.Title
		p.panels = append(p.panels, panel)
	}
	return nil
}

// clustered gives the bonds of original i, which are some of the edges from first on, the
// colours of the clusters of HyperCluster, where it is among the rows and has kept them.
func (p *zincPicture) clustered(i int, d draw.Diagram, edges []int, first int) draw.Diagram {
	d.Title = fmt.Sprintf("molecule %d\noriginal", i)
	for _, line := range p.lines {
		if line.drawing.clusters == nil {
			continue
		}
		of := map[int32]bool{}
		for b, e := range edges {
			k := line.drawing.clusters[first+e]
			d.Edges[b].Band = p.colours[k]
			of[k] = true
		}
		if d.Title += fmt.Sprintf(", %d cluster", len(of)); len(of) > 1 {
			d.Title += "s"
		}
	}
	return d
}

// zincPredicted are predicted types of one molecule.
type zincPredicted struct{ atoms, bonds []byte }

// reconstructed draws predicted types of molecule i at the places of the original, with marks
// around what is wrong.
func (p *zincPicture) reconstructed(i int, points [][2]float64, original *chem.Structure, of zincPredicted) (draw.Diagram, error) {
	s, err := p.truth.structure(p.truth.graphs[i], of.atoms, of.bonds, true)
	if err != nil {
		return draw.Diagram{}, err
	}
	d := picture.Molecule(s, points)
	wrong := 0
	for b, bond := range s.Bonds {
		if bond.Type != original.Bonds[b].Type {
			wrong++
			d.Edges[b].Circled = true
			p.missing = p.missing || bond.Type == chem.NoBond
		}
	}
	for v, a := range s.Atoms {
		if a != original.Atoms[v] {
			d.Labels[v] = a.Label()
			d.Squared = append(d.Squared, int32(v))
		}
	}
	d.Title = "all right"
	if wrong+len(d.Squared) > 0 {
		d.Title = fmt.Sprintf("wrong: %d of %d bonds", wrong, len(s.Bonds))
		if p.lines[0].drawing.atoms != nil {
			d.Title += fmt.Sprintf(", %d of %d atoms", len(d.Squared), len(s.Atoms))
		}
		d.Title += p.truth.judged(i, of)
	}
	return d, nil
}

// judged says whether predicted types are a molecule, and the true one although some are
// wrong, as other double bonds in an aromatic ring are; empty where scores do not say that.
func (t *zincTruth) judged(i int, of zincPredicted) string {
	if t.toolkit == nil || t.smiles[i] == "" {
		return ""
	}
	switch t.rebuild(t.graphs[i], of.atoms, of.bonds) {
	case "":
		return ", not valid"
	case t.smiles[i]:
		return ", same molecule"
	}
	return ""
}

// key explains colours and marks.
func (p *zincPicture) key() []draw.Key {
	out := append(picture.ClusterKey(p.colours), draw.Key{Text: "wrong bond", Line: draw.Line{Circled: true}})
	if slices.ContainsFunc(p.lines, func(l zincLine) bool { return l.drawing.atoms != nil }) {
		out = append(out, draw.Key{Text: "wrong atom", Squared: true})
	}
	if p.missing {
		out = append(out, draw.Key{Text: "no bond predicted", Line: draw.Line{Dashed: true}})
	}
	return out
}

// picturesNote says which rows have no clusters although their model has some.
func (t zincTable) picturesNote() string {
	if t.molecules > 0 {
		for _, line := range t.lines {
			if line.row.conv == "" && line.drawing.clusters == nil {
				return "The kept trainings of " + line.row.title + " have no clusters of edges: its molecules are drawn without."
			}
		}
	}
	return ""
}
