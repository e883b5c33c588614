package molgan

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Score is what a generated molecule is worth. One that is not valid has zeros.
type Score struct {
	SMILES string  `json:"smiles"` // canonical; empty where it is not valid
	QED    float64 `json:"qed"`    // from 0 to 1
	SA     float64 `json:"sa"`     // synthetic accessibility, clip((5 - SA)/(5 - 1.5), 0, 1): 1 is easy
}

// Valid says that it is a molecule.
func (s Score) Valid() bool { return s.SMILES != "" }

// reward is the product of terms.
func (s Score) reward(terms []string) float64 {
	if !s.Valid() {
		return 0
	}
	r := 1.0
	for _, term := range terms {
		switch term {
		case SAS:
			r *= s.SA
		case QED:
			r *= s.QED
		}
	}
	return r
}

// Judge scores graphs of a space by a toolkit, on several threads. Its methods may be called
// by several goroutines.
type Judge struct {
	Toolkit chem.Toolkit
	Space   Space
	Threads int // 0 for all processors

	calls atomic.Int64
}

// Calls counts the graphs that were handed to the toolkit.
func (j *Judge) Calls() int64 { return j.calls.Load() }

// Scores are those of graphs, in their order.
func (j *Judge) Scores(ctx context.Context, ms []Molecule) ([]Score, error) {
	return par.Map(ctx, j.Threads, ms, func(m Molecule) (s Score) {
		j.with(m, func(of chem.Molecule, smiles string) { s = scored(of, smiles) })
		return s
	})
}

// with calls f with the molecule that a graph is and its canonical SMILES, if it is valid.
// RDKit lets some aromatic bonds outside of rings pass of which it then writes a SMILES that
// breaks a valence: what cannot be read back is not valid.
func (j *Judge) with(m Molecule, f func(of chem.Molecule, smiles string)) {
	s, ok := j.Space.Structure(m)
	if !ok {
		return
	}
	j.build(s, func(of chem.Molecule, smiles string) {
		if back, err := j.Toolkit.Parse(smiles); err == nil {
			back.Close()
			f(of, smiles)
		}
	})
}

// build calls f with the molecule of a structure and its canonical SMILES, if it sanitises.
func (j *Judge) build(s *chem.Structure, f func(of chem.Molecule, smiles string)) {
	j.calls.Add(1)
	of, err := j.Toolkit.Build(s)
	if err != nil {
		return
	}
	defer of.Close()
	if smiles, err := of.SMILES(); err == nil && smiles != "" {
		f(of, smiles)
	}
}

// scored are the scores of a valid molecule.
func scored(of chem.Molecule, smiles string) Score {
	s := Score{SMILES: smiles}
	if p, err := of.QED(); err == nil {
		s.QED = p.Score()
	}
	if t, err := of.SA(); err == nil {
		s.SA = max(0, min((5-t.Score())/(5-1.5), 1))
	}
	return s
}

// validReference is the validity of the code of the authors of EHGNN: pads are atoms of
// their own, and several parts are a molecule.
func (j *Judge) validReference(m Molecule) (ok bool) {
	j.build(j.Space.Whole(m), func(_ chem.Molecule, smiles string) { ok = strings.Trim(smiles, ".") != "" })
	return ok
}
