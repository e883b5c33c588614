package benchmark

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
)

// Task is an objective. Its parts are numbers in [0,1], combined by their geometric mean.
type Task struct {
	Name    string
	toolkit chem.Toolkit
	threads int
	parts   []part
}

// Targets of GuacaMol.
const (
	celecoxib    = "CC1=CC=C(C=C1)C1=CC(=NN1C1=CC=C(C=C1)S(N)(=O)=O)C(F)(F)F"
	troglitazone = "Cc1c(C)c2OC(C)(COc3ccc(CC4SC(=O)NC4=O)cc3)CCc2c(C)c1O"
	aripiprazole = "Clc4cccc(N3CCN(CCCCOc2ccc1c(NC(=O)CC1)c2)CC3)c4Cl"
	albuterol    = "CC(C)(C)NCC(O)c1ccc(O)c(CO)c1"
	menthol      = "CC(C)C1CCC(C)CC1O"
	camphor      = "CC1(C)C2CCC1(C)C(=O)C2"
	tadalafil    = "O=C1N(CC(N2C1CC3=C(C2C4=CC5=C(OCO5)C=C4)NC6=C3C=CC=C6)=O)C"
	sildenafil   = "CCCC1=NN(C2=C1N=C(NC2=O)C3=C(C=CC(=C3)S(=O)(=O)N4CCN(CC4)C)OCC)C"
	osimertinib  = "COc1cc(N(C)CCN(C)C)c(NC(=O)C=C)cc1Nc2nccc(n2)c3cn(C)c4ccccc34"
	fexofenadine = "CC(C)(C(=O)O)c1ccc(cc1)C(O)CCCN2CCC(CC2)C(O)(c3ccccc3)c4ccccc4"
	perindopril  = "O=C(OCC)C(NC(C(=O)N1C(C(=O)O)CC2CCCCC12)C)CCC"
	zaleplon     = "O=C(C)N(CC)C1=CC=CC(C2=CC=NC3=C(C=NN23)C#N)=C1"
	sitagliptin  = "NC(CC(=O)N1CCn2c(nnc2C(F)(F)F)C1)Cc1cc(F)c(F)cc1F"
)

// builder collects the parts of a task and keeps the first error.
type builder struct {
	tk    chem.Toolkit
	parts []part
	err   error
}

func (b *builder) add(p ...part) { b.parts = append(b.parts, p...) }

func (b *builder) sim(smiles string, of fingerprint) part {
	p, err := similar(b.tk, smiles, of)
	b.err = errors.Join(b.err, err)
	return p
}

func (b *builder) isomers(formula string) part {
	of, err := isomers(formula)
	b.err = errors.Join(b.err, err)
	return func(m chem.Molecule) (float64, error) {
		values := make([]float64, len(of))
		for i, p := range of {
			var err error
			if values[i], err = p(m); err != nil {
				return 0, err
			}
		}
		return mean(values), nil
	}
}

// tasks add the parts of each task.
var tasks = map[string]func(b *builder){
	"celecoxib":    func(b *builder) { b.add(b.sim(celecoxib, morgan(2))) },
	"troglitazone": func(b *builder) { b.add(b.sim(troglitazone, morgan(2))) },
	"aripiprazole": func(b *builder) { b.add(clip(b.sim(aripiprazole, morgan(2)), 0.75)) },
	"albuterol":    func(b *builder) { b.add(clip(b.sim(albuterol, features(2)), 0.75)) },
	"median1":      func(b *builder) { b.add(b.sim(menthol, morgan(2)), b.sim(camphor, morgan(2))) },
	"median2":      func(b *builder) { b.add(b.sim(tadalafil, morgan(3)), b.sim(sildenafil, morgan(3))) },
	"isomers": func(b *builder) {
		of, err := isomers("C9H10N2O2PF2Cl")
		b.err = err
		b.add(of...)
	},
	"osimertinib": func(b *builder) {
		b.add(clip(b.sim(osimertinib, features(2)), 0.8), below(b.sim(osimertinib, morgan(3)), 0.85, 0.1), above(tpsa, 100, 10), below(logP, 1, 1))
	},
	"fexofenadine": func(b *builder) {
		b.add(clip(b.sim(fexofenadine, pairs(10)), 0.8), above(tpsa, 90, 10), below(logP, 4, 1))
	},
	"perindopril": func(b *builder) { b.add(b.sim(perindopril, morgan(2)), gauss(aromaticRings, 2, 0.5)) },
	"zaleplon":    func(b *builder) { b.add(b.sim(zaleplon, morgan(2)), b.isomers("C19H17N3O2")) },
	"sitagliptin": func(b *builder) {
		b.add(gauss(b.sim(sitagliptin, morgan(2)), 0, 0.1), gauss(logP, 2.0165, 0.2), gauss(tpsa, 77.04, 5), b.isomers("C16H15F6N5O"))
	},
}

// Names returns the names of the tasks, sorted.
func Names() []string {
	return slices.Sorted(maps.Keys(tasks))
}

// New returns a task. threads is the number of threads, 0 for all processors.
func New(tk chem.Toolkit, threads int, name string) (*Task, error) {
	build, ok := tasks[name]
	if !ok {
		return nil, fmt.Errorf("benchmark: there is no task %q; there are %s", name, strings.Join(Names(), ", "))
	}
	b := builder{tk: tk}
	build(&b)
	return &Task{Name: name, toolkit: tk, threads: threads, parts: b.parts}, b.err
}

// Score returns the parts of each molecule. If a molecule fails, all its parts are 0.
func (t *Task) Score(ctx context.Context, smiles []string) ([][]float64, error) {
	results, err := chem.Map(ctx, t.toolkit, t.threads, smiles, func(m chem.Molecule) ([]float64, error) {
		return t.values(m)
	})
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(smiles))
	for i, r := range results {
		out[i] = r.Value
		if r.Err != nil {
			out[i] = make([]float64, len(t.parts))
		}
	}
	return out, nil
}

// values returns the parts of a molecule.
func (t *Task) values(m chem.Molecule) ([]float64, error) {
	values := make([]float64, len(t.parts))
	for k, p := range t.parts {
		v, err := p(m)
		if err != nil {
			return nil, err
		}
		if !math.IsNaN(v) {
			values[k] = v
		}
	}
	return values, nil
}

// Value returns the score of a molecule.
func (t *Task) Value(m chem.Molecule) (float64, error) {
	values, err := t.values(m)
	if err != nil {
		return 0, err
	}
	return t.Combine(values), nil
}

// Combine returns the geometric mean of the parts, or 0 if a part is 0 or less. Values above 1
// count as 1.
func (t *Task) Combine(parts []float64) float64 { return mean(parts) }

// leastPart is the smallest value of a part in Bound, so that the other parts still count.
const leastPart = 0.001

// Bound returns Combine of the parts, each raised to at least 0.001.
func (t *Task) Bound(parts []float64) float64 {
	of := slices.Clone(parts)
	for i := range of {
		of[i] = max(of[i], leastPart)
	}
	return mean(of)
}

func mean(parts []float64) float64 {
	sum := 0.0
	for _, v := range parts {
		if v <= 0 {
			return 0
		}
		sum += math.Log(min(v, 1))
	}
	return math.Exp(sum / float64(len(parts)))
}
