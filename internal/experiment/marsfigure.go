package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/generate/mars"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/picture"
)

// Sizes of pictures of molecules.
const (
	marsBest  = 10 // molecules for each score
	marsEdits = 12 // in a chain
)

// figures returns the curves of every list, the best molecules by each score and the edits of a
// chain; the last two are from the first run of the last row on the first list.
func (t marsTable) figures() (out []*report.Figure, err error) {
	for i, l := range t.lists {
		f, err := t.curves(i, l)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	row := len(t.rows) - 1
	for row > 0 && t.rows[row].name == marsUniform {
		row--
	}
	run := t.of(0, row)[0]
	what := fmt.Sprintf("%s, fragments of %s, seed %d", t.rows[row].title, t.lists[0].name, run.Config.Seed)
	best, err := t.best(what, run)
	if err != nil {
		return nil, err
	}
	edits, err := t.edits(what, run)
	if err != nil {
		return nil, err
	}
	return append(out, best, edits), nil
}

// curves returns measurements over the steps, with the deviation over seeds.
func (t marsTable) curves(list int, l *marsList) (*report.Figure, error) {
	var charts []*report.Chart
	for _, of := range []struct {
		title string
		of    func(mars.Progress) float64
	}{
		{"mean of the target", func(p mars.Progress) float64 { return p.Mean }},
		{"success, strict, %", func(p mars.Progress) float64 { return 100 * p.Sets[0].Success }},
		{"success, original, %", func(p mars.Progress) float64 { return 100 * p.Sets[1].Success }},
		{"heavy atoms", func(p mars.Progress) float64 { return p.Atoms }},
	} {
		var lines []meanLine
		for k, row := range t.rows {
			runs := t.of(list, k)
			lines = append(lines, meanOver(row.title, runs, func(r marsRun) int { return len(r.History) }, // some runs stop early
				func(i int) float64 { return float64(runs[0].History[i].Step) }, func(r marsRun, i int) float64 { return of.of(r.History[i]) }))
		}
		charts = append(charts, meanChart(of.title, "step", "mean over seeds", lines))
	}
	return report.Charted("mars-"+fileName(l.name), "MARS over the steps, fragments of "+l.name+", with the deviation over seeds", 2, drawnCharts(charts))
}

// best returns the different molecules of the last population with the largest value of each score.
func (t marsTable) best(what string, run marsRun) (*report.Figure, error) {
	g := picture.Grid{Columns: marsBest / 2, Width: 1100}
	for k, s := range marsScores {
		of := slices.Clone(run.Final)
		slices.SortFunc(of, func(a, b mars.Scored) int {
			return cmp.Or(cmp.Compare(b.Values[k], a.Values[k]), cmp.Compare(a.SMILES, b.SMILES))
		})
		of = slices.CompactFunc(of, func(a, b mars.Scored) bool { return a.SMILES == b.SMILES })
		for _, m := range of[:min(marsBest, len(of))] {
			g.Cells = append(g.Cells, picture.Cell{SMILES: m.SMILES, TopLeft: s.title, TopRight: fmt.Sprintf("%.2f", m.Values[k])})
		}
		for len(g.Cells)%g.Columns != 0 { // each score starts a new row
			g.Cells = append(g.Cells, picture.Cell{})
		}
	}
	return drawnMolecules("mars-molecules", "The best molecules by each score: "+what, g, t.toolkit)
}

// edits returns the last moves of the stored chain with the highest final score.
func (t marsTable) edits(what string, run marsRun) (*report.Figure, error) {
	path := slices.MaxFunc(run.Paths, func(a, b []mars.Move) int { return cmp.Compare(a[len(a)-1].Target, b[len(b)-1].Target) })
	path = path[max(0, len(path)-marsEdits):]
	g := picture.Grid{Columns: 4}
	for _, m := range path {
		c := picture.Cell{SMILES: m.SMILES, TopLeft: fmt.Sprintf("step %d", m.Step), TopRight: fmt.Sprintf("%.3f", m.Target), BottomLeft: "+ " + m.Arm}
		switch {
		case m.Step < 0:
			c.TopLeft, c.BottomLeft = "start", ""
		case m.Arm == "":
			c.BottomLeft = "cut"
		}
		g.Cells = append(g.Cells, c)
	}
	return drawnMolecules("mars-edits", "The last edits of a chain, with its target: "+what, g, t.toolkit)
}
