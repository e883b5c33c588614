package experiment

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/report/picture"
)

// zincDrawn is how many molecules can be drawn: a training stores the edge clusters of the first so
// many of the test part.
const zincDrawn = 50

// zincDrawing is the data of a training of the edges that pictures need.
type zincDrawing struct {
	atoms, bonds []byte  // predicted; atoms are nil if they are known
	clusters     []int32 // of the edges of the first molecules; nil if they were not stored
}

// zincPicture is a figure of molecules in preparation, with a row for each.
type zincPicture struct {
	truth   *zincTruth
	lines   []zincLine         // of one ratio
	colours map[int32]draw.Ink // of the clusters that have a bond
	missing bool               // some bond is predicted to be missing
	cells   []picture.Cell
}

// wrongInk is the colour of wrongly predicted bonds and atoms.
const wrongInk draw.Ink = "#e58a2e"

// pictures returns a figure for each ratio with the first molecules of the test part: their clusters,
// and their reconstruction by each row, from the training of the first seed. Structures are not
// sanitised, so that invalid molecules are drawn as well. Without a chemistry toolkit there are no
// figures.
func (t zincTable) pictures(name string) (out []report.Part, err error) {
	if t.molecules == 0 || t.truth.toolkit == nil {
		return nil, nil
	}
	for _, ratio := range t.ratios {
		drawn := t.truth.graphs[:min(t.molecules, len(t.truth.graphs))]
		edges := lists.SumOf(drawn, func(g *graph.Graph) int { return g.NumEdges() })
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
		grid := p.grid()
		grid.Title = fmt.Sprintf("Molecules and their reconstructions at ratio %g", ratio)
		scene, err := picture.Molecules(grid, t.truth.toolkit)
		if err != nil {
			return nil, err
		}
		f, err := report.Drawn(fmt.Sprintf("%s-molecules-%g", name, ratio), fmt.Sprintf("The first molecules of the test part and their reconstructions at ratio %g, seed %d", ratio, t.seeds[0]), scene)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// grid has the cells and a legend of their colours.
func (p *zincPicture) grid() picture.Grid {
	g := picture.Grid{Cells: p.cells, Columns: 1 + len(p.lines), Width: 60 + 280*float64(1+len(p.lines))}
	for _, k := range slices.Sorted(maps.Keys(p.colours)) {
		g.Keys = append(g.Keys, picture.HaloKey(p.colours[k], fmt.Sprintf("cluster %d", k)))
	}
	wrong := "wrong bond"
	if slices.ContainsFunc(p.lines, func(l zincLine) bool { return l.drawing.atoms != nil }) {
		wrong = "wrong bond or atom"
	}
	if p.missing {
		g.Note = "Dashes: no bond is predicted where there is one."
	}
	g.Keys = append(g.Keys, picture.HaloKey(wrongInk, wrong))
	return g
}

// row draws a molecule, given its first node and edge among all.
func (p *zincPicture) row(i int, g *graph.Graph, node, edge int) error {
	t := p.truth
	atoms, bonds := t.atoms[node:][:g.NumNodes], t.bonds[edge:][:g.NumEdges()]
	original, err := t.structure(g, atoms, bonds, true)
	if err != nil {
		return err
	}
	p.cells = append(p.cells, p.clustered(i, original, t.bondEdges(g), edge))
	for _, line := range p.lines {
		d := line.drawing
		predicted := zincPredicted{atoms: atoms, bonds: d.bonds[edge:][:g.NumEdges()]}
		if d.atoms != nil {
			predicted.atoms = d.atoms[node:][:g.NumNodes]
		}
		cell, err := p.reconstructed(i, original, predicted)
		if err != nil {
			return err
		}
		cell.TopLeft = line.row.title
		p.cells = append(p.cells, cell)
	}
	return nil
}

// clustered colours the bonds of original i by the clusters of HyperCluster, if it is among the
// rows and has stored them. The edges of i start at first.
func (p *zincPicture) clustered(i int, s *chem.Structure, edges []int, first int) picture.Cell {
	c := picture.Cell{Structure: s, TopLeft: fmt.Sprintf("molecule %d", i), BottomLeft: "original"}
	for _, line := range p.lines {
		if line.drawing.clusters == nil {
			continue
		}
		of := map[int32]bool{}
		for _, e := range edges {
			k := line.drawing.clusters[first+e]
			c.Shades = append(c.Shades, picture.Shade{Ink: p.colours[k], Title: fmt.Sprintf("cluster %d", k)})
			of[k] = true
		}
		c.BottomLeft = "original, " + report.Counted(len(of), "cluster")
	}
	return c
}

// zincPredicted has the predicted types of one molecule.
type zincPredicted struct{ atoms, bonds []byte }

// reconstructed draws predicted types of molecule i at the positions of the original, with colours
// under wrong ones.
func (p *zincPicture) reconstructed(i int, original *chem.Structure, of zincPredicted) (picture.Cell, error) {
	s, err := p.truth.structure(p.truth.graphs[i], of.atoms, of.bonds, true)
	if err != nil {
		return picture.Cell{}, err
	}
	c := picture.Cell{Structure: s, Like: original, AtomShades: make([]picture.Shade, len(s.Atoms)), Shades: []picture.Shade{}}
	bonds, atoms := 0, 0
	for b, bond := range s.Bonds {
		shade := picture.Shade{}
		if bond.Type != original.Bonds[b].Type {
			bonds++
			shade.Ink = wrongInk
			p.missing = p.missing || bond.Type == chem.NoBond
		}
		if bond.Type != chem.NoBond {
			c.Shades = append(c.Shades, shade)
		}
	}
	for v, a := range s.Atoms {
		if a != original.Atoms[v] {
			atoms++
			c.AtomShades[v].Ink = wrongInk
		}
	}
	c.BottomLeft = "all right"
	if bonds+atoms > 0 {
		c.BottomLeft = fmt.Sprintf("wrong: %d of %d bonds", bonds, len(s.Bonds))
		if p.lines[0].drawing.atoms != nil {
			c.BottomLeft += fmt.Sprintf(", %d of %d atoms", atoms, len(s.Atoms))
		}
		c.BottomRight = p.truth.judged(i, of)
	}
	return c, nil
}

// judged says whether predicted types are a valid molecule, and whether it is the true one although
// some types are wrong (for example other double bonds in an aromatic ring). It is empty if the
// scores do not tell.
func (t *zincTruth) judged(i int, of zincPredicted) string {
	if t.toolkit == nil || t.smiles[i] == "" {
		return ""
	}
	switch t.rebuild(t.graphs[i], of.atoms, of.bonds) {
	case "":
		return "not valid"
	case t.smiles[i]:
		return "same molecule"
	}
	return ""
}

// picturesNote lists the rows without clusters although their model has some.
func (t zincTable) picturesNote() string {
	if t.molecules > 0 && t.truth.toolkit == nil {
		return "Pictures of molecules are left out: " + chem.ErrNoToolkit.Error() + "."
	}
	if t.molecules > 0 {
		for _, line := range t.lines {
			if line.row.conv == "" && line.drawing.clusters == nil {
				return "The kept trainings of " + line.row.title + " have no clusters of edges: its molecules are drawn without."
			}
		}
	}
	return ""
}
