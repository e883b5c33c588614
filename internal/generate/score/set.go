package score

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Scorer computes one or several numbers for each of many molecules. NaN means that a molecule has
// no number, -Inf that the scorer could not find out and may succeed later. If ctx has ended, the
// error wraps that of ctx.
type Scorer interface {
	Score(ctx context.Context, smiles []string) ([][]float64, error)
	Close() error
}

// unanswered is the number of a molecule that a scorer could not score.
var unanswered = math.Inf(-1)

// Term is a number and its role in the target.
type Term struct {
	Name string
	// Property or Scorer computes the number. Column selects one of the Scorer's numbers. Several
	// terms may share a Scorer.
	Property Property
	Scorer   Scorer
	Column   int
	// Weight is at least 0, and positive for at least one term of a set.
	Weight float64
	// Clip is the value above which a larger value is no better; 0 for none.
	Clip float64
	// Range maps numbers linearly to [0,1], the first to 0 and the second to 1, and clips the rest.
	// The first is larger if small numbers are good. nil does not change numbers.
	Range *[2]float64
}

// Combinations returns the ways to combine the values p of terms, with weights w and clips c, into
// a target:
//
//	mean             Σ w·min(p,c) / Σ w, at least 0
//	product          Π min(p,c)^w, 0 if a value is not above 0
//	geometric-mean   the same to the power of 1 / Σ w
func Combinations() []string { return []string{Mean, Product, GeometricMean} }

// Names of combinations.
const (
	Mean          = "mean"
	Product       = "product"
	GeometricMean = "geometric-mean"
)

// Set scores molecules by several terms.
type Set struct {
	// Combination is one of Combinations. Empty means Mean. It must be set before the first Score.
	Combination string

	terms   []Term
	toolkit chem.Toolkit
	threads int
	weights float64

	// OnScore is called with molecules that are scored for the first time, in order. It may be nil.
	// Score returns its error. A molecule with a number that a scorer could not find out has the
	// value 0 in this set, but is not passed to OnScore, so that a caller who stores the values
	// asks for it again. Calls do not overlap. OnScore must be set before the first Score.
	OnScore func(smiles []string, values [][]float64) error

	mu    sync.Mutex
	known map[string][]float64
	calls []Calls
}

// Calls counts the molecules that a term has scored.
type Calls struct {
	Name      string `json:"name"`
	Molecules int    `json:"molecules"` // each molecule once
	// Failed counts the molecules without a number, whose value is 0.
	Failed int `json:"failed"`
}

// NewSet checks the terms and returns a set. threads is the number of threads for properties, 0 for
// all processors.
func NewSet(tk chem.Toolkit, threads int, terms ...Term) (*Set, error) {
	s := &Set{terms: slices.Clone(terms), toolkit: tk, threads: threads, known: map[string][]float64{}}
	for _, t := range terms {
		switch {
		case t.Name == "" || slices.ContainsFunc(s.calls, func(c Calls) bool { return c.Name == t.Name }):
			return nil, fmt.Errorf("score: the name %q is empty or given twice", t.Name)
		case (t.Property == nil) == (t.Scorer == nil):
			return nil, fmt.Errorf("score: %s needs a property or a scorer", t.Name)
		case !(t.Weight >= 0) || math.IsInf(t.Weight, 1):
			return nil, fmt.Errorf("score: the weight of %s is %v, expected a number of at least 0", t.Name, t.Weight)
		case !(t.Clip >= 0):
			return nil, fmt.Errorf("score: the clip of %s is %v, expected a number above 0", t.Name, t.Clip)
		case t.Range != nil && !(math.Abs(t.Range[0]-t.Range[1]) > 0 && math.Abs(t.Range[0]-t.Range[1]) < math.Inf(1)):
			return nil, fmt.Errorf("score: the range of %s is %v to %v, expected two different numbers", t.Name, t.Range[0], t.Range[1])
		}
		s.calls = append(s.calls, Calls{Name: t.Name})
		s.weights += t.Weight
	}
	if !(s.weights > 0) {
		return nil, fmt.Errorf("score: no term has a weight above 0")
	}
	return s, nil
}

// Names returns the names of the terms.
func (s *Set) Names() []string {
	return lists.Map(s.terms, func(t Term) string { return t.Name })
}

// Clips returns for each term the value above which a larger value is no better; 0 for none.
func (s *Set) Clips() []float64 {
	return lists.Map(s.terms, func(t Term) float64 { return t.Clip })
}

// Calls returns the counts of all terms so far.
func (s *Set) Calls() []Calls {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Remember stores the values of a molecule that a set with the same terms has scored.
func (s *Set) Remember(smiles string, values []float64) error {
	if len(values) != len(s.terms) {
		return fmt.Errorf("score: %s has %d values, expected %d", smiles, len(values), len(s.terms))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[smiles] = values
	return nil
}

// Close ends the programs of the terms.
func (s *Set) Close() error {
	var first error
	for scorer := range s.scorers() {
		if err := scorer.Close(); first == nil {
			first = err
		}
	}
	return first
}

// scorers returns the scorers of the terms, each with the indices of its terms.
func (s *Set) scorers() map[Scorer][]int {
	of := map[Scorer][]int{}
	for k, t := range s.terms {
		if t.Scorer != nil {
			of[t.Scorer] = append(of[t.Scorer], k)
		}
	}
	return of
}

// Target returns the number to optimise, by the Combination.
func (s *Set) Target(values []float64) float64 { return s.target(values, 0) }

// Combine is the same as Target, for genetic.Objective.
func (s *Set) Combine(values []float64) float64 { return s.Target(values) }

// leastFactor is the smallest value of a factor of a product in Bound, so that the other values
// still count.
const leastFactor = 0.001

// Bound returns Target of upper bounds of values. The factors of a product are at least 0.001.
func (s *Set) Bound(values []float64) float64 { return s.target(values, leastFactor) }

// target is Target with a smallest value of the factors of a product.
func (s *Set) target(values []float64, least float64) float64 {
	product := s.Combination == Product || s.Combination == GeometricMean
	sum := 0.0
	for k, t := range s.terms {
		p := values[k]
		if t.Clip > 0 {
			p = min(p, t.Clip)
		}
		switch {
		case !product:
			sum += t.Weight * p
		case t.Weight > 0 && max(p, least) <= 0:
			return 0
		case t.Weight > 0:
			sum += t.Weight * math.Log(max(p, least))
		}
	}
	switch s.Combination {
	case Product:
		return math.Exp(sum)
	case GeometricMean:
		return math.Exp(sum / s.weights)
	}
	return max(0, sum/s.weights)
}

// Mean returns Target without clips.
func (s *Set) Mean(values []float64) float64 {
	sum := 0.0
	for k, t := range s.terms {
		sum += t.Weight * values[k]
	}
	return sum / s.weights
}

// Score returns the values of all terms for each SMILES, in the order of the terms. A molecule that
// does not parse has 0 for all terms. A molecule without a number for a term has 0 for this term.
// The caller must not change the slices.
func (s *Set) Score(ctx context.Context, smiles []string) ([][]float64, error) {
	var fresh []string
	seen := map[string]bool{}
	s.mu.Lock()
	for _, m := range smiles {
		if _, ok := s.known[m]; !ok && !seen[m] {
			seen[m] = true
			fresh = append(fresh, m)
		}
	}
	s.mu.Unlock()
	if len(fresh) > 0 {
		found, err := s.compute(ctx, fresh)
		if err != nil {
			return nil, err
		}
		if err := s.learn(fresh, found); err != nil {
			return nil, err
		}
	}
	out := make([][]float64, len(smiles))
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range smiles {
		out[i] = s.known[m]
	}
	return out, nil
}

// learn stores computed values.
func (s *Set) learn(smiles []string, of computed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sure []string
	var values [][]float64
	for i, m := range smiles {
		s.known[m] = of.values[i]
		if !of.unsure[i] {
			sure, values = append(sure, m), append(values, of.values[i])
		}
	}
	for k := range s.calls {
		s.calls[k].Molecules += len(smiles)
		s.calls[k].Failed += of.failed[k]
	}
	if s.OnScore == nil || len(sure) == 0 {
		return nil
	}
	return s.OnScore(sure, values)
}

// computed has the values of new molecules.
type computed struct {
	values [][]float64
	unsure []bool // of each molecule: whether a number is unanswered
	failed []int  // of each term: number of molecules without a number
}

// compute runs the terms: scorers in parallel, and all properties of a molecule together.
func (s *Set) compute(ctx context.Context, smiles []string) (out computed, err error) {
	raw := make([][]float64, len(s.terms))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var once sync.Once
	var failed error // the first error: others may fail because they are stopped
	var wg sync.WaitGroup
	for scorer, terms := range s.scorers() {
		wg.Go(func() {
			rows, err := scorer.Score(ctx, smiles)
			if err != nil {
				once.Do(func() { failed = fmt.Errorf("score: %s: %w", s.terms[terms[0]].Name, err) })
				cancel()
				return
			}
			for _, k := range terms {
				raw[k] = lists.Map(rows, func(row []float64) float64 { return row[s.terms[k].Column] })
			}
		})
	}
	properties, err := chem.Map(ctx, s.toolkit, s.threads, smiles, s.properties)
	wg.Wait()
	if err := cmp.Or(failed, err); err != nil {
		return out, err
	}
	out = computed{values: make([][]float64, len(smiles)), unsure: make([]bool, len(smiles)), failed: make([]int, len(s.terms))}
	for i, p := range properties {
		out.values[i] = make([]float64, len(s.terms))
		for k, t := range s.terms {
			v := math.NaN()
			switch {
			case p.Err != nil:
			case t.Scorer != nil:
				v = raw[k][i]
			default:
				v = p.Value[k]
			}
			if math.IsNaN(v) || math.IsInf(v, 0) {
				out.failed[k]++
				out.unsure[i] = out.unsure[i] || v == unanswered
				continue
			}
			out.values[i][k] = t.scaled(v)
		}
	}
	return out, nil
}

// properties returns the numbers of a molecule that are properties, and NaN for other terms.
func (s *Set) properties(m chem.Molecule) ([]float64, error) {
	of := &Molecule{Molecule: m}
	out := make([]float64, len(s.terms))
	for k, t := range s.terms {
		out[k] = math.NaN()
		if t.Property == nil {
			continue
		}
		if v, err := t.Property(of); err == nil { // if a property fails, the molecule has no number for it
			out[k] = v
		}
	}
	return out, nil
}

// scaled returns a number mapped by the term's Range.
func (t Term) scaled(v float64) float64 {
	if t.Range == nil {
		return v
	}
	return min(max((v-t.Range[0])/(t.Range[1]-t.Range[0]), 0), 1)
}
