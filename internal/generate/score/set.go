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

// Scorer gives one or several numbers to each of many molecules, NaN where it has none, and -Inf where it could
// not find out, which another time may go better. Once ctx has ended, the error wraps that of ctx.
type Scorer interface {
	Score(ctx context.Context, smiles []string) ([][]float64, error)
	Close() error
}

// unanswered stands for the number that a scorer could not find out.
var unanswered = math.Inf(-1)

// Term is a number and its part in the target.
type Term struct {
	Name string
	// Property or Scorer has the number; Column says which of a Scorer that has several, and is shared by several terms.
	Property Property
	Scorer   Scorer
	Column   int
	// Weight is at least 0, and above it for one term of a set.
	Weight float64
	// Clip is the value beyond which more is no better; 0 for none.
	Clip float64
	// Range maps numbers to [0,1], the first to 0 and the second to 1, and cuts what is beyond;
	// the first is the larger one where small numbers are good. Nil takes numbers as they are.
	Range *[2]float64
}

// Combinations are ways to make a target of the values p of terms with the weights w and clips c:
//
//	mean             Σ w·min(p,c) / Σ w, at least 0
//	product          Π min(p,c)^w, 0 where a value is not above 0
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
	// Combination is one of Combinations, "" for Mean. It is set before the first Score.
	Combination string

	terms   []Term
	toolkit chem.Toolkit
	threads int
	weights float64

	// OnScore, unless nil, is told of molecules that were scored for the first time, in order; an
	// error of it is one of Score. A molecule with a number that could not be found out has 0 for
	// it in this set, but OnScore is not told, so that who keeps the values asks again. Calls do
	// not overlap. It is set before the first Score.
	OnScore func(smiles []string, values [][]float64) error

	mu    sync.Mutex
	known map[string][]float64
	calls []Calls
}

// Calls count what a term was asked.
type Calls struct {
	Name      string `json:"name"`
	Molecules int    `json:"molecules"` // each once
	// Failed of them had no number and count as 0.
	Failed int `json:"failed"`
}

// NewSet returns a set; threads is their number for properties, 0 for all. It checks the terms.
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

// Names are those of the terms.
func (s *Set) Names() []string {
	return lists.Map(s.terms, func(t Term) string { return t.Name })
}

// Clips are, of each term, the value beyond which more is no better; 0 for none.
func (s *Set) Clips() []float64 {
	return lists.Map(s.terms, func(t Term) float64 { return t.Clip })
}

// Calls are the counts of all terms so far.
func (s *Set) Calls() []Calls {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Remember takes the values of a molecule that a set with the same terms has scored.
func (s *Set) Remember(smiles string, values []float64) error {
	if len(values) != len(s.terms) {
		return fmt.Errorf("score: %s has %d values, expected %d", smiles, len(values), len(s.terms))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[smiles] = values
	return nil
}

// Close ends what the terms have running.
func (s *Set) Close() error {
	var first error
	for scorer := range s.scorers() {
		if err := scorer.Close(); first == nil {
			first = err
		}
	}
	return first
}

// scorers are those of the terms, each once, with the terms that each is for.
func (s *Set) scorers() map[Scorer][]int {
	of := map[Scorer][]int{}
	for k, t := range s.terms {
		if t.Scorer != nil {
			of[t.Scorer] = append(of[t.Scorer], k)
		}
	}
	return of
}

// Target is what is optimised, by the Combination.
func (s *Set) Target(values []float64) float64 { return s.target(values, 0) }

// Combine is Target.
func (s *Set) Combine(values []float64) float64 { return s.Target(values) }

// leastFactor is what a bound takes for smaller values of a product, so that the other values still count.
const leastFactor = 0.001

// Bound is Target of what values may be at best; those of a product are at least 0.001.
func (s *Set) Bound(values []float64) float64 { return s.target(values, leastFactor) }

// target is Target, with a least value of the factors of a product.
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

// Mean is Target without clips.
func (s *Set) Mean(values []float64) float64 {
	sum := 0.0
	for k, t := range s.terms {
		sum += t.Weight * values[k]
	}
	return sum / s.weights
}

// Score gives each SMILES the values of all terms, in their order. A molecule that does not
// parse has 0 for all, one for which a term has no number 0 for that. The slices must not be
// changed.
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

// learn keeps what was computed.
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

// computed are the values of some molecules.
type computed struct {
	values [][]float64
	unsure []bool // of molecules: a number is unanswered
	failed []int  // of terms: molecules without a number
}

// compute asks the terms: scorers side by side, and all properties of a molecule at once.
func (s *Set) compute(ctx context.Context, smiles []string) (out computed, err error) {
	raw := make([][]float64, len(s.terms))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var once sync.Once
	var failed error // the first: others may fail because they are stopped
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

// properties are the numbers of a molecule that are properties, NaN for the others.
func (s *Set) properties(m chem.Molecule) ([]float64, error) {
	of := &Molecule{Molecule: m}
	out := make([]float64, len(s.terms))
	for k, t := range s.terms {
		out[k] = math.NaN()
		if t.Property == nil {
			continue
		}
		if v, err := t.Property(of); err == nil { // one that fails counts as a term without a number
			out[k] = v
		}
	}
	return out, nil
}

// scaled is a number within the range of its term.
func (t Term) scaled(v float64) float64 {
	if t.Range == nil {
		return v
	}
	return min(max((v-t.Range[0])/(t.Range[1]-t.Range[0]), 0), 1)
}
