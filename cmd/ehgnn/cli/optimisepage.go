package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/report/picture"
)

// writePage writes report.html, and the best molecules as SVG and PNG.
func (f *optimiseFound) writePage(dir string, tk chem.Toolkit) error {
	forms := map[float64]*draw.Scene{}
	for _, width := range []float64{0, report.WideForm, report.MiddleForm, report.NarrowForm} {
		g := f.grid()
		g.Width = width
		scene, err := picture.Molecules(g, tk)
		if err != nil {
			return err
		}
		forms[width] = scene
	}
	file, err := report.Drawn("best", gridCaption, forms[0])
	if err != nil {
		return err
	}
	grid := &report.Scene{Wide: forms[report.WideForm], Middle: forms[report.MiddleForm], Narrow: forms[report.NarrowForm], Caption: gridCaption}
	lines := f.verdict()
	findings := lists.Map(lines[1:], func(line string) report.Finding { return report.Finding{Text: line} })
	d := &report.Document{Title: "Molecules optimised for " + enumerated(f.names), Parts: []report.Part{report.Verdict{Answer: lines[0]}, report.Findings(findings),
		report.Heading{Name: "Molecules", Title: "Best molecules"}, grid, report.Heading{Name: "Search", Title: "Search"}, f.curves(), report.Heading{Name: "Table", Title: "Table of the best"}, f.listing()},
		Remarks: []string{"QED is drug-likeness, SA how easy a molecule is to make, both in [0, 1]. The similarity is that of Tanimoto to the nearest molecule of the start, of Morgan counts of radius 2. molecules.csv has all molecules."}}
	if err := atomicfile.Write(filepath.Join(dir, report.PageFile), d.WriteHTML); err != nil {
		return err
	}
	for name, content := range map[string][]byte{"best.svg": file.SVG, "best.png": file.PNG} {
		if err := atomicfile.WriteBytes(filepath.Join(dir, name), content); err != nil {
			return err
		}
	}
	return nil
}

const gridCaption = "The best molecules, no two of them more alike than 0.6. Rank at the top left, the call at which it was found at the top right, the score at the bottom left."

// enumerated joins names with commas and "and".
func enumerated(names []string) (text string) {
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += n
	}
	return text
}

// verdict describes the result in a sentence.
func (f *optimiseFound) verdict() []string {
	s := f.summary
	out := []string{fmt.Sprintf("The search %s scored %d molecules; the best has %.3f, the best 10 have %.3f and the best 100 %.3f in the mean.", f.search, s.Calls, f.molecules[0].Total, s.Mean10, s.Mean100)}
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
	var clipped []string
	for k, clip := range f.clips {
		if clip > 0 {
			clipped = append(clipped, fmt.Sprintf("%s up to %v", f.names[k], clip))
		}
	}
	if clipped != nil {
		out = append(out, "The target counts "+enumerated(clipped)+"; more is no better (--clip).")
	}
	return out
}

func reach(n int) string {
	if n == 1 {
		return "1 molecule reaches"
	}
	return fmt.Sprintf("%d molecules reach", n)
}

// curves shows the means of the best molecules over the calls.
func (f *optimiseFound) curves() *report.Chart {
	c := &report.Chart{Title: "Score by calls", Tall: true, Hide: true, X: report.LinearAxis("calls of the scores", 0, float64(max(1, len(f.byCall)))), Y: report.ScoreAxis("score"),
		Caption: "The best score, and the means of the best 10 and 100, of the molecules scored so far."}
	for k, n := range []int{1, 10, 100} {
		s := report.Series{Name: fmt.Sprintf("mean of the best %d", n), Colour: report.ColourOf(k), Best: n == 1, Dash: n == 100}
		if n == 1 {
			s.Name = "best"
		}
		s.X, s.Y = bestMeans(f.byCall, n)
		if len(s.X) > 1 {
			c.Series = append(c.Series, s)
		}
	}
	if c.Series == nil {
		c.Empty = "Too few calls for a curve. Allow more with --calls."
	}
	return c
}

// bestMeans returns the means of the n best values so far, at about 200 numbers of values.
func bestMeans(values []float64, n int) (x, y []float64) {
	var best []float64
	step := max(1, len(values)/200)
	for i, v := range values {
		at, _ := slices.BinarySearchFunc(best, v, func(have, v float64) int { return cmp.Compare(v, have) })
		best = slices.Insert(best, at, v)
		best = best[:min(n, len(best))]
		if len(best) == n && (i%step == 0 || i == len(values)-1) {
			sum := lists.Sum(best)
			x, y = append(x, float64(i+1)), append(y, sum/float64(n))
		}
	}
	return x, y
}

// gridAlike is the similarity from which a molecule is left out of the grid; gridMost is how many molecules it has.
const (
	gridAlike = 0.6
	gridMost  = 12
)

// grid shows the best molecules that are not too similar.
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
		g.Cells = append(g.Cells, picture.Cell{SMILES: m.SMILES, TopLeft: fmt.Sprint(len(g.Cells) + 1), TopRight: fmt.Sprintf("call %d", m.Call),
			BottomLeft: report.Score(m.Total), BottomRight: fmt.Sprintf("QED %.2f · SA %.2f", m.QED, m.SA)})
		if len(g.Cells) == gridMost {
			break
		}
	}
	return g
}

// listing lists the best molecules.
func (f *optimiseFound) listing() *report.Listing {
	has := func(name string) bool { return slices.Contains(f.names, strings.ToLower(name)) }
	more := lists.Filter([]string{"QED", "SA"}, func(name string) bool { return !has(name) })
	l := moleculeListing(slices.Concat(f.names, more, []string{"call", "similarity"}))
	for _, m := range f.molecules[:min(shownBest, len(f.molecules))] {
		row := scoreCells(m.Total, m.Values)
		if !has("QED") {
			row = append(row, report.Fixed(m.QED, 3))
		}
		if !has("SA") {
			row = append(row, report.Fixed(m.SA, 3))
		}
		l.Rows = append(l.Rows, append(row, fmt.Sprint(m.Call), fmt.Sprintf("%.2f", m.Similarity), m.SMILES))
	}
	return l
}

// moleculeListing has a column of the target, one for each name, and one of molecules.
func moleculeListing(names []string) *report.Listing {
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "target"}}}
	for _, n := range names {
		l.Columns = append(l.Columns, report.ListingColumn{Name: n})
	}
	l.Columns = append(l.Columns, report.ListingColumn{Name: "molecule", Left: true})
	return l
}

// scoreCells returns a target and the scores that it is computed from.
func scoreCells(target float64, scores []float64) []string {
	return lists.Map(append([]float64{target}, scores...), func(v float64) string { return report.Fixed(v, 3) })
}

// text is the result for a terminal.
func (f *optimiseFound) text() string {
	text := f.listing().Text() + "\n"
	for _, line := range f.verdict() {
		text += line + "\n"
	}
	return text + fmt.Sprintf("Written to %s as molecules.csv, report.html, best.svg, best.png, scores.jsonl and summary.json.\n", f.summary.Dir)
}
