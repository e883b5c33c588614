package mars

import (
	"context"
	"math"
	"math/bits"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/forest"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Thresholds say when a molecule is a success: each value is at least its threshold. Values without
// an entry in Least have no threshold.
type Thresholds struct {
	Name  string             `json:"name"`
	Least map[string]float64 `json:"least"`
}

// Evaluation has the measures of a population for one set of thresholds. All except Diversity are
// shares. Chains with the same molecule count separately.
type Evaluation struct {
	Thresholds string  `json:"thresholds"`
	Success    float64 `json:"success"` // share of chains that reach every threshold
	// Each is the share that reaches the threshold of a value, by name. Values without a threshold
	// are left out.
	Each map[string]float64 `json:"each"`
	// Unique is the number of distinct successful molecules divided by the number of successes.
	// Without a success, Unique and Novelty are 0 and mean nothing.
	Unique float64 `json:"unique"`
	// Novelty is the share of successes whose Tanimoto similarity to every reference molecule is
	// below 0.4; 1 without reference molecules.
	Novelty float64 `json:"novelty"`
	// Diversity is 1 minus the mean similarity of two successes. It is nil if there are fewer than
	// two.
	Diversity *float64 `json:"diversity"`
	// PM is Success·Novelty·Diversity, or 0 if Diversity is nil.
	PM float64 `json:"pm"`
}

// Settings of the fingerprints, and the similarity from which a molecule is not new.
const (
	simRadius = 3
	simBits   = 2048
	simWords  = simBits / 64
	known     = 0.4
)

// fingerprint is the fingerprint of a molecule with the number of its bits.
type fingerprint struct {
	bits [simWords]uint64
	on   int
}

func newFingerprint(m chem.Molecule) (*fingerprint, error) {
	on, err := m.MorganBits(simRadius, simBits)
	if err != nil {
		return nil, err
	}
	p := &fingerprint{on: len(on)}
	copy(p.bits[:], forest.RowOf(simBits, on))
	return p, nil
}

// tanimoto returns the number of common bits divided by the number of bits in either fingerprint.
func tanimoto(a, b *fingerprint) float64 {
	both := 0
	for i, w := range a.bits {
		both += bits.OnesCount64(w & b.bits[i])
	}
	if a.on+b.on == both {
		return 1 // both are empty
	}
	return float64(both) / float64(a.on+b.on-both)
}

// judge evaluates populations. It stores the successful molecules of the last one.
type judge struct {
	toolkit   chem.Toolkit
	threads   int
	names     []string // names of the values
	sets      []Thresholds
	reference []*fingerprint
	seen      map[string]*judged
}

// judged is a successful molecule.
type judged struct {
	print *fingerprint
	novel bool
}

// newJudge reads the reference molecules. Molecules that do not parse are left out.
func newJudge(ctx context.Context, tk chem.Toolkit, threads int, names []string, sets []Thresholds, reference []string) (*judge, error) {
	j := &judge{toolkit: tk, threads: threads, names: names, sets: sets, seen: map[string]*judged{}}
	prints, err := chem.Map(ctx, tk, threads, reference, newFingerprint)
	if err != nil {
		return nil, err
	}
	for _, p := range prints {
		if p.Err == nil {
			j.reference = append(j.reference, p.Value)
		}
	}
	return j, nil
}

// evaluate returns the evaluations of a population for all thresholds.
func (j *judge) evaluate(ctx context.Context, population []chain) ([]Evaluation, error) {
	out, order, count := make([]Evaluation, len(j.sets)), make([][]string, len(j.sets)), make([]map[string]int, len(j.sets))
	for k, set := range j.sets {
		out[k], order[k], count[k] = j.reached(set, population)
	}
	if err := j.remember(ctx, order); err != nil {
		return nil, err
	}
	for k, distinct := range order {
		j.compare(&out[k], distinct, count[k])
	}
	return out, nil
}

// reached counts the chains that reach thresholds. It lists the successful molecules, each once,
// and counts the chains of each.
func (j *judge) reached(set Thresholds, population []chain) (e Evaluation, distinct []string, count map[string]int) {
	all, each := 0, make([]int, len(j.names))
	count = map[string]int{}
	for _, c := range population {
		success := true
		for i, name := range j.names {
			least, ok := set.Least[name]
			if ok && c.values[i] >= least {
				each[i]++
			}
			success = success && (!ok || c.values[i] >= least)
		}
		if success {
			all++
			if count[c.at.SMILES]++; count[c.at.SMILES] == 1 {
				distinct = append(distinct, c.at.SMILES)
			}
		}
	}
	n := float64(len(population))
	e = Evaluation{Thresholds: set.Name, Success: float64(all) / n, Each: map[string]float64{}}
	for i, name := range j.names {
		if _, ok := set.Least[name]; ok {
			e.Each[name] = float64(each[i]) / n
		}
	}
	return e, distinct, count
}

// remember computes the fingerprints of successful molecules, and removes those of earlier
// populations.
func (j *judge) remember(ctx context.Context, order [][]string) error {
	seen, fresh := map[string]*judged{}, []string(nil)
	for _, distinct := range order {
		for _, s := range distinct {
			if _, ok := seen[s]; ok {
				continue
			}
			if seen[s] = j.seen[s]; seen[s] == nil {
				seen[s] = &judged{}
				fresh = append(fresh, s)
			}
		}
	}
	made, err := chem.Map(ctx, j.toolkit, j.threads, fresh, func(m chem.Molecule) (judged, error) {
		p, err := newFingerprint(m)
		if err != nil {
			return judged{}, err
		}
		novel := true
		for _, r := range j.reference {
			novel = novel && tanimoto(p, r) < known
		}
		return judged{p, novel}, nil
	})
	if err != nil {
		return err
	}
	for i, s := range fresh {
		if made[i].Err != nil {
			return made[i].Err
		}
		*seen[s] = made[i].Value
	}
	j.seen = seen
	return nil
}

// compare computes the novelty and diversity of the successful molecules. Each counts once for each
// of its chains.
func (j *judge) compare(e *Evaluation, distinct []string, count map[string]int) {
	n, novel, of := 0, 0, make([]*judged, len(distinct))
	for i, s := range distinct {
		of[i] = j.seen[s]
		n += count[s]
		if of[i].novel {
			novel += count[s]
		}
	}
	if n == 0 {
		return
	}
	e.Unique, e.Novelty = float64(len(distinct))/float64(n), float64(novel)/float64(n)
	if n < 2 {
		return
	}
	rows := make([]float64, len(distinct)) // sum of the similarities of each molecule to those before it, over pairs of chains
	par.New(j.threads).Rows(len(distinct), 16, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			m := float64(count[distinct[a]])
			rows[a] = m * (m - 1) / 2
			for b := range a {
				rows[a] += m * float64(count[distinct[b]]) * tanimoto(of[a].print, of[b].print)
			}
		}
	})
	sum := lists.Sum(rows)
	d := 1 - sum/(float64(n)*float64(n-1)/2)
	e.Diversity, e.PM = &d, e.Success*e.Novelty*d
}

// progress says when a population stops improving. See advance.
type progress struct {
	Patience int     `json:"patience"` // number of evaluations without progress that are left
	PM       float64 `json:"pm"`       // the largest so far
	Mean     float64 `json:"mean"`     // largest mean of the target so far
}

// Bounds of progress.
const (
	begun = 0.1  // a run below it has hardly begun
	gain  = 0.01 // smallest gain over the best so far
)

// advance updates the progress with an evaluation. An evaluation uses up patience if neither PM nor
// the mean target gains 0.01 over the best, although both are above 0.1. Any other evaluation
// restores it. Without thresholds there is no PM, so the mean decides alone.
func (p *progress) advance(patience int, of []Evaluation, mean float64) {
	stalled := mean > begun && mean < p.Mean+gain
	pm := math.Inf(-1)
	if len(of) > 0 {
		pm = of[0].PM
		stalled = stalled && pm > begun && pm < p.PM+gain
	}
	if stalled {
		p.Patience--
		return
	}
	p.Patience, p.PM, p.Mean = patience, max(p.PM, pm), max(p.Mean, mean)
}
