package molgan

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Score has the scores of a generated molecule. An invalid molecule has zeros.
type Score struct {
	SMILES string  `json:"smiles"` // canonical; empty if invalid
	QED    float64 `json:"qed"`    // from 0 to 1
	SA     float64 `json:"sa"`     // synthetic accessibility, clip((5 - SA)/(5 - 1.5), 0, 1); 1 is easy
}

// Valid reports whether the molecule is valid.
func (s Score) Valid() bool { return s.SMILES != "" }

// reward returns the product of terms.
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

// Judge scores graphs of a space with a toolkit, on several threads. Several goroutines may call
// its methods.
type Judge struct {
	Toolkit chem.Toolkit
	Space   Space
	Threads int // 0 for all processors

	calls atomic.Int64
}

// Calls returns the number of graphs that the toolkit has read.
func (j *Judge) Calls() int64 { return j.calls.Load() }

// Scores returns the scores of graphs, in their order.
func (j *Judge) Scores(ctx context.Context, ms []Molecule) ([]Score, error) {
	return par.Map(ctx, j.Threads, ms, func(m Molecule) (s Score) {
		j.with(m, func(of chem.Molecule, smiles string) { s = scored(of, smiles) })
		return s
	})
}

// with calls f with the molecule of a graph and its canonical SMILES, if it is valid. RDKit accepts
// some aromatic bonds outside rings and then writes a SMILES that breaks a valence. A molecule
// whose SMILES cannot be parsed is invalid.
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

// build calls f with the molecule of a structure and its canonical SMILES, if it can be sanitised.
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

// scored returns the scores of a valid molecule.
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

// validReference reports validity as the code of the authors of EHGNN defines it: pads are ordinary
// atoms, and a molecule may have several parts.
func (j *Judge) validReference(m Molecule) (ok bool) {
	j.build(j.Space.Whole(m), func(_ chem.Molecule, smiles string) { ok = strings.Trim(smiles, ".") != "" })
	return ok
}
