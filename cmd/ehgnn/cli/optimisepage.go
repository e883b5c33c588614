package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/report/picture"
)

// writePage writes report.html, and the best molecules as SVG and PNG.
func (f *optimiseFound) writePage(dir string, tk chem.Toolkit) error {
	curves, err := report.Drawn("", "The best score, and the means of the best 10 and 100, over the calls", f.curves())
	if err != nil {
		return err
	}
	scene, err := picture.Molecules(f.grid(), tk)
	if err != nil {
		return err
	}
	grid, err := report.Drawn("best", "The best molecules, no two of them more alike than 0.6, each with its score and its call", scene)
	if err != nil {
		return err
	}
	grid.Vector = true
	d := &report.Document{Title: "Molecules optimised for " + f.list(), Lead: f.verdict(), Parts: []report.Part{grid, curves, f.listing()},
		Remarks: []string{"QED is drug-likeness, SA how easy a molecule is to make, both in [0, 1]. The similarity is that of Tanimoto to the nearest molecule of the start, of Morgan counts of radius 2. molecules.csv has all molecules."}}
	if err := atomicfile.Write(filepath.Join(dir, report.PageFile), d.WriteHTML); err != nil {
		return err
	}
	for name, content := range map[string][]byte{"best.svg": grid.SVG, "best.png": grid.PNG} {
		err := atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// list names the scores.
func (f *optimiseFound) list() (text string) {
	for i, n := range f.names {
		switch {
		case i > 0 && i == len(f.names)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += n
	}
	return text
}

// verdict says what was found.
func (f *optimiseFound) verdict() []string {
	s := f.summary
	out := []string{fmt.Sprintf("%s scored %d molecules; the best has %.3f, the best 10 have %.3f and the best 100 %.3f in the mean.", f.search, s.Calls, f.molecules[0].Total, s.Mean10, s.Mean100)}
	if s.Ended != "" {
		out[0] += " It ended before its budget: " + s.Ended + "."
	}
	switch {
	case s.Success == nil:
	case s.Success.Molecules == 0:
		out = append(out, "No molecule reaches all thresholds.")
	default:
		out = append(out, fmt.Sprintf("%s all thresholds, the first at call %d; they have %s, and %d of them are less alike than 0.4.",
			reach(s.Success.Molecules), s.Success.FirstCall, report.Counted(s.Success.Scaffolds, "scaffold"), s.Success.Distinct))
	}
	return out
}

func reach(n int) string {
	if n == 1 {
		return "1 molecule reaches"
	}
	return fmt.Sprintf("%d molecules reach", n)
}

// curves are the means of the best molecules over the calls.
func (f *optimiseFound) curves() draw.Figure {
	panel := draw.Curves{X: "calls", Y: "score", Legend: draw.BottomRight, Bare: true}
	for _, k := range []int{1, 10, 100} {
		c := draw.Curve{Name: fmt.Sprintf("mean of the best %d", k)}
		if k == 1 {
			c.Name = "best"
		}
		var best []float64
		step := max(1, len(f.byCall)/200)
		for i, v := range f.byCall {
			at, _ := slices.BinarySearchFunc(best, v, func(have, v float64) int {
				if have > v {
					return -1
				}
				return 1
			})
			best = slices.Insert(best, at, v)
			best = best[:min(k, len(best))]
			if len(best) == k && (i%step == 0 || i == len(f.byCall)-1) {
				sum := 0.0
				for _, b := range best {
					sum += b
				}
				c.X, c.Y = append(c.X, float64(i+1)), append(c.Y, sum/float64(k))
			}
		}
		if len(c.X) > 1 {
			panel.Curves = append(panel.Curves, c)
		}
	}
	return draw.Figure{Panels: []draw.Panel{panel}, Columns: 1, Width: 460, Height: 280}
}

// gridAlike is the similarity from which on a molecule of the grid is left out, gridMost how many it has.
const (
	gridAlike = 0.6
	gridMost  = 12
)

// grid are the best molecules that are not too alike.
func (f *optimiseFound) grid() picture.Grid {
	g := picture.Grid{}
	if f.single != "" {
		g.Start = &picture.Cell{SMILES: f.single, TopLeft: "start"}
	}
	var shown []surrogate.Bits
	for _, m := range f.molecules {
		if slices.ContainsFunc(shown, func(b surrogate.Bits) bool { return surrogate.Similarity(b, m.bits) > gridAlike }) {
			continue
		}
		shown = append(shown, m.bits)
		g.Cells = append(g.Cells, picture.Cell{SMILES: m.SMILES, TopLeft: fmt.Sprintf("%.3f", m.Total), TopRight: fmt.Sprintf("call %d", m.Call),
			BottomLeft: fmt.Sprintf("QED %.2f", m.QED), BottomRight: fmt.Sprintf("SA %.2f", m.SA)})
		if len(g.Cells) == gridMost {
			break
		}
	}
	return g
}

// listing are the best molecules.
func (f *optimiseFound) listing() *report.Listing {
	l := moleculeListing(append(slices.Clone(f.names), "QED", "SA", "call", "similarity"))
	for _, m := range f.molecules[:min(shownBest, len(f.molecules))] {
		l.Rows = append(l.Rows, append(scoreCells(m.Total, m.Values), fmt.Sprintf("%.2f", m.QED), fmt.Sprintf("%.2f", m.SA), fmt.Sprint(m.Call), fmt.Sprintf("%.2f", m.Similarity), m.SMILES))
	}
	return l
}

// moleculeListing has a column of the target, one of each name, and one of molecules.
func moleculeListing(names []string) *report.Listing {
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "target"}}}
	for _, n := range names {
		l.Columns = append(l.Columns, report.ListingColumn{Name: n})
	}
	l.Columns = append(l.Columns, report.ListingColumn{Name: "molecule", Left: true})
	return l
}

// scoreCells are a target and the scores that it is made of.
func scoreCells(target float64, scores []float64) []string {
	out := []string{fmt.Sprintf("%.4f", target)}
	for _, v := range scores {
		out = append(out, fmt.Sprintf("%.4f", v))
	}
	return out
}

// text is the result for a terminal.
func (f *optimiseFound) text() string {
	text := f.listing().Text() + "\n"
	for _, line := range f.verdict() {
		text += line + "\n"
	}
	return text + fmt.Sprintf("Written to %s as molecules.csv, report.html, best.svg, best.png, scores.jsonl and summary.json.\n", f.summary.Dir)
}
