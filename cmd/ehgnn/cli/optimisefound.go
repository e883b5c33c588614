package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/generate/genetic"
	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// foundMolecule is a molecule with properties of interest to chemists.
type foundMolecule struct {
	genetic.Scored
	QED        float64 `json:"qed"`
	SA         float64 `json:"sa"`
	Scaffold   string  `json:"scaffold"`
	Nearest    string  `json:"nearest_start"`
	Similarity float64 `json:"similarity"` // to the nearest start molecule
	Success    bool    `json:"success"`

	bits surrogate.Bits
}

// optimiseFound is the result of a search.
type optimiseFound struct {
	summary   foundSummary
	molecules []foundMolecule // sorted by score
	search    string
	names     []string  // of scores
	clips     []float64 // value of each score beyond which it counts as no better, 0 for none
	byCall    []float64
	single    string // the only start molecule, if there is one
}

// foundSummary is the result for programs.
type foundSummary struct {
	Dir     string          `json:"dir"`
	Search  string          `json:"search"`
	Scores  []string        `json:"scores"`
	Calls   int             `json:"calls"`
	Ended   string          `json:"ended,omitempty"` // reason for an end before the budget was used
	Mean10  float64         `json:"mean_10"`
	Mean100 float64         `json:"mean_100"`
	Success *foundSuccesses `json:"success,omitempty"` // if a score has a threshold
	Best    []foundMolecule `json:"best"`
}

// foundSuccesses describes the molecules that reach all thresholds.
type foundSuccesses struct {
	Molecules int `json:"molecules"`
	FirstCall int `json:"first_call,omitempty"`
	Scaffolds int `json:"scaffolds"`
	// Distinct counts the molecules, best first, whose similarity to each one counted before is below 0.4.
	Distinct int `json:"distinct"`
}

// alike is the similarity from which two successes are not distinct.
const alike = 0.4

// describe computes the columns of the table for each molecule.
func (o *optimise) describe(ctx context.Context, r *genetic.Result, scores *score.Set, thresholds map[string]float64) (*optimiseFound, error) {
	if len(r.All) == 0 {
		return nil, errors.New("--start has no molecule that can be scored")
	}
	smiles := make([]string, len(r.All))
	f := &optimiseFound{search: o.search, names: scores.Names(), clips: scores.Clips()}
	for i, m := range r.All {
		smiles[i] = m.SMILES
		f.byCall = append(f.byCall, m.Total)
	}
	all, err := chem.Map(ctx, o.toolkit, o.app.threads, smiles, describeMolecule)
	if err != nil {
		return nil, err
	}
	var start []foundMolecule
	for i, d := range all {
		if d.Err != nil {
			return nil, d.Err
		}
		d.Value.Scored = r.All[i]
		d.Value.Success = len(thresholds) > 0
		for k, n := range f.names {
			if least, ok := thresholds[n]; ok && r.All[i].Values[k] < least {
				d.Value.Success = false
			}
		}
		if d.Value.Start {
			start = append(start, d.Value)
		}
		f.molecules = append(f.molecules, d.Value)
	}
	for i := range f.molecules {
		m := &f.molecules[i]
		for _, s := range start {
			if v := surrogate.Similarity(m.bits, s.bits); v > m.Similarity {
				m.Nearest, m.Similarity = s.SMILES, v
			}
		}
	}
	if len(start) == 1 {
		f.single = start[0].SMILES
	}
	slices.SortStableFunc(f.molecules, func(a, b foundMolecule) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(scores.Mean(b.Values), scores.Mean(a.Values)))
	})
	f.summary = foundSummary{Dir: o.out, Search: o.search, Scores: f.names, Calls: len(r.All), Ended: r.Ended, Mean10: f.mean(10), Mean100: f.mean(100), Best: f.molecules[:min(drawnBest, len(f.molecules))]}
	if len(thresholds) > 0 {
		f.summary.Success = f.successes()
	}
	return f, nil
}

func describeMolecule(m chem.Molecule) (d foundMolecule, err error) {
	of := &score.Molecule{Molecule: m}
	if d.QED, err = score.QED(of); err != nil {
		return d, err
	}
	if d.SA, err = score.SA(of); err != nil {
		return d, err
	}
	if d.Scaffold, err = m.Scaffold(false); err != nil {
		return d, err
	}
	counts, err := m.MorganCounts(2)
	d.bits = surrogate.NewBits(counts)
	return d, err
}

// mean is the mean of the best n scores.
func (f *optimiseFound) mean(n int) float64 {
	n = min(n, len(f.molecules))
	return lists.SumOf(f.molecules[:n], func(m foundMolecule) float64 { return m.Total }) / float64(n)
}

func (f *optimiseFound) successes() *foundSuccesses {
	s := &foundSuccesses{FirstCall: math.MaxInt}
	scaffolds := map[string]bool{}
	var distinct []surrogate.Bits
	for _, m := range f.molecules {
		if !m.Success {
			continue
		}
		s.Molecules++
		s.FirstCall = min(s.FirstCall, m.Call)
		scaffolds[m.Scaffold] = true
		if !slices.ContainsFunc(distinct, func(b surrogate.Bits) bool { return surrogate.Similarity(b, m.bits) >= alike }) {
			distinct = append(distinct, m.bits)
		}
	}
	if s.Molecules == 0 {
		s.FirstCall = 0
	}
	s.Scaffolds, s.Distinct = len(scaffolds), len(distinct)
	return s
}

// write writes the final files.
func (f *optimiseFound) write(dir string, tk chem.Toolkit) error {
	if err := report.WriteTable(filepath.Join(dir, "molecules.csv"), f.table()); err != nil {
		return err
	}
	if err := atomicfile.WriteJSON(filepath.Join(dir, "summary.json"), f.summary); err != nil {
		return err
	}
	return f.writePage(dir, tk)
}

// table has a row for each molecule.
func (f *optimiseFound) table() *report.Table {
	strings := func(name string, of func(m foundMolecule) string) report.Column {
		return report.Strings(name, lists.Map(f.molecules, of))
	}
	numbers := func(name string, of func(m foundMolecule) float64) report.Column {
		return report.Floats(name, lists.Map(f.molecules, func(m foundMolecule) float32 { return float32(of(m)) }))
	}
	t := &report.Table{Columns: []report.Column{
		strings("smiles", func(m foundMolecule) string { return m.SMILES }),
		numbers("target", func(m foundMolecule) float64 { return m.Total }),
	}}
	for k, n := range f.names {
		t.Columns = append(t.Columns, numbers(n, func(m foundMolecule) float64 { return m.Values[k] }))
	}
	for _, of := range []struct {
		name string
		of   func(m foundMolecule) float64
	}{{"qed", func(m foundMolecule) float64 { return m.QED }}, {"sa", func(m foundMolecule) float64 { return m.SA }}} {
		if !slices.Contains(f.names, of.name) {
			t.Columns = append(t.Columns, numbers(of.name, of.of))
		}
	}
	calls := lists.Map(f.molecules, func(m foundMolecule) int { return m.Call })
	t.Columns = append(t.Columns, report.Ints("call", calls),
		strings("nearest_start", func(m foundMolecule) string { return m.Nearest }),
		numbers("similarity", func(m foundMolecule) float64 { return m.Similarity }),
		strings("scaffold", func(m foundMolecule) string { return m.Scaffold }))
	if f.summary.Success != nil {
		t.Columns = append(t.Columns, strings("success", func(m foundMolecule) string { return fmt.Sprint(m.Success) }))
	}
	return t
}
