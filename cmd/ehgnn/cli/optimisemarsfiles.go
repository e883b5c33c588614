package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/generate/mars"
	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/picture"
)

// marsFiles is the folder of --search mars.
type marsFiles struct {
	*optimiseFiles
	progress *atomicfile.Lines
	known    int   // steps that progress.jsonl has
	err      error // of the last line of progress that could not be written
}

// marsSettings and mars.Config determine the results.
type marsSettings struct {
	Scores    []scoreTerm `json:"scores"`
	Combine   string      `json:"combine,omitempty"`
	Fragments string      `json:"fragments"` // checksum
	Start     []string    `json:"start"`
	MaxAtoms  int         `json:"max_atoms"`
	Reference string      `json:"reference,omitempty"` // checksum
	Toolkit   string      `json:"toolkit"`
}

func openMARSFiles(dir string, of marsSettings, set *score.Set) (*marsFiles, error) {
	files, err := openOptimiseFiles(dir, of, set)
	if err != nil {
		return nil, err
	}
	f := &marsFiles{optimiseFiles: files}
	if f.progress, err = atomicfile.OpenLines(filepath.Join(dir, "progress.jsonl"), atomicfile.KeepAll); err != nil {
		files.close()
		return nil, err
	}
	f.known = f.progress.Len()
	return f, nil
}

func (f *marsFiles) close() {
	f.optimiseFiles.close()
	f.progress.Close()
}

// step stores an evaluation, unless it was stored before a kill.
func (f *marsFiles) step(p mars.Progress) {
	if p.Step < f.known {
		return
	}
	if err := f.progress.Append(p); err != nil {
		f.err = err
	}
}

// drawnBest is how many of the best molecules are drawn, and shownBest how many are printed.
const (
	drawnBest = 20
	shownBest = 10
)

// result writes the final files.
func (f *marsFiles) result(r *mars.Result, names []string, tk chem.Toolkit) error {
	if f.err != nil {
		return f.err
	}
	if err := report.WriteTable(filepath.Join(f.dir, "molecules.csv"), scoredTable(r.Best, names)); err != nil {
		return err
	}
	if err := report.WriteTable(filepath.Join(f.dir, "population.csv"), scoredTable(r.Final, names)); err != nil {
		return err
	}
	if err := atomicfile.WriteJSON(filepath.Join(f.dir, "summary.json"), f.summary(r, names)); err != nil {
		return err
	}
	if len(r.Best) == 0 {
		return nil
	}
	grid := picture.Grid{}
	for i, m := range r.Best[:min(drawnBest, len(r.Best))] {
		grid.Cells = append(grid.Cells, picture.Cell{SMILES: m.SMILES, TopLeft: fmt.Sprint(i + 1), TopRight: fmt.Sprintf("%.3f", m.Target), BottomRight: valuesText(m, names)})
	}
	scene, err := picture.Molecules(grid, tk)
	if err != nil {
		return err
	}
	for name, render := range map[string]func() ([]byte, error){"best.svg": scene.SVG, "best.png": scene.PNG} {
		picture, err := render()
		if err != nil {
			return err
		}
		if err := atomicfile.WriteBytes(filepath.Join(f.dir, name), picture); err != nil {
			return err
		}
	}
	return nil
}

// valuesText lists the scores of a molecule.
func valuesText(m mars.Scored, names []string) string {
	var out []string
	for k, n := range names {
		out = append(out, fmt.Sprintf("%s %.2f", n, m.Values[k]))
	}
	return strings.Join(out, "  ")
}

// scoredTable is a table of molecules with their scores.
func scoredTable(of []mars.Scored, names []string) *report.Table {
	smiles, targets, values := make([]string, len(of)), make([]float32, len(of)), make([][]float32, len(names))
	for i, m := range of {
		smiles[i], targets[i] = m.SMILES, float32(m.Target)
		for k := range names {
			values[k] = append(values[k], float32(m.Values[k]))
		}
	}
	t := &report.Table{Columns: []report.Column{report.Strings("smiles", smiles), report.Floats("target", targets)}}
	for k, n := range names {
		t.Columns = append(t.Columns, report.Floats(n, values[k]))
	}
	return t
}

// optimised is the result for programs.
type optimised struct {
	Dir     string         `json:"dir"`
	Scores  []string       `json:"scores"`
	Steps   int            `json:"steps"`
	Stalled bool           `json:"stalled"`
	Last    *mars.Progress `json:"last"`
	Best    []mars.Scored  `json:"best"`
	Calls   []score.Calls  `json:"calls"`
	Seconds mars.Seconds   `json:"seconds"`
}

func (f *marsFiles) summary(r *mars.Result, names []string) optimised {
	out := optimised{Dir: f.dir, Scores: names, Steps: r.Steps, Stalled: r.Stalled, Best: r.Best, Calls: r.Calls, Seconds: r.Seconds}
	if n := len(r.History); n > 0 {
		out.Last = &r.History[n-1]
	}
	return out
}

// print writes the best molecules and a summary of the chains.
func (f *marsFiles) print(w io.Writer, r *mars.Result, names []string) error {
	list := moleculeListing(names)
	for _, m := range r.Best[:min(shownBest, len(r.Best))] {
		list.Rows = append(list.Rows, append(scoreCells(m.Target, m.Values), m.SMILES))
	}
	text := list.Text()
	if n := len(r.History); n > 0 {
		last := r.History[n-1]
		text += fmt.Sprintf("\nAfter %d steps the mean target is %.4f", r.Steps, last.Mean)
		for _, e := range last.Sets {
			text += fmt.Sprintf("; %.1f %% of the chains reach all thresholds", 100*e.Success)
			if e.Success > 0 {
				text += fmt.Sprintf(", %.1f %% of these are different", 100*e.Unique)
			}
		}
		text += ".\n"
	}
	if r.Stalled {
		text += "The chains ended early, because they did not improve (--patience).\n"
	}
	for _, c := range r.Calls {
		text += fmt.Sprintf("%s: %d molecules scored", c.Name, c.Molecules)
		if c.Failed > 0 {
			text += fmt.Sprintf(", %d without a number", c.Failed)
		}
		text += "\n"
	}
	_, err := io.WriteString(w, text+fmt.Sprintf("Written to %s as molecules.csv, best.svg, best.png, population.csv, scores.jsonl, progress.jsonl and summary.json.\n", f.dir))
	return err
}
